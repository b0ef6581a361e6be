#pragma once

#include "builders/grid/bricks.h"
#include "builders/grid/distance_field.h"
#include "builders/grid/nano_layout.h"

namespace copse {

/// A grid of NanoVDB in the memory of a context. Kernels with the headers of NanoVDB can use its address as a
/// `nanovdb::NanoGrid`. builders/io/nano_file.h writes it to a file.
struct NanoGrid {
  NanoType type = NanoType::mask;
  Buffer<u64> words;  // the bytes of the grid, at a multiple of 32

  u64 size_bytes() const { return words.size_bytes(); }
};

/// Returns the voxels of bricks as a grid without values (NanoType::mask), or one that numbers them
/// (NanoType::index). Voxel (0, 0, 0) of the bricks is voxel (0, 0, 0) of the grid; its centre maps to its centre
/// in space. The bytes are equal on all backends. The grid has no checksum, and its nodes have no statistics.
///
///   bricks: a complete build; check_complete says if it is
/// Throws: Error invalid_argument for NanoType::floats, which needs values, or for bricks that were never made;
/// Error out_of_memory, Error cancelled.
/// Waits: for the numbers of bricks and of nodes.
/// Memory: 24 bytes of scratch per brick and the sort's. The result has 96 bytes per brick, 33,856 for each cube
/// of 128 voxels that has one, and 270,400 for each cube of 4096.
COPSE_API NanoGrid build_nano_grid(Context& context, const Bricks& bricks, NanoType type = NanoType::index);

/// Returns the voxels of bricks with a float for each (NanoType::floats).
///
///   values:     512 per brick; voxel (x, y, z) of brick b has value 512 b + 64 z + 8 y + x. Voxels that are not set
///               have values too.
///   background: the value of voxels beyond all bricks
/// Throws: Error invalid_argument if there are too few values. Otherwise as above; 2144 bytes per brick.
COPSE_API NanoGrid build_nano_grid(Context& context, const Bricks& bricks, BufferSpan<const float> values,
                                   float background);

/// Returns a distance field as a level set (NanoType::floats). Voxels within the band are set; all others have the
/// width of the band, or its negative inside. So every voxel has the right sign, also far from the surface.
/// Throws: Error invalid_argument for a field that was never made. Otherwise as above.
COPSE_API NanoGrid build_nano_grid(Context& context, const DistanceField& field);

}  // namespace copse
