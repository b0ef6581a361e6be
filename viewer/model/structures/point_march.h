#pragma once

// Rays through a hash grid whose points are balls of one radius, for the host and for kernels.
//
// The traversal is that of trace/grid_march.h, over the cells of the hash grid and one more cell on each side. The
// radius of a ball is at most half a cell, so a ray can hit it only in its own cell or a neighbour of that. In
// each cell, the traversal tests the cells around it that it has not tested from the cell before: nine of them
// after the first.

#include "queries/near_cells.h"
#include "trace/grid_march.h"

namespace copse::viewer {

/// The place where a ray enters a ball. On a miss t is the ray's t_max and id is invalid_id.
struct BallHit {
  float t;
  u32 id;       // of the point
  vec3 normal;  // of length 1, towards the ray's origin
};

/// The cells of a hash grid and one more on each side.
COPSE_HD inline GridShape ball_cells(const HashGridShape& shape) {
  const double edge = 1.0 / shape.cells_per_unit;
  return {dvec3(shape.lo.x - edge, shape.lo.y - edge, shape.lo.z - edge), dvec3(shape.cells_per_unit),
          shape.resolution + 2u};
}

/// The radius of balls: as given, but at most half a cell.
COPSE_HD inline float ball_radius(const HashGridShape& shape, float wanted) {
  return smaller(wanted, float(0.49 / shape.cells_per_unit));
}

/// Numbers of cells for a traversal: each axis has bits of its own.
struct CellBits {
  u32 x, y, z;

  COPSE_HD static CellBits of(const uvec3& resolution) {
    return {32 - leading_zeros(resolution.x), 32 - leading_zeros(resolution.y), 32 - leading_zeros(resolution.z)};
  }
  COPSE_HD bool fit() const { return x + y + z <= 64; }
  COPSE_HD uvec3 cell_of(u64 id) const {
    return uvec3(u32(id & ((u64{1} << x) - 1)), u32(id >> x & ((u64{1} << y) - 1)), u32(id >> (x + y)));
  }
};

/// Keeps the closest ball: the smallest (t, id).
struct ClosestBall {
  Ray ray;
  float radius;
  float square_of_direction;
  float limit;
  u32 id = invalid_id;
  vec3 middle = vec3(0);
  u32 test_count = 0;

  COPSE_HD ClosestBall(const Ray& through, float ball_radius)
      : ray(through),
        radius(ball_radius),
        square_of_direction(dot(through.direction, through.direction)),
        limit(through.t_max) {}

  COPSE_HD bool operator()(const GridPoint& point) {
    ++test_count;
    // Computes from the place on the ray that is nearest to the point, so that little precision is lost far away.
    const vec3 from = minus(point.position, ray.origin);
    const float at = div_rn(dot(from, ray.direction), square_of_direction);
    const vec3 beside = minus(along(at), point.position);
    const float left = sub_rn(mul_rn(radius, radius), dot(beside, beside));
    if (!(left >= 0)) return false;
    const float half = sqrt_rn(div_rn(left, square_of_direction));
    const float front = sub_rn(at, half), back = add_rn(at, half);
    const float t = front >= ray.t_min ? front : back;  // from within: the inside of the ball
    const bool is_closer = t >= ray.t_min && (t < limit || (t == limit && point.id < id));
    if (!is_closer) return false;
    limit = t;
    id = point.id;
    middle = point.position;
    return false;
  }

  COPSE_HD BallHit hit() const {
    if (id == invalid_id) return {ray.t_max, invalid_id, vec3(0)};
    vec3 normal = minus(along(limit), middle);
    const float length = sqrt_rn(dot(normal, normal));
    const float sign = dot(normal, ray.direction) > 0 ? -1.0f : 1.0f;
    const float scale = length > 0 ? div_rn(sign, length) : 0.0f;
    normal = vec3(mul_rn(normal.x, scale), mul_rn(normal.y, scale), mul_rn(normal.z, scale));
    return {limit, id, normal};
  }

