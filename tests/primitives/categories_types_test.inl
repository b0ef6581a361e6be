// Puts a record into several categories: expand and split bring each triangle to all cells of a grid that it
// touches.

#include <algorithm>
#include <random>

#include "primitives/core/bits.h"
#include "primitives/inputs.h"
#include "tests/support/body_test.h"

namespace copse::detail {
namespace {

struct Point {
  i64 x, y;
};
struct FlatTriangle {
  Point corners[3];
};

/// Square cells of width `size`, row by row from the origin. There are `side` rows of `side` cells. A cell
/// includes its border.
struct Cells {
  i64 size;
  u32 side;

  COPSE_HD Point lowest_corner(u32 cell) const { return {size * (cell % side), size * (cell / side)}; }
  u32 count() const { return side * side; }
};

struct Extent {
  i64 lo, hi;
};
/// Returns the extent of the triangle along a direction.
COPSE_HD inline Extent extent_along(const FlatTriangle& t, i64 x, i64 y) {
  Extent extent{t.corners[0].x * x + t.corners[0].y * y, t.corners[0].x * x + t.corners[0].y * y};
  for (u32 k = 1; k < 3; ++k) {
    const i64 at = t.corners[k].x * x + t.corners[k].y * y;
    extent = {smaller(extent.lo, at), larger(extent.hi, at)};
  }
  return extent;
}
/// Returns the extent of a cell along a direction.
COPSE_HD inline Extent extent_along(const Point& lowest, i64 size, i64 x, i64 y) {
  const i64 at = lowest.x * x + lowest.y * y;
  return {at + size * (smaller(x, i64{0}) + smaller(y, i64{0})),
          at + size * (larger(x, i64{0}) + larger(y, i64{0}))};
}

/// Tests by separating axes: if two convex shapes are apart, they lie on different sides of an edge of one of
/// them. All arithmetic is in integers.
COPSE_HD inline bool touches(const FlatTriangle& t, const Point& lowest, i64 size) {
  Point normals[5] = {{1, 0}, {0, 1}, {}, {}, {}};
  for (u32 k = 0; k < 3; ++k) {
    const Point from = t.corners[k], to = t.corners[(k + 1) % 3];
    normals[2 + k] = {from.y - to.y, to.x - from.x};
  }
  for (const Point& normal : normals) {
    const Extent of_triangle = extent_along(t, normal.x, normal.y);
    const Extent of_cell = extent_along(lowest, size, normal.x, normal.y);
    if (of_triangle.hi < of_cell.lo || of_cell.hi < of_triangle.lo) return false;
  }
  return true;
}

/// Returns how many cells a triangle touches.
struct CountTouched {
  const FlatTriangle* triangles;
  Cells cells;

  COPSE_HD u32 operator()(u64 i) const {
    u32 count = 0;
    for (u32 cell = 0; cell < cells.side * cells.side; ++cell) {
      count += touches(triangles[i], cells.lowest_corner(cell), cells.size) ? 1 : 0;
    }
    return count;
  }
};

struct Reference {
  u32 cell, triangle;
  bool operator==(const Reference&) const = default;
};

/// Stores the k-th cell that triangle i touches.
struct StoreTouched {
  const FlatTriangle* triangles;
  Cells cells;
  Reference* references;

