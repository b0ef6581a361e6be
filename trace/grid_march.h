#pragma once

// Traces a ray through a uniform grid, on the host and in kernels. There is nothing else to link.
//
//   copse::Hit hit = copse::closest_hit(grid.view(), triangles, ray);      // a TriangleView or TriangleTable
//   bool blocked = copse::any_hit(grid.view(), triangles, ray);
//
// Source: Amanatides, Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", Eurographics 1987. Where we differ:
//   - The walk counts in cells from where the ray enters the grid. That place is found in double precision, so
//     that the floats of the walk are good for any ray and box. Each crossing is computed from the start, so that
//     no error adds up.
//   - A primitive in several cells is tested in each. That does no harm, so no mailbox is needed. A hit is final
//     once the walk has left it behind by more than all rounding.
//   - Each cell also lists primitives slightly outside it (builders/grid/layout.h), by more than the walk and the
//     triangle test err. If the origin is so far away that the test errs by more, the walk visits all cells within the
//     error.

#include "builders/grid/layout.h"
#include "trace/traverse.h"

namespace copse {

namespace detail {

/// Tolerance in cells: the walk goes this far beyond its ends and beyond a hit. It is larger than the walk's rounding
/// errors.
inline constexpr float march_slack = 1.0f / 64;

/// The largest error of a ray for which march_narrow visits enough cells. Cells list what is within two units of
/// their faces. Half a unit is for the rounding of the primitive, a quarter for that of the walk: over 2048 cells
/// its floats err by 2^-11 of a cell, an eighth of a unit.
inline constexpr double narrow_error = 1.25 / units_per_cell;

/// The part of a ray in a grid. Along it, s counts cells of the axis on which the ray is fastest, from the entry
/// on.
struct MarchedRay {
  double entry;       // t at s = 0
  double speed;       // cells per unit of t
  dvec3 from, slope;  // in cells: the place at s = 0, and the steps per unit of s
  float length;       // s where the part ends; below 0 where there is none
  double error;       // of the triangle test, across the ray and along it, in cells

  COPSE_HD float place_of(float t) const { return float(mul_rn(sub_rn(double(t), entry), speed)); }
};

/// Cuts [entry, exit] to where origin + t * direction is within `slack` of 0 to size.
COPSE_HD inline void clip_to_cells(double origin, double direction, double size, double slack, double& entry,
                                   double& exit) {
  if (direction == 0) {
    if (!(origin >= -slack && origin <= size + slack)) exit = -double(infinity);
    return;
  }
  const double at_lo = (-slack - origin) / direction, at_hi = (size + slack - origin) / direction;
  entry = larger(entry, smaller(at_lo, at_hi));
  exit = smaller(exit, larger(at_lo, at_hi));
}

/// The distance from a point to the end of the grid that is farther away, along an axis, in units of the space.
COPSE_HD inline double farthest(double origin, u32 resolution, double cells_per_unit) {
  return larger(magnitude(origin), magnitude(double(resolution) - origin)) / cells_per_unit;
}

/// Returns the part of the ray in the grid, extended at both ends by `min_slack` cells and the error of the triangle
/// test.
COPSE_HD inline MarchedRay enter_grid(const GridShape& grid, const Ray& ray, double min_slack = march_slack) {
  const dvec3 origin = grid.to_cells(ray.origin);
  const dvec3 direction(mul_rn(double(ray.direction.x), grid.cells_per_unit.x),
                        mul_rn(double(ray.direction.y), grid.cells_per_unit.y),
                        mul_rn(double(ray.direction.z), grid.cells_per_unit.z));
  const double distance = larger(farthest(origin.x, grid.resolution.x, grid.cells_per_unit.x),
                                 larger(farthest(origin.y, grid.resolution.y, grid.cells_per_unit.y),
                                        farthest(origin.z, grid.resolution.z, grid.cells_per_unit.z)));
  MarchedRay marched;
  marched.speed = largest_component(direction);
  // The second part is for the rounding of a t that is nearly zero.
  marched.error = mul_rn(thickness_of_rays(distance), largest_component(grid.cells_per_unit)) +
                  mul_rn(double(min_denormals), marched.speed);

  const double slack = min_slack + marched.error;
  double entry = ray.t_min, exit = ray.t_max;
  clip_to_cells(origin.x, direction.x, grid.resolution.x, slack, entry, exit);
  clip_to_cells(origin.y, direction.y, grid.resolution.y, slack, entry, exit);
  clip_to_cells(origin.z, direction.z, grid.resolution.z, slack, entry, exit);
  marched.entry = sub_rn(entry, slack / marched.speed);
  marched.slope = dvec3(direction.x / marched.speed, direction.y / marched.speed, direction.z / marched.speed);
  marched.from = dvec3(add_rn(origin.x, mul_rn(marched.entry, direction.x)),
                       add_rn(origin.y, mul_rn(marched.entry, direction.y)),
                       add_rn(origin.z, mul_rn(marched.entry, direction.z)));
  marched.length =
      entry <= exit ? float(add_rn(mul_rn(sub_rn(exit, marched.entry), marched.speed), slack)) : -1.0f;
  return marched;
}

/// The cell of a coordinate. Beyond the grid it is the outermost cell.
COPSE_HD inline i32 cell_at(double place, u32 resolution) {
  return place > 0 ? (place < double(resolution) ? i32(place) : i32(resolution) - 1) : 0;
}

/// The walk along one axis. Id: an unsigned type that holds the ids of all cells.
template <class Id>
struct AxisMarch {
  float from, inverse;
  float face;       // the next one to cross
  float next;       // s where it is crossed; infinite if the walk never leaves its cell on this axis
  u32 cells_left;   // behind that face
  Id stride;        // from a cell's id to the next one's, modulo the range of Id
  float direction;  // 1 or -1

