#pragma once

// The memory of a hash grid, as its builder writes it; and the choice of its cells, which is made on the device,
// where the box of the points is.

#include "builders/geometry/point_box.h"
#include "builders/grid/hash_layout.h"

namespace copse::detail {

struct HashGridArrays {
  HashGridShape* shape;
  u32* bucket_begins;
  u32 bucket_count;
  GridPoint* points;
  HashGridCounts* counts;
};

/// The options of a build: see HashGridOptions.
struct HashGridRequest {
  float cell_size;
  float points_per_cell;
  u32 bucket_count;
};

/// Returns how many cubes cover a box, with `most` of them along the longest edge.
COPSE_HD inline double cube_count(const dvec3& size, double longest, double most) {
  const double x = larger(mul_rn(size.x / longest, most), 1.0), y = larger(mul_rn(size.y / longest, most), 1.0),
               z = larger(mul_rn(size.z / longest, most), 1.0);
  return mul_rn(mul_rn(x, y), z);
}

/// Returns the largest number of cubes along the longest edge with which at most `wanted` cubes cover the box. It
/// also works for flat boxes and lines.
COPSE_HD inline u32 cubes_along_longest(const dvec3& size, double longest, double wanted) {
  u32 lo = 1, hi = max_hash_resolution;
  while (lo < hi) {
    const u32 middle = lo + (hi - lo + 1) / 2;
    if (cube_count(size, longest, double(middle)) <= wanted) {
      lo = middle;
    } else {
      hi = middle - 1;
    }
  }
  return lo;
}

/// Returns one over the edge of a cell.
COPSE_HD inline double choose_cells_per_unit(const PointBox& points, const HashGridRequest& request) {
  if (request.cell_size > 0) return 1.0 / double(request.cell_size);
  const Aabb& box = points.box;
  const dvec3 size(sub_rn(double(box.hi.x), double(box.lo.x)), sub_rn(double(box.hi.y), double(box.lo.y)),
                   sub_rn(double(box.hi.z), double(box.lo.z)));
  const double longest = larger(size.x, larger(size.y, size.z));
  if (!(longest > 0)) return 1;
  const double wanted = double(points.count) / double(request.points_per_cell);
  return double(cubes_along_longest(size, longest, wanted)) / longest;
}

COPSE_HD inline HashGridShape make_hash_shape(const PointBox& points, const HashGridRequest& request) {
  if (points.count == 0) return {dvec3(0), 1, uvec3(0), request.bucket_count};
  HashGridShape shape{dvec3(points.box.lo), choose_cells_per_unit(points, request), uvec3(0),
                      request.bucket_count};
  shape.resolution = shape.cell_of(points.box.hi) + 1u;
  return shape;
}

}  // namespace copse::detail
