#pragma once

#include <vector>

#include "builders/geometry/mesh.h"
#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"

namespace copse {

/// Voxels on the host: every voxel of a dense grid, or the bricks of a sparse one.
struct COPSE_API HostVoxels {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};
  bool is_sparse = false;
  std::vector<u64> keys;   // of bricks, as in Bricks, ascending; empty for a dense grid
  std::vector<u32> words;  // as in Voxels and in Bricks

  /// Returns true if a voxel is set. The voxel must be in the grid.
  bool at(const uvec3& voxel) const;
};

/// Returns a copy of voxels on the device; of bricks, those that are stored.
/// Waits: for the copy.
COPSE_API HostVoxels download(const Voxels& voxels);
COPSE_API HostVoxels download(const Bricks& bricks);

/// Writes voxels as docs/guide/voxel-file.md describes. The file appears under its name when it is complete.
///   cancel: a token such as std::stop_token. Once a stop is requested, the call throws Error cancelled soon, and an old
///           file stays
/// Throws: Error bad_file, Error cancelled; Error invalid_argument if keys and words do not fit the shape.
COPSE_API void save_voxels(const FilePath& path, const HostVoxels& voxels, const CancelToken& cancel = {});

/// Reads such a file, or the set voxels of a file of NanoVDB (load_nano_grid, to_voxels) or of an octree or a DAG
/// (load_voxel_tree), as bricks. The file is not trusted: its sizes, and the order and range of its keys, are checked.
/// Throws: Error bad_file, Error out_of_memory, Error cancelled; Error capacity, as to_voxels.
COPSE_API HostVoxels load_voxels(const FilePath& path, const CancelToken& cancel = {});

/// Returns how many voxels are set.
COPSE_API u64 count_voxels(const HostVoxels& voxels);

/// Returns the faces between voxels that are set and neighbours that are not set or not in the grid, so that voxels
/// can be drawn and traced as a mesh. A face has two triangles, counter-clockwise as seen from outside, and four
/// vertices of its own; equal corners have equal coordinates.
/// Throws: Error capacity past 2^31 triangles, Error out_of_memory.
COPSE_API Mesh surface_of(const HostVoxels& voxels);

/// Writes a PNG for each layer of voxels into a folder that exists: slice-0000.png is the layer with the lowest z.
/// Each pixel is a voxel, white if it is set and black if not; x runs to the right and y up.
///   cancel: as of save_voxels; the layers before stay
/// Throws: Error bad_file, Error cancelled; Error invalid_argument if keys and words do not fit the shape.
COPSE_API void save_slices(const FilePath& folder, const HostVoxels& voxels, const CancelToken& cancel = {});

}  // namespace copse