  COPSE_HD static AxisMarch start(double from, double slope, u32 resolution, Id stride, Id& id) {
    constexpr double min_slope = 1.0 / (u64{1} << 40);  // slower ones stay in their cell all the way
    const i32 cell = cell_at(from, resolution);
    id += Id(cell) * stride;
    const bool forwards = slope > 0;
    AxisMarch axis{float(from), float(1.0 / slope), 0, infinity, 0, 0, forwards ? 1.0f : -1.0f};
    if (magnitude(slope) < min_slope) return axis;
    axis.face = float(forwards ? cell + 1 : cell);
    axis.cells_left = forwards ? resolution - 1 - u32(cell) : u32(cell);
    axis.stride = forwards ? stride : Id(0) - stride;
    axis.next = axis.crossing();
    return axis;
  }

  COPSE_HD float crossing() const { return mul_rn(sub_rn(face, from), inverse); }

  /// Goes to the next cell. False at the grid's end: from there on the cell stays the same up to the end of the
  /// ray.
  COPSE_HD bool advance(Id& id) {
    if (cells_left == 0) {
      next = infinity;
      return false;
    }
    --cells_left;
    id += stride;
    face += direction;
    next = crossing();
    return true;
  }
};

/// Calls visit(cell id, s where the ray leaves the cell) front to back, until it returns true. The ids of
/// neighbours along x, y and z are 1, stride_y and stride_z apart.
template <class Id, class Visit>
COPSE_HD inline void march_narrow(const uvec3& resolution, Id stride_y, Id stride_z, const MarchedRay& ray,
                                  Visit& visit) {
  using Axis = AxisMarch<Id>;
  Id id = 0;
  Axis x = Axis::start(ray.from.x, ray.slope.x, resolution.x, Id(1), id);
  Axis y = Axis::start(ray.from.y, ray.slope.y, resolution.y, stride_y, id);
  Axis z = Axis::start(ray.from.z, ray.slope.z, resolution.z, stride_z, id);
  for (;;) {
    float leave = min_number(x.next, min_number(y.next, z.next));
    if (visit(id, leave)) return;
    for (bool advanced = false; !advanced;) {
      if (leave > ray.length) return;
      advanced = x.next == leave ? x.advance(id) : (y.next == leave ? y.advance(id) : z.advance(id));
      leave = min_number(x.next, min_number(y.next, z.next));
    }
  }
}

template <class Visit>
COPSE_HD inline void march_narrow(const GridShape& grid, const MarchedRay& ray, Visit& visit) {
  march_narrow(grid.resolution, grid.resolution.x, grid.resolution.x * grid.resolution.y, ray, visit);
}

struct CellInterval {
  i32 first, last;
};

/// The cells along an axis that the ray is in or within `error` of, between two places.
COPSE_HD inline CellInterval cells_between(double from, double slope, u32 resolution, double s0, double s1,
                                           double error) {
  const double a = add_rn(from, mul_rn(slope, s0)), b = add_rn(from, mul_rn(slope, s1));
  return {cell_at(smaller(a, b) - error, resolution), cell_at(larger(a, b) + error, resolution)};
}

/// Does what march_narrow does for a ray that is as thick as its error. It goes slice by slice along the ray's
/// fastest axis. In each slice it visits all cells within the error.
template <class Visit>
COPSE_HD inline void march_wide(const GridShape& grid, const MarchedRay& ray, Visit& visit) {
  const dvec3& slope = ray.slope;
  const double error = ray.error + march_slack;
  const u32 axis = magnitude(slope.x) == 1 ? 0 : (magnitude(slope.y) == 1 ? 1 : 2);
  const double from = coordinate(ray.from, axis), direction = coordinate(slope, axis);
  const CellInterval all = cells_between(from, direction, coordinate(grid.resolution, axis), 0, ray.length, error);
  const i32 count = all.last - all.first + 1;
  for (i32 k = 0; k < count; ++k) {
    const i32 slice = direction > 0 ? all.first + k : all.last - k;
    const double near = direction > 0 ? slice : slice + 1.0;
    const double enter = (near - from) * direction - error, leave = enter + 1 + 2 * error;
    CellInterval x = cells_between(ray.from.x, slope.x, grid.resolution.x, enter, leave, error);
    CellInterval y = cells_between(ray.from.y, slope.y, grid.resolution.y, enter, leave, error);
    CellInterval z = cells_between(ray.from.z, slope.z, grid.resolution.z, enter, leave, error);
    (axis == 0 ? x : (axis == 1 ? y : z)) = {slice, slice};
    const float certain = k + 1 < count ? float(leave - 4 * error) : infinity;
    for (i32 cz = z.first; cz <= z.last; ++cz) {
      for (i32 cy = y.first; cy <= y.last; ++cy) {
        for (i32 cx = x.first; cx <= x.last; ++cx) {
          const bool is_last = cz == z.last && cy == y.last && cx == x.last;
          if (visit(grid.cell_id(uvec3(cx, cy, cz)), is_last ? certain : -infinity)) return;
        }
      }
    }
  }
}

/// Tests the primitives of a cell. Returns true to end the walk: the test ended it, or the walk has passed the limit.
template <class LeafTest, class Counter>
struct TestCell {
  const GridView& grid;
  const MarchedRay& ray;
  LeafTest& leaf_test;
  Counter& counter;
  float limit;
  float last;  // s of the limit, plus the slack

