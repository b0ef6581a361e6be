#include "builders/grid/cells/lattice_triangle.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include <random>

#include "builders/grid/cells/cell_parts.h"
#include "tests/builders/grid/lattice_oracle.h"

namespace copse {
namespace {

using detail::CellParts;
using detail::CellRun;
using detail::CellUnits;
using detail::LatticeTriangle;
using detail::RowAxes;
using test::touched_cells;
using Vertices = std::array<ivec3, 3>;

struct CollectCells {
  std::vector<u32> cells;
  void operator()(const CellRun& run) {
    for (u32 k = 0; k < run.count; ++k) cells.push_back(run.id + k * run.stride);
  }
};

template <class Number>
detail::RowsOfTriangle<Number> rows_of(const Vertices& v, const CellParts& parts, const CellUnits& units) {
  const RowAxes& axes = parts.axes;
  return {{axes.order(v[0]), axes.order(v[1]), axes.order(v[2]), units}, parts.first.x, parts.size.x};
}

/// Finds the cells row by row, without the short cut for chains of cells.
std::vector<u32> cells_by_rows(const GridShape& grid, const Vertices& v, const CellUnits& units, bool along_x) {
  ivec3 lo = v[0], hi = v[0];
  for (const ivec3& p : v) {
    for (int k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], p[k]);
      hi[k] = std::max(hi[k], p[k]);
    }
  }
  const detail::CellRange range = detail::touching_cells(units, lo, hi, grid.resolution);
  const ivec3 size = range.last - range.first + 1;
  const RowAxes axes = along_x ? RowAxes::along_x(size) : RowAxes::min_rows(size);
  const CellParts parts = CellParts::of(range, axes);
  CollectCells collect;
  for (u32 part = 0; part < parts.count(); ++part) {
    for (i32 share = 0; share < 3; ++share) {
      const detail::PartRows rows{part, share, 3};
      if (parts.is_small(units) && !along_x) {
        visit_rows(grid, parts, rows, rows_of<i32>(v, parts, units), collect);
      } else {
        visit_rows(grid, parts, rows, rows_of<i64>(v, parts, units), collect);
      }
    }
  }
  EXPECT_GE(collect.cells.size(), parts.count()) << "a part without cells";
  if (parts.is_chain()) {
    EXPECT_EQ(collect.cells.size(), u64(size.x) * size.y * size.z) << "a chain of cells that are not all touched";
  }
  std::sort(collect.cells.begin(), collect.cells.end());
  return collect.cells;
}

class LatticeTriangleTest : public testing::Test {
 protected:
  i32 below(i32 n) { return std::uniform_int_distribution<i32>(0, n - 1)(random_); }
  ivec3 point(const uvec3& size) {
    return ivec3(below(i32(size.x) + 1), below(i32(size.y) + 1), below(i32(size.z) + 1));
  }

  void expect_oracle(const Vertices& v, const CellUnits& units) {
    const std::vector<u32> expected = touched_cells(grid_, v, units);
    expect_rows_have_all(v, units);
    for (const bool along_x : {false, true}) {
      ASSERT_EQ(cells_by_rows(grid_, v, units, along_x), expected)
          << "(" << v[0].x << " " << v[0].y << " " << v[0].z << ") (" << v[1].x << " " << v[1].y << " " << v[1].z
          << ") (" << v[2].x << " " << v[2].y << " " << v[2].z << "), along x " << along_x;
    }
  }

  /// Rows outside those of their slab have no cells, and none has more cells than a row can.
  void expect_rows_have_all(const Vertices& v, const CellUnits& units) {
    const detail::LatticeVertices box{v[0], v[1], v[2]};
    const detail::CellRange range = detail::touching_cells(units, box.lo(), box.hi(), grid_.resolution);
    const CellParts parts = CellParts::of(range, RowAxes::min_rows(range.last - range.first + 1));
    const LatticeTriangle<i64> triangle = rows_of<i64>(v, parts, units).triangle;
    for (i32 slab = parts.first.z; slab < parts.first.z + parts.size.z; ++slab) {
      const detail::RowRun rows = triangle.touched_rows(parts.first.y, parts.size.y, slab);
      for (i32 row = 0; row < parts.size.y; ++row) {
        const detail::RowRun run = triangle.touched(parts.first.x, parts.size.x, parts.first.y + row, slab);
        if (run.is_empty()) continue;
        ASSERT_TRUE(rows.begin <= row && row < rows.end) << "row " << row << " of slab " << slab;
        ASSERT_LE(float(run.end - run.begin), triangle.longest_run() + 1) << "row " << row << " of slab " << slab;
      }
    }
  }

  GridShape grid_{dvec3(0), dvec3(1), uvec3(7, 6, 9)};
  std::mt19937 random_{1};
};

constexpr CellUnits no_padding{8, 0};

TEST_F(LatticeTriangleTest, TouchesTheCellsThatNoAxisSeparatesFromIt) {
  const uvec3 size = grid_.resolution << 8u;
  for (int i = 0; i < 3000; ++i) {
    const Vertices v = {point(size), point(size), point(size)};
    expect_oracle(v, i % 2 == 0 ? no_padding : detail::grid_units());
  }
}

TEST_F(LatticeTriangleTest, IsExactForCornersAndEdgesOnFacesOfCells) {
  for (int i = 0; i < 3000; ++i) {
    Vertices v = {point(grid_.resolution), point(grid_.resolution), point(grid_.resolution)};
    for (ivec3& p : v) p = p * (i % 2 == 0 ? 256 : 128) + ivec3(i % 3 == 0 ? below(3) - 1 : 0);
    for (ivec3& p : v) p = glm::clamp(p, ivec3(0), ivec3(grid_.resolution << 8u));
    expect_oracle(v, i % 4 < 2 ? no_padding : detail::grid_units());
  }
}

