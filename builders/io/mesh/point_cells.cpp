#include "builders/io/mesh/point_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::detail {

namespace {

/// The part of the bounding box by which triangles are widened. Rounding in turn() moves an edge by far less.
constexpr double slack = 1e-6;

struct Range {
  double lo, hi;
};

struct Edge {
  Point2 lower, upper;
  double slope;  // x per y

  /// Widens a range of x by the part of the edge between two heights.
  void add_part(double low, double high, Range& x) const {
    if (std::max(lower.y, low) > std::min(upper.y, high)) return;
    const double x_low = low > lower.y ? lower.x + (low - lower.y) * slope : lower.x;
    const double x_high = high < upper.y ? lower.x + (high - lower.y) * slope : upper.x;
    x.lo = std::min({x.lo, x_low, x_high});
    x.hi = std::max({x.hi, x_low, x_high});
  }
};

Edge edge(const Point2& p, const Point2& q) {
  const Point2 &lower = p.y < q.y ? p : q, &upper = p.y < q.y ? q : p;
  return {lower, upper, upper.y > lower.y ? (upper.x - lower.x) / (upper.y - lower.y) : 0};
}

}  // namespace

void PointCells::set(std::span<const Point2> points) {
  points_.assign(points.begin(), points.end());
  size_ = std::max(1u, u32(2 * std::sqrt(double(points.size()))));
  const auto [left, right] =
      std::minmax_element(points.begin(), points.end(), [](auto& p, auto& q) { return p.x < q.x; });
  const auto [bottom, top] =
      std::minmax_element(points.begin(), points.end(), [](auto& p, auto& q) { return p.y < q.y; });
  const double width = right->x - left->x, height = top->y - bottom->y;
  left_ = left->x;
  bottom_ = bottom->y;
  columns_per_unit_ = width > 0 ? size_ / width : 0;
  rows_per_unit_ = height > 0 ? size_ / height : 0;
  row_height_ = height / size_;
  slack_x_ = slack * width;
  slack_y_ = slack * height;

  // A counting sort by cell.
  cells_.assign(size_t(size_) * size_, {0, 0});
  for (const Point2& p : points_) ++cell_of(p).end;
  u32 begin = 0;
  for (Cell& cell : cells_) {
    const u32 count = cell.end;
    cell = {begin, begin};
    begin += count;
  }
  items_.resize(points_.size());
  for (u32 i = 0; i < points_.size(); ++i) items_[cell_of(points_[i]).end++] = {points_[i], i};
}

void PointCells::erase(u32 number) {
  Cell& cell = cell_of(points_[number]);
  u32 at = cell.begin;
  while (items_[at].number != number) ++at;
  items_[at] = items_[--cell.end];
}

u32 PointCells::place(double at, double origin, double per_unit) const {
  const double place = (at - origin) * per_unit;
  return place <= 0 ? 0 : std::min(u32(std::min(place, double(size_))), size_ - 1);
}

bool PointCells::has_point_in(const Triangle2& triangle) const {
  const auto [y_min, y_max] = std::minmax({triangle.a.y, triangle.b.y, triangle.c.y});
  const Edge edges[] = {edge(triangle.a, triangle.b), edge(triangle.b, triangle.c), edge(triangle.c, triangle.a)};
  const u32 last_row = row_of(y_max + slack_y_);
  for (u32 row = row_of(y_min - slack_y_); row <= last_row; ++row) {
    // The part of the triangle in this row of cells.
    const double low = bottom_ + row * row_height_ - slack_y_, high = bottom_ + (row + 1) * row_height_ + slack_y_;
    Range x = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const Edge& one : edges) one.add_part(low, high, x);

    const u32 last = row * size_ + column_of(x.hi + slack_x_);
    for (u32 i = row * size_ + column_of(x.lo - slack_x_); i <= last; ++i) {
      for (u32 at = cells_[i].begin; at < cells_[i].end; ++at) {
        if (is_in(triangle, items_[at].point)) return true;
      }
    }
  }
  return false;
}

}  // namespace copse::detail
