#pragma once

// Step 3 of distance fields: which voxels are inside. Each triangle flips one voxel per column along z, the first one
// whose centre is not below it. Then the parity is carried upwards through the bricks of a column. A voxel that is
// flipped is less than a voxel away from the surface, so its brick exists; and between two bricks of a column nothing
// changes.

#include "builders/geometry/triangle_table.h"
#include "builders/grid/distance/field_build.h"
#include "builders/grid/voxels/voxel_triangles.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

/// Signs are found on a lattice with 2^7 units per voxel: products of three coordinates then fit 64 bits.
inline constexpr u32 field_unit_bits = 7;

/// The columns of voxels whose centres are below or above a triangle, in parts of a few rows.
struct FlipFieldVoxels {
  TriangleTable table;
  FieldShape shape;
  BrickPlaces places;
  u32* words;

  COPSE_HD LatticeVertices vertices(u32 primitive) const {
    return LatticeVertices::of(shape.voxels, table.triangle(primitive), field_unit_bits);
  }
  COPSE_HD static LatticeColumns columns_of(const LatticeVertices& v) {
    return {v.a, v.b, v.c, field_unit_bits, EdgeRule::one_side};
  }
  COPSE_HD ColumnParts parts_of(const LatticeVertices& v, const LatticeColumns& columns) const {
    return ColumnParts::of(columns, v.lo(), v.hi(), ivec3(shape.voxels.resolution));
  }

  COPSE_HD u32 operator()(u64 i) const {
    if (is_empty(bounds(table.triangle(u32(i))))) return 0;
    const LatticeVertices v = vertices(u32(i));
    return parts_of(v, columns_of(v)).count();
  }

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    const LatticeVertices v = vertices(u32(i));
    const LatticeColumns columns = columns_of(v);
    const ColumnParts parts = parts_of(v, columns);
    const i32 row_end = parts.row_end(u32(part));
    for (i32 row = parts.row_begin(u32(part)); row < row_end; ++row) {
      const RowRun run = columns.met(parts.first_column, parts.column_count, row);
      for (i32 k = run.begin; k < run.end; ++k) {
        const i32 column = parts.first_column + k;
        flip(u32(column), u32(row), u32(first_centre_from(columns.depth(column, row), field_unit_bits)));
      }
    }
  }

  COPSE_HD void flip(u32 x, u32 y, u32 z) const {
    const u32 place = shape.bricks.cell_id(uvec3(x, y, z) / brick_edge);
    u32* const brick = words + u64{places.brick_at(place)} * brick_words;
    fetch_xor_relaxed(brick + 2 * (z % 8) + y % 8 / 4, 1u << (x % 8 + 8 * (y % 4)));
  }
};

/// Sorts bricks by column, and upwards in each.
struct ColumnKeyOfBrick {
  GridShape bricks;
  const u64* keys;
  COPSE_HD u32 operator()(u64 i) const {
    const uvec3 place = bricks.cell_of(keys[i]);
    return (place.y * bricks.resolution.x + place.x) * bricks.resolution.z + place.z;
  }
};

/// Carries the parity through the bricks of a column, from its lowest brick up.
struct CarryFieldParity {
  FieldBricks bricks;
  u32 column_size;
  COPSE_HD void operator()(u64 i) const {
    const u32 column = bricks.column_keys[i] / column_size;
    if (i > 0 && bricks.column_keys[i - 1] / column_size == column) return;
    u32 low = 0, high = 0;  // of rows 0 to 3, and 4 to 7
    for (u64 k = i; k < bricks.count && bricks.column_keys[k] / column_size == column; ++k) {
      u32* const words = bricks.words + u64{bricks.column_order[k]} * brick_words;
#pragma unroll
      for (u32 z = 0; z < 8; ++z) {
        low ^= words[2 * z], high ^= words[2 * z + 1];
        words[2 * z] = low, words[2 * z + 1] = high;
      }
    }
  }
};

}  // namespace copse::detail