TEST_F(LatticeTriangleTest, IsExactForLinesPointsAndFlatTriangles) {
  const uvec3 size = grid_.resolution << 8u;
  for (int i = 0; i < 2000; ++i) {
    Vertices v = {point(size), point(size), point(size)};
    if (i % 4 == 0) v[2] = v[1];
    if (i % 4 == 1) v[1] = v[2] = v[0];
    if (i % 4 == 2) v[1] = (v[0] + v[2]) / 2, v[0] = 2 * v[1] - v[2];
    if (i % 4 == 3) {
      const int axis = below(3);
      for (ivec3& p : v) p[axis] = v[0][axis] / 256 * 256;
    }
    for (ivec3& p : v) p = glm::clamp(p, ivec3(0), ivec3(size));
    expect_oracle(v, i % 8 < 4 ? no_padding : detail::grid_units());
  }
}

TEST_F(LatticeTriangleTest, IsExactForSmallTriangles) {
  const uvec3 size = grid_.resolution << 8u;
  for (int i = 0; i < 3000; ++i) {
    const ivec3 at = point(size);
    const i32 reach = 2 << below(9);
    Vertices v;
    for (ivec3& p : v) {
      p = glm::clamp(at + ivec3(below(reach), below(reach), below(reach)) - reach / 2, ivec3(0), ivec3(size));
    }
    expect_oracle(v, i % 2 == 0 ? no_padding : detail::grid_units());
  }
}

/// Products of coordinates come close to the range of 32 bits.
TEST_F(LatticeTriangleTest, IsTheSameInBothNumbersForTheLargestOfSmallExtents) {
  for (int i = 0; i < 2000; ++i) {
    const CellUnits units = i % 2 == 0 ? no_padding : detail::grid_units();
    // Corners of the largest range, and points near them.
    const i32 cells = detail::max_small_extent / units.width(), end = cells << units.bits;
    const ivec3 at = ivec3(below(1 << 18)) + 512;
    const auto corner = [&] { return ivec3(below(2), below(2), below(2)) * (end - 600) + below(300); };
    Vertices v{at + corner(), at + corner(), at + corner()};
    if (i % 3 == 0) v[1] = at + ivec3(below(end - 600), below(end - 600), below(end - 600));
    const detail::LatticeVertices box{v[0], v[1], v[2]};
    const detail::CellRange range = detail::touching_cells(units, box.lo(), box.hi(), uvec3(2048));
    const CellParts parts = CellParts::of(range, RowAxes::min_rows(range.last - range.first + 1));
    ASSERT_TRUE(parts.has_small_extent(units));
    for (u32 part = 0; part < parts.count(); ++part) {
      CollectCells small, large;
      visit_rows(grid_, parts, {part}, rows_of<i32>(v, parts, units), small);
      visit_rows(grid_, parts, {part}, rows_of<i64>(v, parts, units), large);
      ASSERT_EQ(small.cells, large.cells);
    }
  }
}

/// Products of coordinates come close to the range of 64 bits.
TEST(LatticeTriangleOfFullResolution, KeepsRowsThatAreTouched) {
  const i32 end = 2048 << 8;
  const Vertices v = {ivec3(0), ivec3(end, end, 0), ivec3(end, 0, end)};
  const LatticeTriangle<i64> triangle(v[0], v[1], v[2], no_padding);
  // On the plane x = y + z: in row (y, z) the cells from y + z - 1 to y + z + 2, as far as they exist.
  for (i32 y = 0; y < 2048; y += 89) {
    for (i32 z = 0; z < 2048; z += 61) {
      const detail::RowRun run = triangle.touched(0, 2048, y, z);
      const i32 first = std::max(y + z - 1, 0), last = std::min(y + z + 2, 2047);
      if (first > last) {
        EXPECT_TRUE(run.is_empty()) << y << " " << z;
      } else {
        EXPECT_EQ(run.begin, first) << y << " " << z;
        EXPECT_EQ(run.end, last + 1) << y << " " << z;
      }
    }
  }
}

/// The plane's values over 8192 bricks of 1024 units pass the range of 64 bits, so they are divided before they are
/// added. The cells around both ends of each run are compared with the slow test, which uses 128 bits.
TEST(LatticeTriangleOfFullResolution, IsExactWherePlanesNeed72Bits) {
  std::mt19937 random(7);
  const CellUnits units{10, 0};
  std::uniform_int_distribution<i32> anywhere(0, 65536 << 7), shift(-3, 3);
  u64 cell_count = 0;
  for (int i = 0; i < 3000; ++i) {
    Vertices v;
    for (ivec3& p : v) p = ivec3(anywhere(random), anywhere(random), anywhere(random));
    const LatticeTriangle<i64> triangle(v[0], v[1], v[2], units);
    const std::array<test::LatticePoint, 3> points = {test::lattice_point(v[0]), test::lattice_point(v[1]),
                                                      test::lattice_point(v[2])};
    const ivec3 cell = (v[0] / 3 + v[1] / 3 + v[2] / 3) / 1024;
    const i32 y = cell.y + shift(random), z = cell.z + shift(random);
    const detail::RowRun run = triangle.touched(0, 8192, y, z);
    for (const i32 end : {run.begin, run.end, cell.x}) {
      for (i32 x = std::max(end - 2, 0); x < std::min(end + 2, 8192); ++x) {
        const bool is_in_run = x >= run.begin && x < run.end;
        ASSERT_EQ(is_in_run, test::touch(points, test::cell_box(uvec3(x, y, z), units)))
            << x << " " << y << " " << z;
        cell_count += is_in_run;
      }
    }
  }
  EXPECT_GT(cell_count, 5000u);
}

}  // namespace
}  // namespace copse
