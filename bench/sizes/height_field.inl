#include "bench/sizes/height_field_body.h"
#include "primitives/core/bits.h"

namespace copse::bench {

namespace {

/// Returns the height at x of a wave of `count` hills. The hills are parabolas from 0 to 1.
COPSE_HD float hills(float x, float count) {
  const float phase = x * count;
  const float rest = phase - float(u32(phase));
  return 4 * rest * (1 - rest);
}

/// Returns the point of the sheet at a corner of cells.
COPSE_HD vec3 sheet_point(u64 column, u64 row, u64 side) {
  const float x = float(column) / float(side), z = float(row) / float(side);
  const float y =
      0.1f * hills(x, 3) * hills(z, 5) + 0.02f * hills(x, 29) * hills(z, 31) + 0.005f * hills(x + z, 97);
  return vec3(x, y, z);
}

struct FillPosition {
  u64 side;
  vec3* positions;
  COPSE_HD void operator()(u64 i) const { positions[i] = sheet_point(i % (side + 1), i / (side + 1), side); }
};

struct FillTriangle {
  u64 side;
  uvec3* triangles;
  COPSE_HD void operator()(u64 i) const {
    const u64 cell = i / 2;
    const u32 corner = u32(cell / side * (side + 1) + cell % side), above = corner + u32(side) + 1;
    triangles[i] = i % 2 == 0 ? uvec3(corner, above, corner + 1) : uvec3(corner + 1, above, above + 1);
  }
};

/// A row of cells has two rows of corners of its own.
struct FillPartPosition {
  FieldPart part;
  vec3* positions;
  COPSE_HD void operator()(u64 i) const {
    const u64 line = i / (part.columns + 1), column = i % (part.columns + 1);
    positions[i] =
        sheet_point(part.first_column + column, part.first_row + line / 2 * part.row_step + line % 2, part.side);
  }
};

struct FillPartTriangle {
  FieldPart part;
  uvec3* triangles;
  COPSE_HD void operator()(u64 i) const {
    const u64 cell = i / 2 * part.stride % (part.columns * part.rows);
    const u32 width = u32(part.columns) + 1;
    const u32 corner = u32(cell / part.columns) * 2 * width + u32(cell % part.columns), above = corner + width;
    triangles[i] = i % 2 == 0 ? uvec3(corner, above, corner + 1) : uvec3(corner + 1, above, above + 1);
  }
};

}  // namespace

template <class Executor>
void fill_height_field(const Executor& ex, u64 side, u64 triangle_count, vec3* positions, uvec3* triangles) {
  for_each(ex, "bench: positions", (side + 1) * (side + 1), FillPosition{side, positions});
  for_each(ex, "bench: triangles", triangle_count, FillTriangle{side, triangles});
}

template <class Executor>
void fill_field_part(const Executor& ex, const FieldPart& part, vec3* positions, uvec3* triangles) {
  for_each(ex, "bench: positions", part.position_count(), FillPartPosition{part, positions});
  for_each(ex, "bench: triangles", part.triangle_count(), FillPartTriangle{part, triangles});
}

template void fill_field_part(const copse::detail::BodyExecutor&, const FieldPart&, vec3*, uvec3*);
template void fill_height_field(const copse::detail::BodyExecutor&, u64, u64, vec3*, uvec3*);

}  // namespace copse::bench
