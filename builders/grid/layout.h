#pragma once

// How a uniform grid lies in memory and its cells in space, as builders write it and traversal reads it.

#include "builders/geometry/aabb.h"
#include "primitives/core/bits.h"
#include "primitives/core/span.h"
#include "primitives/hash_view.h"

namespace copse {

using glm::dvec3;
using glm::ivec3;

/// The largest number of cells along an axis, and in all.
inline constexpr u32 max_grid_resolution = 2048;
inline constexpr u64 max_grid_cells = u64{1} << 30;

/// Cells over a box: resolution.x times resolution.y times resolution.z of them, x fastest. Coordinates are in
/// double precision, so that cells are in their exact place over any box of floats, however far from the origin
/// and however large or small.
struct GridShape {
  dvec3 lo;              // the corner of cell (0, 0, 0)
  dvec3 cells_per_unit;  // cells per unit of length, on each axis
  uvec3 resolution;

  COPSE_HD u32 cell_count() const { return resolution.x * resolution.y * resolution.z; }
  COPSE_HD u32 cell_id(const uvec3& cell) const {
    return (cell.z * resolution.y + cell.y) * resolution.x + cell.x;
  }
  COPSE_HD uvec3 cell_at(u32 id) const {
    return uvec3(id % resolution.x, id / resolution.x % resolution.y, id / resolution.x / resolution.y);
  }

  /// The same in 64 bits, for grids of any number of cells.
  COPSE_HD u64 key_of(const uvec3& cell) const {
    return (u64{cell.z} * resolution.y + cell.y) * resolution.x + cell.x;
  }
  COPSE_HD uvec3 cell_of(u64 key) const {
    const u64 row = key / resolution.x;
    return uvec3(u32(key - row * resolution.x), u32(row % resolution.y), u32(row / resolution.y));
  }

  /// Returns a point in units of cells, counted from `lo`.
  COPSE_HD dvec3 to_cells(const vec3& p) const {
    return dvec3(mul_rn(sub_rn(double(p.x), lo.x), cells_per_unit.x),
                 mul_rn(sub_rn(double(p.y), lo.y), cells_per_unit.y),
                 mul_rn(sub_rn(double(p.z), lo.z), cells_per_unit.z));
  }
};

/// Positions of primitives are rounded to units. The edge of a cell has 2^8 of them.
inline constexpr u32 units_per_cell_bits = 8;
inline constexpr i32 units_per_cell = 1 << units_per_cell_bits;

/// A cell lists every primitive that comes within this many units of it: one unit for the rounding of the
/// primitive, and one for the rounding of rays.
inline constexpr i32 cell_padding = 2;

namespace detail {

/// The triangle test moves a hit by less than this share of the distance, both across the ray and along it. It has
/// 20 roundings (trace/hit/intersect.h); 3 more are for their sums.
inline constexpr double triangle_test_error = 23.0 / (1u << 24);

/// The triangle test moves a hit by less than this, if no corner is farther away than `distance` along any axis. The
/// second part is for numbers that underflow; trace/hit/slabs.h derives it.
COPSE_HD inline double thickness_of_rays(double distance) {
  return mul_rn(triangle_test_error, distance) + mul_rn(double(min_denormals), distance + 1);
}

}  // namespace detail

/// The source_count of a grid before its first build.
inline constexpr u64 never_built = ~u64{0};

/// Counts of the last build of a grid. They live on the device.
struct GridCounts {
  u64 reference_count;  // references that all cells need; a lower bound if there is too little room
  u64 stored_count;     // references that are stored: all that are needed, or as many as there is room for
};

/// A uniform grid in the context's memory.
///
/// Cell c lists primitive_ids[cell_begins[c]] up to primitive_ids[cell_begins[c + 1]], ascending.
struct GridView {
  BufferSpan<const GridShape> shape;    // one element
  BufferSpan<const u32> cell_begins;    // cell_count + 1 or more
  BufferSpan<const u32> primitive_ids;  // the lists of the cells, one after the other
  BufferSpan<const GridCounts> counts;  // one element
};

/// A dense grid of bits, one per voxel. Voxels in voxels.h says where each bit is.
struct VoxelView {
  GridShape shape;
  BufferSpan<const u32> words;

  COPSE_HD u64 row_bits() const { return divide_rounding_up(u64{shape.resolution.x}, 32) * 32; }
  COPSE_HD bool is_set(u64 bit) const { return (words.data()[bit / 32] >> (bit % 32) & 1) != 0; }
};

/// A brick is a cube with this many voxels along each edge: 512 bits in 16 words.
inline constexpr u32 brick_edge = 8;
inline constexpr u32 brick_words = brick_edge * brick_edge * brick_edge / 32;

/// A hash table from the keys of bricks to their numbers. Grids of up to 2^32 places have keys of 32 bits in it: an
/// element then has 8 bytes in place of 16.
struct BrickTableView {
  HashView<u32, u32> narrow;
  HashView<u64, u32> wide;
  bool is_wide = false;

  COPSE_HD FindResult<u32> find(u64 key) const { return is_wide ? wide.find(key) : narrow.find(u32(key)); }
  COPSE_HD InsertResult insert(u64 key, u32 brick) const {
    return is_wide ? wide.insert(key, brick) : narrow.insert(u32(key), brick);
  }
};

/// Bits of voxels in sparse bricks. Bricks in bricks.h says where each bit is.
struct BrickView {
  GridShape shape;       // of the voxels
  GridShape places;      // of the bricks: its cells are bricks
  BrickTableView table;  // from the keys of places to bricks
  BufferSpan<const u32> words;

  /// Returns the words of the brick at a place, or null if there is none.
  COPSE_HD const u32* brick_at(u64 place) const {
    const auto found = table.find(place);
    return found.found && u64{found.value} * brick_words < words.size()
               ? words.data() + u64{found.value} * brick_words
               : nullptr;
  }
};

namespace detail {

/// The bricks of a build, one after the other, as far as octrees and grids of NanoVDB need them.
struct BrickArrays {
  GridShape places;
  const u64* keys;
  const u32* words;
  u64 count;
};

}  // namespace detail

}  // namespace copse
