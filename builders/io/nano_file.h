#pragma once

#include <string>
#include <vector>

#include "builders/grid/nano_grid.h"
#include "builders/io/file_path.h"
#include "builders/io/voxel_file.h"
#include "primitives/core/cancel_token.h"

namespace copse {

/// A grid of NanoVDB on the host.
struct HostNanoGrid {
  NanoType type = NanoType::mask;
  std::vector<u64> words;  // the bytes of the grid, as builders/grid/nano_layout.h has them
};

/// How the grid of a file is packed.
enum class NanoCodec : u32 { none, zip };

/// Returns a copy of a grid on the device.
/// Waits: for the copy.
COPSE_API HostNanoGrid download(const NanoGrid& grid);

/// Writes a grid as a file with one grid, which NanoVDB's own reader takes (.nvdb, version 32). The file appears under
/// its name when it is complete.
///   codec:  zip takes time, and files of masks shrink to a tenth or less
///   cancel: as of save_voxels
/// Throws: Error bad_file, Error cancelled; Error invalid_argument for a grid with a fault, as load_nano_grid finds it.
COPSE_API void save_nano_grid(const FilePath& path, const HostNanoGrid& grid, NanoCodec codec = NanoCodec::none,
                              const CancelToken& cancel = {});

/// Reads the first grid of a file: floats, a mask, or indices of set voxels, plain or zip. The file is not trusted: sizes,
/// counts, and the place of every node are checked. So to_voxels and value_at may follow its links.
/// Throws: Error bad_file, Error out_of_memory, Error cancelled.
COPSE_API HostNanoGrid load_nano_grid(const FilePath& path, const CancelToken& cancel = {});

/// Returns the set voxels of a grid as sparse bricks. Voxel (0, 0, 0) of the result is a corner of the box of set voxels,
/// rounded down to a multiple of 8. Also reads tiles, which stand for 8 or 128 set voxels along each edge.
/// Throws: Error invalid_argument if the grid has a fault, if its voxels are not cubes along the axes, or if the box is
/// longer than 65,536; Error capacity for tiles that make more than 2^26 bricks.
COPSE_API HostVoxels to_voxels(const HostNanoGrid& grid);

/// Returns the value of a voxel of a grid of floats that has no fault: of a leaf, of a tile, or the background.
COPSE_API float value_at(const HostNanoGrid& grid, i32 x, i32 y, i32 z);

}  // namespace copse
