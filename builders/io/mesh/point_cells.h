#pragma once

#include <span>
#include <vector>

#include "primitives/core/types.h"

namespace copse::detail {

struct Point2 {
  double x, y;
};

struct Triangle2 {
  Point2 a, b, c;
};

/// Returns twice the area of a triangle, positive if it turns to the left.
inline double turn(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

inline bool is_same(const Point2& p, const Point2& q) {
  return p.x == q.x && p.y == q.y;
}

/// True if p is in a triangle that turns to the left, or on an edge, but is none of its corners.
inline bool is_in(const Triangle2& t, const Point2& p) {
  const bool is_between = turn(t.a, t.b, p) >= 0 && turn(t.b, t.c, p) >= 0 && turn(t.c, t.a, p) >= 0;
  return is_between && !is_same(p, t.a) && !is_same(p, t.b) && !is_same(p, t.c);
}

/// Points in the cells of a grid over their bounding box, about one per cell, so that a triangle is compared only with
/// the points that are near.
class PointCells {
 public:
  /// Takes all points, which must be finite.
  void set(std::span<const Point2> points);

  /// Removes points[number], which must be there.
  void erase(u32 number);

  /// True if is_in(triangle, p) for a point p that is there.
  bool has_point_in(const Triangle2& triangle) const;

 private:
  struct Item {
    Point2 point;
    u32 number;
  };
  struct Cell {
    u32 begin, end;  // in items_
  };

  u32 column_of(double x) const { return place(x, left_, columns_per_unit_); }
  u32 row_of(double y) const { return place(y, bottom_, rows_per_unit_); }
  u32 place(double at, double origin, double per_unit) const;
  Cell& cell_of(const Point2& p) { return cells_[row_of(p.y) * size_ + column_of(p.x)]; }

  u32 size_ = 0;  // of rows and columns
  double left_ = 0, bottom_ = 0;
  double columns_per_unit_ = 0, rows_per_unit_ = 0;
  double row_height_ = 0;
  double slack_x_ = 0, slack_y_ = 0;
  std::vector<Cell> cells_;
  std::vector<Item> items_;
  std::vector<Point2> points_;
};

}  // namespace copse::detail