  COPSE_HD void operator()(u64 i, u64 k, u64 slot) const {
    u32 cell = 0;
    for (u64 left = k + 1;; ++cell) {
      if (touches(triangles[i], cells.lowest_corner(cell), cells.size) && --left == 0) break;
    }
    references[slot] = {cell, u32(i)};
  }
};

struct CellOfReference {
  COPSE_HD u32 operator()(const Reference& reference) const { return reference.cell; }
};

// The oracle uses no separating axes. If two shapes touch, one has a corner inside the other, or their edges
// cross.

i64 turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
bool between(const Point& p, const Point& a, const Point& b) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}
int sign_of(i64 value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
bool edges_touch(const Point& a, const Point& b, const Point& c, const Point& d) {
  const int abc = sign_of(turn(a, b, c)), abd = sign_of(turn(a, b, d));
  const int cda = sign_of(turn(c, d, a)), cdb = sign_of(turn(c, d, b));
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && between(c, a, b)) || (abd == 0 && between(d, a, b)) || (cda == 0 && between(a, c, d)) ||
         (cdb == 0 && between(b, c, d));
}
bool is_inside(const Point& p, const FlatTriangle& t) {
  const auto& [a, b, c] = t.corners;
  const int turns[] = {sign_of(turn(a, b, p)), sign_of(turn(b, c, p)), sign_of(turn(c, a, p))};
  return *std::min_element(turns, turns + 3) >= 1 || *std::max_element(turns, turns + 3) <= -1;
}
bool slowly_touches(const FlatTriangle& t, const Point& lowest, i64 size) {
  const Point square[4] = {
      lowest, {lowest.x + size, lowest.y}, {lowest.x + size, lowest.y + size}, {lowest.x, lowest.y + size}};
  for (const Point& corner : t.corners) {
    if (between(corner, square[0], square[2])) return true;
  }
  for (const Point& corner : square) {
    if (is_inside(corner, t)) return true;
  }
  for (u32 j = 0; j < 3; ++j) {
    for (u32 k = 0; k < 4; ++k) {
      if (edges_touch(t.corners[j], t.corners[(j + 1) % 3], square[k], square[(k + 1) % 4])) return true;
    }
  }
  return false;
}

FlatTriangle random_triangle(std::mt19937& random, i64 extent, i64 size) {
  const auto within = [&](i64 lo, i64 hi) { return lo + i64(random() % u32(hi - lo + 1)); };
  const Point at{within(-size, extent), within(-size, extent)};
  FlatTriangle t;
  for (Point& corner : t.corners) corner = {at.x + within(0, size), at.y + within(0, size)};
  return t;
}

template <class Executor>
class Categories : public test::BodyTest<Executor> {
 protected:
  void expect_lists(const std::vector<FlatTriangle>& host, const Cells& cells) {
    std::vector<Reference> expected;
    std::vector<u64> expected_begins;
    for (u32 cell = 0; cell < cells.count(); ++cell) {
      expected_begins.push_back(expected.size());
      for (u32 i = 0; i < host.size(); ++i) {
        if (slowly_touches(host[i], cells.lowest_corner(cell), cells.size)) expected.push_back({cell, i});
      }
    }
    expected_begins.push_back(expected.size());

    const auto& ex = this->executor();
    const Buffer<FlatTriangle> triangles(this->context(), host);
    Buffer<u64> total(this->context(), 1), begins(this->context(), cells.count() + 1);
    const CountTouched count{triangles.data(), cells};
    u64* const no_offsets = nullptr;
    expand(ex, "count references", host.size(), count, StoreTouched{triangles.data(), cells, nullptr}, 0,
           no_offsets, total.data());
    const u64 reference_count = total.download()[0];
    ASSERT_EQ(reference_count, expected.size());

    Buffer<Reference> references(this->context(), reference_count), by_cell(this->context(), reference_count);
    expand(ex, "store references", host.size(), count, StoreTouched{triangles.data(), cells, references.data()},
           reference_count, no_offsets, total.data());
    split(ex, "references to cells", reference_count, Elements<Reference>{references.data()}, CellOfReference{},
          cells.count(), by_cell.data(), begins.data());
    EXPECT_EQ(by_cell.download(), expected);
    EXPECT_EQ(begins.download(), expected_begins);
  }
};

TYPED_TEST_SUITE(Categories, TheBackend, BackendName);

TYPED_TEST(Categories, EveryCellListsTheTrianglesThatTouchItInOrder) {
  std::mt19937 random(21);
  const Cells few{64, 4}, many{16, 18};
  for (u64 n : {0, 1, 2, 33, 300}) {
    std::vector<FlatTriangle> small(n), large(n);
    for (FlatTriangle& t : small) t = random_triangle(random, 256, 30);
    for (FlatTriangle& t : large) t = random_triangle(random, 256, 300);
    for (const Cells& cells : {few, many}) {
      this->expect_lists(small, cells);
      this->expect_lists(large, cells);
    }
  }
}

TYPED_TEST(Categories, TrianglesMayTouchNoCellOrAll) {
  const Cells cells{10, 17};
  const FlatTriangle around{{{-1000, -1000}, {2000, -1000}, {-1000, 2000}}};
  const FlatTriangle outside{{{-50, -50}, {-1, 300}, {-20, 20}}};
  const FlatTriangle corner{{{20, 30}, {20, 30}, {20, 30}}};      // a point where four cells meet
  const FlatTriangle diagonal{{{0, 0}, {170, 170}, {170, 170}}};  // through corners of cells
  this->expect_lists(std::vector<FlatTriangle>(100, outside), cells);
  this->expect_lists(std::vector<FlatTriangle>(20, around), cells);
  std::vector<FlatTriangle> mixed(500, outside);
  mixed[7] = mixed[499] = around;
  mixed[8] = corner;
  mixed[300] = diagonal;
  this->expect_lists(mixed, cells);
}

}  // namespace
}  // namespace copse::detail
