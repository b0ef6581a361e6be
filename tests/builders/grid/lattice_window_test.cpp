#include "builders/grid/cells/lattice_window.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>
#include <glm/vector_relational.hpp>

#include <random>

#include "tests/builders/grid/lattice_oracle.h"

namespace copse {
namespace {

using detail::CellRange;
using detail::CellUnits;
using detail::LatticeVertices;
using detail::LatticeWindow;

class LatticeWindowTest : public testing::Test {
 protected:
  i32 between(i32 lo, i32 hi) { return std::uniform_int_distribution<i32>(lo, hi)(random_); }
  ivec3 point(const ivec3& lo, i32 size) {
    return lo + ivec3(between(0, size), between(0, size), between(0, size));
  }

  /// Compares all slabs of a range of cells in one window with the slow test of each cell.
  template <class Number>
  void expect_oracle(const LatticeVertices& v, const CellUnits& units, const ivec3& first,
                     const CellRange& range) {
    const LatticeWindow<Number> window(v, units, first, range);
    const std::array<test::LatticePoint, 3> triangle = {test::lattice_point(v.a), test::lattice_point(v.b),
                                                        test::lattice_point(v.c)};
    for (i32 z = range.first.z; z <= range.last.z; ++z) {
      u64 expected = 0;
      for (i32 y = range.first.y; y <= range.last.y; ++y) {
        for (i32 x = range.first.x; x <= range.last.x; ++x) {
          if (!test::touch(triangle, test::cell_box(uvec3(x, y, z), units))) continue;
          expected |= u64{1} << (x - first.x + 8 * (y - first.y));
          ++touched_;
        }
      }
      ASSERT_EQ(window.touched(z - first.z), expected)
          << "(" << v.a.x << " " << v.a.y << " " << v.a.z << ") (" << v.b.x << " " << v.b.y << " " << v.b.z
          << ") (" << v.c.x << " " << v.c.y << " " << v.c.z << "), slab " << z;
    }
  }

  /// The columns of 8 x 8 cells that the range of a triangle begins and ends in, and one between.
  template <class Number>
  void expect_oracle_in_columns(const LatticeVertices& v, const CellUnits& units, const CellRange& all) {
    const ivec3 lo = all.first / 8, hi = all.last / 8, middle = (lo + hi) / 2;
    for (const i32 y : {lo.y, middle.y, hi.y}) {
      for (const i32 x : {lo.x, middle.x, hi.x}) {
        const ivec3 first(x * 8, y * 8, all.first.z);
        expect_oracle<Number>(
            v, units, first,
            {glm::max(all.first, first), glm::min(all.last, ivec3(x * 8 + 7, y * 8 + 7, all.last.z))});
      }
    }
  }

  u64 touched_ = 0;
  std::mt19937 random_{1};
};

constexpr uvec3 resolution(65536);

TEST_F(LatticeWindowTest, HasTheCellsThatNoAxisSeparatesFromSmallTriangles) {
  for (int i = 0; i < 4000; ++i) {
    const CellUnits units{7, i % 2 == 0 ? 0 : 3};
    const ivec3 at = point(ivec3(5000), 1 << 19);
    const i32 size = i % 5 == 0 ? detail::max_window_extent : 1 << between(2, 11);
    const LatticeVertices v{point(at, size), point(at, size), point(at, size)};
    const CellRange all = touching_cells(units, v.lo(), v.hi(), resolution);
    ASSERT_LE(all.last.z - all.first.z, detail::max_window_slabs);
    expect_oracle_in_columns<i32>(v, units, all);
  }
  EXPECT_GT(touched_, 100000u);
}

TEST_F(LatticeWindowTest, IsExactForCornersAndEdgesOnFacesOfCells) {
  for (int i = 0; i < 1500; ++i) {
    const CellUnits units{7, i % 2 == 0 ? 0 : 3};
    LatticeVertices v{point(ivec3(3), 9), point(ivec3(3), 9), point(ivec3(3), 9)};
    for (ivec3* p : {&v.a, &v.b, &v.c}) *p = *p * (i % 4 < 2 ? 128 : 64) + ivec3(i % 3 == 0 ? between(-1, 1) : 0);
    if (i % 7 == 0) v.c = v.b;
    if (i % 7 == 1) v.b = v.c = v.a;
    if (i % 7 == 2) v.a.y = v.b.y = v.c.y;
    const CellRange all = touching_cells(units, v.lo(), v.hi(), resolution);
    expect_oracle_in_columns<i32>(v, units, all);
    expect_oracle_in_columns<i64>(v, units, all);
  }
}

/// Triangles of the largest extent for i32, at the far ends of the longest windows, nearly parallel to faces or
/// along diagonals. There, sums come closest to the limits of i32.
TEST_F(LatticeWindowTest, IsExactForTheLargestOfSmallTriangles) {
  constexpr i32 size = detail::max_window_extent;
  for (int i = 0; i < 1000; ++i) {
    const CellUnits units{7, 0};
    const ivec3 at = point(ivec3(1 << 14), 1 << 12);
    const auto corner = [&] { return at + ivec3(between(0, 1), between(0, 1), between(0, 1)) * size; };
    const auto nudged = [&](const ivec3& p) {
      return glm::clamp(p + ivec3(between(-2, 2), between(-2, 2), between(-2, 2)), at, at + size);
    };
    const LatticeVertices v{nudged(corner()), nudged(corner()), nudged(corner())};
    expect_oracle_in_columns<i32>(v, units, touching_cells(units, v.lo(), v.hi(), resolution));
  }
  EXPECT_GT(touched_, 100000u);
}

/// In windows of 8 slabs, triangles may be as large as the grid.
TEST_F(LatticeWindowTest, HasTheCellsOfHugeTriangles) {
  for (int i = 0; i < 4000; ++i) {
    const CellUnits units{7, 0};
    const i32 end = 65536 << 7;
    const LatticeVertices v{point(ivec3(0), end), point(ivec3(0), end), point(ivec3(0), end)};
    // The window is around a point of the triangle, so that some cells are touched.
    const i64 s = between(0, 1000), t = between(0, 1000 - i32(s));
    const auto mixed = [&](i64 a, i64 b, i64 c) { return i32((a * (1000 - s - t) + b * s + c * t) / 1000); };
    const ivec3 on(mixed(v.a.x, v.b.x, v.c.x), mixed(v.a.y, v.b.y, v.c.y), mixed(v.a.z, v.b.z, v.c.z));
    const ivec3 first = glm::clamp((on >> 7) - between(0, 7), ivec3(0), ivec3(65528));
    const CellRange all = touching_cells(units, v.lo(), v.hi(), resolution);
    const CellRange range{glm::max(all.first, first), glm::min(all.last, first + 7)};
    if (glm::any(glm::greaterThan(range.first, range.last))) continue;
    expect_oracle<i64>(v, units, first, range);
  }
  EXPECT_GT(touched_, 100000u);
}

}  // namespace
}  // namespace copse
