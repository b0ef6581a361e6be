#pragma once

// Triangles over sparse bricks, in parts of about equal work. A small triangle has a part for each column of
// bricks along z that it may touch; the part voxelises it slab by slab. A large triangle has several parts for
// each slab of bricks; they share the rows of the slab, and the bricks of a row if rows are long.

#include "builders/geometry/triangle_table.h"
#include "builders/grid/bricks.h"
#include "builders/grid/cells/cell_parts.h"
#include "builders/grid/cells/lattice_window.h"
#include "builders/grid/voxels/voxel_triangles.h"

namespace copse::detail {

/// Bricks and voxels are found on one lattice. It has 2^7 units per voxel, and 8 times as many per brick.
inline constexpr u32 units_per_voxel_bits = 7;
inline constexpr u32 units_per_brick_bits = units_per_voxel_bits + 3;

/// The grids of voxels and of bricks, and the layers of bricks that are built at a time. A place is a brick of these
/// layers; places are numbered as bricks are, from the first of the layers on.
struct BrickShapes {
  GridShape voxels, bricks;
  u32 first_layer, layer_count;

  COPSE_HD u64 first_key() const { return bricks.key_of(uvec3(0, 0, first_layer)); }
  COPSE_HD u64 place_count() const { return u64{bricks.resolution.x} * bricks.resolution.y * layer_count; }
  COPSE_HD u32 place_of(const uvec3& brick) const {
    return bricks.cell_id(uvec3(brick.x, brick.y, brick.z - first_layer));
  }
  COPSE_HD uvec3 brick_at(u32 place) const { return bricks.cell_at(place) + uvec3(0, 0, first_layer); }
  COPSE_HD BrickShapes of_layers(u32 first, u32 count) const { return {voxels, bricks, first, count}; }
};

/// The memory of bricks, as the builder writes it.
struct BricksToFill {
  BrickShapes shapes;  // with all layers to build
  u32 layers_at_once;
  u64* keys;
  u32* words;
  u64 brick_capacity;
  BrickTableView table;
  bool has_table;
  BrickCounts* counts;
};

/// How many parts a triangle has, and of which kind.
struct BrickParts {
  static constexpr u32 large_bit = u32{1} << 31;
  static constexpr u32 left_out_code = ~u32{0};

  u32 code;

  COPSE_HD static BrickParts none() { return {0}; }
  COPSE_HD static BrickParts small(u32 count) { return {count}; }
  COPSE_HD static BrickParts large(u32 count) { return {large_bit | count}; }
  /// For a triangle that reaches beyond the grid.
  COPSE_HD static BrickParts left_out() { return {left_out_code}; }

  COPSE_HD bool is_left_out() const { return code == left_out_code; }
  COPSE_HD u32 small_count() const { return (code & large_bit) == 0 ? code : 0; }
  COPSE_HD u32 large_count() const { return (code & large_bit) != 0 && !is_left_out() ? code & ~large_bit : 0; }
};

/// A run of places in a row: `count` of them from `place` on, `stride` apart.
struct BrickRun {
  u32 place, stride, count;
};

struct BrickTriangles {
  TriangleTable table;
  BrickShapes shapes;

  COPSE_HD static constexpr CellUnits voxel_units() { return {units_per_voxel_bits, 0}; }
  COPSE_HD static constexpr CellUnits brick_units() { return {units_per_brick_bits, 0}; }

  COPSE_HD LatticeVertices vertices(u32 primitive) const {
    return LatticeVertices::of(shapes.voxels, table.triangle(primitive), units_per_voxel_bits);
  }
  /// The voxels and the bricks of the layers that the triangle's box touches. The range may be empty across z.
  COPSE_HD CellRange voxels(const LatticeVertices& v) const {
    return in_layers(touching_cells(voxel_units(), v.lo(), v.hi(), shapes.voxels.resolution), i32(brick_edge));
  }
  COPSE_HD CellRange bricks(const LatticeVertices& v) const { return in_layers(all_bricks(v), 1); }

  COPSE_HD BrickParts parts(u32 primitive) const {
    const VoxelTriangles triangles{table, shapes.voxels};
    if (!triangles.is_valid(primitive)) return BrickParts::none();
    if (triangles.reaches_out(primitive)) return BrickParts::left_out();
    const LatticeVertices v = vertices(primitive);
    const CellRange range = bricks(v);
    if (range.first.z > range.last.z) return BrickParts::none();
    if (is_small(v)) {
      const ivec3 size = range.last - range.first + 1;
      return BrickParts::small(u32(size.x * size.y));
    }
    return BrickParts::large(LargeTriangle(v, range, all_bricks(v)).part_count());
  }

  /// Calls visit(place) for the bricks that a small triangle touches.
  template <class Visit>
  COPSE_HD void visit_small(u32 primitive, const Visit& visit) const {
    const LatticeVertices v = vertices(primitive);
    const CellRange range = bricks(v);
    const LatticeWindow<i32> window(v, brick_units(), range.first, range);
    for (i32 z = range.first.z; z <= range.last.z; ++z) {
      for (u64 left = window.touched(z - range.first.z); left != 0; left &= left - 1) {
        const i32 bit = 63 - i32(leading_zeros(left & (~left + 1)));
        visit(shapes.place_of(uvec3(range.first.x + bit % window_edge, range.first.y + bit / window_edge, z)));
      }
    }
  }