  COPSE_HD bool operator()(u32 cell, float leave) {
    const u32 begin = grid.cell_begins.data()[cell], end = grid.cell_begins.data()[cell + 1];
    const float limit_before = limit;
    counter.count_node();
    // The next id is loaded while a triangle is tested.
    u32 next = begin < end ? grid.primitive_ids.data()[begin] : 0;
    for (u32 k = begin; k < end; ++k) {
      const u32 primitive = next;
      if (k + 1 < end) next = grid.primitive_ids.data()[k + 1];
      counter.count_primitive();
      if (leaf_test(primitive, limit)) return true;
    }
    if (limit != limit_before) last = ray.place_of(limit) + march_slack;
    return leave > last;
  }
};

/// The fast variant of march(): its loop calls no function for rare cases (trace/walk/robustness.h). Returns false
/// for a ray that needs march_wide.
///   leaf_test: a fast one, which has a flag of its own for giving up
///   limit:     becomes the last limit
template <class LeafTest>
COPSE_HD inline bool march_fast(const GridView& grid, const Ray& ray, LeafTest& leaf_test, float& limit) {
  limit = ray.t_max;
  if (!is_traceable(ray)) return true;
  const GridShape& shape = *grid.shape.data();
  const MarchedRay marched = enter_grid(shape, ray);
  if (!(marched.length >= 0)) return true;
  if (!(marched.error <= narrow_error)) return false;
  NoCounter counter;
  TestCell<LeafTest, NoCounter> test{grid, marched, leaf_test, counter, ray.t_max, infinity};
  march_narrow(shape, marched, test);
  limit = test.limit;
  return true;
}

}  // namespace detail

/// Walks through the grid front to back. Calls `leaf_test(primitive, limit)` for the primitives of every cell that
/// the ray passes at or before `limit`, several times for primitives in several cells. The limit starts at the
/// ray's t_max. Returns the last limit.
///   leaf_test: as for traverse() in trace/traverse.h
template <class LeafTest, class Counter>
COPSE_HD inline float march(const GridView& grid, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  if (!is_traceable(ray)) return ray.t_max;
  const GridShape& shape = *grid.shape.data();
  const detail::MarchedRay marched = detail::enter_grid(shape, ray);
  if (!(marched.length >= 0)) return ray.t_max;
  detail::TestCell<LeafTest, Counter> test{grid, marched, leaf_test, counter, ray.t_max, infinity};
  if (marched.error <= detail::narrow_error) {
    detail::march_narrow(shape, marched, test);
  } else {
    detail::march_wide(shape, marched, test);
  }
  return test.limit;
}

/// The same under the name that closest_hit and any_hit of trace/traverse.h call. `stack_size` is not needed.
template <u32 stack_size = default_stack_size, TakesIds LeafTest, class Counter>
COPSE_HD inline float traverse(const GridView& grid, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  return march(grid, ray, leaf_test, counter);
}

}  // namespace copse
