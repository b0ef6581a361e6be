#pragma once

#include <vector>

#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/file_path.h"

namespace copse {

/// Voxels on the host: every voxel of a dense grid, or the bricks of a sparse one.
struct HostVoxels {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};
  bool is_sparse = false;
  std::vector<u32> keys;   // places of bricks, ascending; none of a dense grid
  std::vector<u32> words;  // as in Voxels and in Bricks

  /// Whether a voxel, which must be in the grid, is set.
  bool at(const uvec3& voxel) const;
};

/// Copies of what the device holds; of bricks, those that are stored.
/// Waits.
HostVoxels download(const Voxels& voxels);
HostVoxels download(const Bricks& bricks);

/// Writes voxels as docs/guide/voxel-file.md describes, to a temporary file that is renamed when complete.
/// Throws: Error bad_file; Error invalid_argument where keys and words do not fit the shape.
void save_voxels(const FilePath& path, const HostVoxels& voxels);

/// Reads such a file. The file is never trusted: sizes, order and range of keys are checked.
/// Throws: Error bad_file, Error out_of_memory.
HostVoxels load_voxels(const FilePath& path);

/// Writes a PNG for each layer of voxels, slice-0000.png at the lowest z and so on, into a folder that is there. A
/// pixel is a voxel, white where it is set and black elsewhere; x runs to the right and y up.
/// Throws: Error bad_file; Error invalid_argument where keys and words do not fit the shape.
void save_slices(const FilePath& folder, const HostVoxels& voxels);

}  // namespace copse