  /// Calls visit(BrickRun) for the bricks that a large triangle touches, in one of its parts.
  template <class Visit>
  COPSE_HD void visit_large(const LatticeVertices& v, u32 part, const Visit& visit) const {
    const LargeTriangle large(v, bricks(v), all_bricks(v));
    const CellParts& range = large.range;
    const uvec3 strides = cell_strides(shapes.bricks, range.axes);
    const u32 piece = part % large.pieces_per_row, first_row = part / large.pieces_per_row % large.rows_at_once;
    const i32 slab = i32(part / large.pieces_per_row / large.rows_at_once), across = range.first.z + slab;
    const RowRun rows = large.triangle.touched_rows(range.first.y, range.size.y, across);
    for (i32 row = rows.begin + i32(first_row); row < rows.end; row += i32(large.rows_at_once)) {
      RowRun run = large.triangle.touched(range.first.x, range.size.x, range.first.y + row, across);
      large.leave_piece(run, piece);
      if (run.is_empty()) continue;
      // The ids of bricks may be past 2^32, but the difference is not.
      const CellRun cells = cell_run(strides, range, run, row, slab);
      visit(BrickRun{cells.id - u32(shapes.first_key()), cells.stride, cells.count});
    }
  }

  /// Calls visit(place of a brick, slab in the brick, bits of voxels) for the voxels of a small triangle in column
  /// `part`.
  template <class Visit>
  COPSE_HD void visit_voxels(u32 primitive, u32 part, Visit& visit) const {
    const LatticeVertices v = vertices(primitive);
    const CellRange all = voxels(v), places = bricks(v);
    const i32 row_size = places.last.x - places.first.x + 1;
    const uvec3 place(places.first.x + i32(part) % row_size, places.first.y + i32(part) / row_size, 0);
    const CellRange range = within(all, place, all.first.z, all.last.z);
    const ivec3 first(i32(place.x) * window_edge, i32(place.y) * window_edge, all.first.z);
    const LatticeWindow<i32> window(v, voxel_units(), first, range);
    for (i32 z = all.first.z; z <= all.last.z; ++z) {
      const u64 bits = window.touched(z - all.first.z);
      if (bits != 0) visit(uvec3(place.x, place.y, u32(z) / brick_edge), u32(z) % brick_edge, bits);
    }
  }

  /// Does the same for a brick that a triangle touches.
  template <class Visit>
  COPSE_HD void visit_brick(const LatticeVertices& v, const uvec3& place, Visit& visit) const {
    const CellRange all = voxels(v);
    const ivec3 first = ivec3(place) * i32(brick_edge);
    const CellRange range = within(all, place, larger(all.first.z, first.z), smaller(all.last.z, first.z + 7));
    const LatticeWindow<i64> window(v, voxel_units(), first, range);
    for (i32 slab = range.first.z - first.z; slab <= range.last.z - first.z; ++slab) {
      const u64 bits = window.touched(slab);
      if (bits != 0) visit(place, u32(slab), bits);
    }
  }

 private:
  struct LargeTriangle {
    static constexpr u32 max_rows_at_once = 512;
    static constexpr i32 piece_size = 64;

    CellParts range;
    LatticeTriangle<i64> triangle;
    u32 rows_at_once;  // parts that take the rows of a slab in turn
    u32 pieces_per_row;

    ///   all: the bricks of the triangle in all layers; they choose the axes, since longest_run needs it so
    COPSE_HD LargeTriangle(const LatticeVertices& v, const CellRange& bricks, const CellRange& all)
        : LargeTriangle(v, CellParts::of(bricks, RowAxes::min_rows(all.last - all.first + 1))) {}
    COPSE_HD LargeTriangle(const LatticeVertices& v, const CellParts& parts)
        : range(parts),
          triangle(parts.axes.order(v.a), parts.axes.order(v.b), parts.axes.order(v.c), brick_units()),
          rows_at_once(smaller(u32(parts.size.y), max_rows_at_once)) {
      const float longest = min_number(triangle.longest_run(), float(parts.size.x));
      pieces_per_row = 1 + u32(longest) / u32(piece_size);
    }

    COPSE_HD u32 part_count() const { return u32(range.size.z) * rows_at_once * pieces_per_row; }

    /// Cuts the run to a piece. The last piece takes the rest, in case a run is longer than expected.
    COPSE_HD void leave_piece(RowRun& run, u32 piece) const {
      run.begin += i32(piece) * piece_size;
      if (piece + 1 < pieces_per_row) run.end = smaller(run.end, run.begin + piece_size);
    }
  };

  COPSE_HD static bool is_small(const LatticeVertices& v) {
    const ivec3 size = v.hi() - v.lo();
    return larger(size.x, larger(size.y, size.z)) <= max_window_extent;
  }

  COPSE_HD CellRange all_bricks(const LatticeVertices& v) const {
    return touching_cells(brick_units(), v.lo(), v.hi(), shapes.bricks.resolution);
  }

  /// Returns the part of a range that lies in the layers.
  ///   edge: cells of the range along the edge of a brick
  COPSE_HD CellRange in_layers(CellRange range, i32 edge) const {
    const i32 first = i32(shapes.first_layer) * edge, end = first + i32(shapes.layer_count) * edge;
    range.first.z = larger(range.first.z, first);
    range.last.z = smaller(range.last.z, end - 1);
    return range;
  }

  /// Returns the part of a range that lies in the columns of a brick.
  COPSE_HD static CellRange within(const CellRange& all, const uvec3& place, i32 first_z, i32 last_z) {
    const i32 x = i32(place.x) * window_edge, y = i32(place.y) * window_edge;
    return {ivec3(larger(all.first.x, x), larger(all.first.y, y), first_z),
            ivec3(smaller(all.last.x, x + window_edge - 1), smaller(all.last.y, y + window_edge - 1), last_z)};
  }
};

}  // namespace copse::detail