  COPSE_HD vec3 along(float t) const {
    return vec3(add_rn(ray.origin.x, mul_rn(t, ray.direction.x)), add_rn(ray.origin.y, mul_rn(t, ray.direction.y)),
                add_rn(ray.origin.z, mul_rn(t, ray.direction.z)));
  }
  COPSE_HD static vec3 minus(const vec3& a, const vec3& b) {
    return vec3(sub_rn(a.x, b.x), sub_rn(a.y, b.y), sub_rn(a.z, b.z));
  }
  COPSE_HD static float dot(const vec3& a, const vec3& b) {
    return add_rn(add_rn(mul_rn(a.x, b.x), mul_rn(a.y, b.y)), mul_rn(a.z, b.z));
  }
};

/// The visitor of cells: tests the balls around each cell.
///   Note: void operator()(const uvec3& cell) is called for each cell; cells are those of ball_cells
template <class Note>
struct VisitBalls {
  const HashGridView& grid;
  const HashGridShape& shape;
  const detail::MarchedRay& marched;
  CellBits bits;
  ClosestBall& balls;
  Note& note;
  uvec3 before = uvec3(0);
  bool is_first = true;

  COPSE_HD bool operator()(u64 id, float leave) {
    const uvec3 cell = bits.cell_of(id);
    note(cell);
    look_around(cell);
    before = cell;
    is_first = false;
    return balls.id != invalid_id && marched.place_of(balls.limit) <= leave;
  }

 private:
  struct Interval {
    i32 first, last;
  };

  /// The cells of the hash grid to test along an axis: all three, or the one in the direction of the last step.
  COPSE_HD Interval around(u32 cell, u32 cell_before, u32 resolution) const {
    const i32 middle = i32(cell) - 1;
    Interval all{middle - 1, middle + 1};
    if (!is_first && cell > cell_before) all.first = all.last;
    if (!is_first && cell < cell_before) all.last = all.first;
    return {all.first > 0 ? all.first : 0, all.last < i32(resolution) ? all.last : i32(resolution) - 1};
  }

  COPSE_HD void look_around(const uvec3& cell) {
    const Interval x = around(cell.x, before.x, shape.resolution.x),
                   y = around(cell.y, before.y, shape.resolution.y),
                   z = around(cell.z, before.z, shape.resolution.z);
    if (x.first > x.last) return;
    for (i32 row_z = z.first; row_z <= z.last; ++row_z) {
      for (i32 row_y = y.first; row_y <= y.last; ++row_y) {
        detail::test_buckets(grid, shape, {u32(x.first), u32(x.last), u32(row_y), u32(row_z)}, balls);
      }
    }
  }
};

struct NoNote {
  COPSE_HD void operator()(const uvec3&) const {}
};

/// Finds the first ball that a ray hits. In grids of few points, all points are tested.
///   radius: of balls, at most ball_radius of the grid's shape
template <class Note>
COPSE_HD inline void march_balls(const HashGridView& grid, ClosestBall& balls, Note& note) {
  constexpr u32 min_buckets = 4;  // the number of cells of a row that are tested together
  const HashGridShape shape = *grid.shape.data();
  if (!is_traceable(balls.ray) || shape.resolution.x == 0) return;
  const GridShape cells = ball_cells(shape);
  const CellBits bits = CellBits::of(cells.resolution);
  if (shape.bucket_count < min_buckets || !bits.fit()) {
    detail::test_places(grid, 0, grid.bucket_begins.data()[shape.bucket_count], balls);
    return;
  }
  const detail::MarchedRay marched = detail::enter_grid(cells, balls.ray);
  if (!(marched.length >= 0)) return;
  VisitBalls<Note> visit{grid, shape, marched, bits, balls, note};
  detail::march_narrow(cells.resolution, u64{1} << bits.x, u64{1} << (bits.x + bits.y), marched, visit);
}

}  // namespace copse::viewer
