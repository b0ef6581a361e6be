#pragma once

// The points of a hash grid that are near a point, for the host and for kernels, with nothing else to link.
//
//   copse::for_each_within(grid.view(), point, radius, visit);   // bool visit(const GridPoint&, float square)
//   copse::u32 count = copse::count_within(grid.view(), point, radius);
//   copse::u32 found = copse::k_nearest_points(grid.view(), point, copse::infinity, k, neighbours);
//
// For batches: queries/point_neighbours.h.

#include "queries/k_nearest.h"
#include "queries/near_cells.h"
#include "queries/neighbours/near_shells.h"

namespace copse {

/// One of the nearest points. If there is none, point is invalid_id and distance is infinite.
struct PointNeighbour {
  float distance;
  u32 point;  // its number among the points that the structure was built over

  COPSE_HD static PointNeighbour none() { return {infinity, invalid_id}; }
  /// The smaller one comes first at equal distances.
  COPSE_HD u32 tie_id() const { return point; }
};

static_assert(sizeof(PointNeighbour) == 8);

namespace detail {

/// Tests the points of a row of cells, or of all cells, and passes those within a limit to `visit`.
template <class Visit>
struct VisitWithin {
  const HashGridShape& shape;
  vec3 from;
  float limit;
  Visit& visit;
  CellRow row;
  bool checks_cells;  // true if points of other cells may be tested too

  COPSE_HD bool operator()(const GridPoint& point) {
    const float square = near_square(point.position, from);
    return square <= limit && (!checks_cells || row.contains(shape.cell_of(point.position))) &&
           visit(point, square);
  }
};

struct CountPoints {
  u32 count = 0;
  COPSE_HD bool operator()(const GridPoint&, float) {
    ++count;
    return false;
  }
};

/// Keeps the k nearest points in a heap.
class NearestInHeap {
 public:
  COPSE_HD NearestInHeap(PointNeighbour* items, u32 k, float limit) : heap_(items, k), limit_(limit) {}

  COPSE_HD float limit() const { return heap_.is_full() ? heap_.farthest() : limit_; }
  COPSE_HD void clear() { heap_.clear(); }
  COPSE_HD void add(float square, u32 id) { heap_.add({square, id}); }

  /// Sorts the points and converts squares to distances. Returns the number of points.
  COPSE_HD u32 finish(PointNeighbour* items) {
    heap_.sort();
    for (u32 i = 0; i < heap_.size(); ++i) items[i].distance = sqrt_rn(items[i].distance);
    return heap_.size();
  }

 private:
  NeighbourHeap<PointNeighbour> heap_;
  float limit_;
};

}  // namespace detail

/// Calls `visit(point, square)` for every point of the grid within `radius`: the square of its distance, as
/// near_square computes it, is at most the square of the radius. Visits none if the point or the radius is NaN,
/// the point is infinite or the radius is negative.
///
/// Points come cell by cell, along x first, then y, then z; in a cell by ascending ids. If more cells are in reach
/// than there are buckets, they come in the order of the grid's memory. Both orders are the same on all backends.
///   visit: bool operator()(const GridPoint& point, float square); ends the search by returning true
///   grid:  in memory that the caller can read: in a kernel, the device's
/// Work: the cells in reach and the points in their rows; at most all buckets and points.
template <class Visit>
COPSE_HD inline void for_each_within(const HashGridView& grid, const vec3& point, float radius, Visit& visit) {
  const HashGridShape shape = grid.shape.data()[0];
  const float limit = detail::square_limit(radius);
  if (!is_finite(point) || !(limit >= 0) || shape.resolution.x == 0) return;
  const dvec3 at = shape.to_cells(point);
  const double reach = detail::reach_in_cells(shape, limit);
  const detail::NearInterval x = detail::near_interval(at.x - reach, at.x + reach, shape.resolution.x),
                             y = detail::near_interval(at.y - reach, at.y + reach, shape.resolution.y),
                             z = detail::near_interval(at.z - reach, at.z + reach, shape.resolution.z);
  if (x.is_empty() || y.is_empty() || z.is_empty()) return;

  detail::VisitWithin<Visit> test{shape, point, limit, visit, {1, 0, 0, 0}, false};
  if (detail::cell_count(x, y, z) > shape.bucket_count) {
    detail::test_places(grid, 0, grid.bucket_begins.data()[shape.bucket_count], test);
    return;
  }
  test.checks_cells = !shape.has_buckets_apart(x.count(), y.count(), z.count());
  const detail::BallOfCells ball(at, reach, x, y, z);
  for (u32 row_z = z.first; row_z <= z.last; ++row_z) {
    for (u32 row_y = y.first; row_y <= y.last; ++row_y) {
      test.row = ball.row(row_y, row_z);
      if (!test.row.is_empty() && detail::test_buckets(grid, shape, test.row, test)) return;
    }
  }
}

/// Returns how many points of the grid are within `radius`, as for_each_within defines it.
COPSE_HD inline u32 count_within(const HashGridView& grid, const vec3& point, float radius) {
  detail::CountPoints count;
  for_each_within(grid, point, radius, count);
  return count.count;
}

/// Stores the `k` points of the grid nearest to a point and returns how many there are. None is farther than
/// `max_distance`. They are sorted by (square of the distance, id), nearest first. Finds none if the point or the
/// limit is NaN, the point is infinite or the limit is negative.
///   neighbours: room for k. Elements past the returned number are not written; the search keeps a heap there
///   grid:       in memory that the caller can read: in a kernel, the device's
/// Work: shells of cells around the point, until no nearer point can be outside. If the shells have more cells than
/// there are buckets, as they do far away from all points, it tests every point once instead.
COPSE_HD inline u32 k_nearest_points(const HashGridView& grid, const vec3& point, float max_distance, u32 k,
                                     PointNeighbour* neighbours) {
  if (k == 0) return 0;
  detail::NearestInHeap nearest(neighbours, k, detail::square_limit(max_distance));
  detail::keep_nearest(grid, point, nearest);
  return nearest.finish(neighbours);
}

}  // namespace copse
