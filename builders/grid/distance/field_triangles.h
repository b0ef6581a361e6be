#pragma once

// The bricks near a triangle. A brick is near if a centre of its voxels may be nearer to the triangle than the
// reach.
//
// Bricks are tested in columns along the axis on which the normal of the triangle is longest. The plane of the
// triangle cuts a column to a few bricks, and each of them is tested by its distance. A few columns make a part,
// so that many threads share a large triangle.

#include "builders/geometry/point_triangle.h"
#include "builders/geometry/triangle_table.h"
#include "builders/grid/cells/lattice_triangle.h"
#include "builders/grid/distance/field_build.h"

namespace copse::detail {

/// Distance from the centre of a brick to the centres of its outermost voxels along an axis, in voxels.
inline constexpr double field_brick_extent = 3.5;

/// Returns true if a voxel of the brick may have its centre within reach of the triangle. Take the plane through
/// the nearest point p of the triangle, perpendicular to the line from the brick's centre c to p. All of the
/// triangle is behind it:
///
///    +-----+
///    |     |     |##
///    |  c--+-----p###     c: the centre of the brick, p: the nearest point of the triangle
///    |     |     |###
///    +-----+     |##
///
/// So no centre of a voxel is nearer to the triangle than |p - c| minus the extent of the brick along this line.
COPSE_HD inline bool is_near_brick(const FieldShape& shape, const Triangle& triangle, const uvec3& brick) {
  const uvec3 last = brick * brick_edge + 7u;
  const vec3 lo = voxel_centre(shape.voxels, brick * brick_edge), hi = voxel_centre(shape.voxels, last);
  const vec3 centre((lo.x + hi.x) / 2, (lo.y + hi.y) / 2, (lo.z + hi.z) / 2);
  const TrianglePoint nearest = nearest_on_triangle(triangle, centre);
  const float distance = sqrt_rn(nearest.square);
  const float extent = float(field_brick_extent * shape.edge) * sum_of_magnitudes(nearest.offset);
  return nearest.square - extent <= distance * shape.reach;
}

/// The columns of bricks that a triangle may be near.
class FieldColumns {
 public:
  COPSE_HD FieldColumns(const FieldShape& shape, const Triangle& triangle) {
    const dvec3 a = shape.voxels.to_cells(triangle.a), b = shape.voxels.to_cells(triangle.b),
                c = shape.voxels.to_cells(triangle.c);
    const dvec3 ab = b - a, ac = c - a, normal = cross_rn(ab, ac);
    reach_ = shape.reach / shape.edge;
    const double longest = largest_component(normal);
    // The normal of a needle is nothing but rounding error.
    has_plane_ = dot_rn(normal, normal) > 1e-18 * dot_rn(ab, ab) * dot_rn(ac, ac);
    depth_ = magnitude(normal.z) == longest ? 2 : magnitude(normal.y) == longest ? 1 : 0;
    for (u32 axis = 0; axis < 3; ++axis) {
      const double p = coordinate(a, axis), q = coordinate(b, axis), r = coordinate(c, axis);
      const i32 most = i32(coordinate(shape.bricks.resolution, axis)) - 1;
      first_[axis] = larger(brick_from(smaller(p, smaller(q, r)) - reach_), 0);
      last_[axis] = smaller(brick_to(larger(p, larger(q, r)) + reach_), most);
    }
    if (has_plane_) set_plane(a, normal);
  }

  COPSE_HD u32 column_count() const { return size(along()) * size(beside()); }

  /// Calls visit(brick) for the bricks of a column that the plane of the triangle does not exclude.
  template <class Visit>
  COPSE_HD void visit_column(u32 column, Visit& visit) const {
    const i32 u = first_[along()] + i32(column % size(along())),
              v = first_[beside()] + i32(column / size(along()));
    i32 begin = first_[depth_], end = last_[depth_];
    if (has_plane_) {
      const double at = plane_[2] + plane_[0] * (8.0 * u + 4) + plane_[1] * (8.0 * v + 4);
      begin = larger(begin, brick_from(at - half_width_ + field_brick_extent));
      end = smaller(end, brick_to(at + half_width_ - field_brick_extent));
    }
    for (i32 d = begin; d <= end; ++d) {
      visit(depth_ == 2 ? uvec3(u, v, d) : depth_ == 1 ? uvec3(v, d, u) : uvec3(d, u, v));
    }
  }

 private:
  COPSE_HD u32 along() const { return (depth_ + 1) % 3; }
  COPSE_HD u32 beside() const { return (depth_ + 2) % 3; }
  COPSE_HD u32 size(u32 axis) const { return u32(larger(last_[axis] - first_[axis] + 1, 0)); }

  /// The first brick with a centre of a voxel at or past a coordinate, and the last one with a centre at or before
  /// it. Both take a little more, for the rounding.
  COPSE_HD static i32 brick_from(double at) { return i32(floor_down((at - 7.5 - slack) / 8)) + 1; }
  COPSE_HD static i32 brick_to(double at) { return i32(floor_down((at - 0.5 + slack) / 8)); }
  COPSE_HD static double floor_down(double value) {
    const double whole = double(i32(value));
    return whole > value ? whole - 1 : whole;
  }

  /// Stores the plane as the depth of a column: plane_[2] + plane_[0] * u + plane_[1] * v; and how far from it the
  /// centres of bricks may be.
  COPSE_HD void set_plane(const dvec3& a, const dvec3& normal) {
    const double n_u = coordinate(normal, along()), n_v = coordinate(normal, beside()),
                 n_d = coordinate(normal, depth_);
    plane_[0] = -n_u / n_d, plane_[1] = -n_v / n_d;
    plane_[2] = coordinate(a, depth_) - plane_[0] * coordinate(a, along()) - plane_[1] * coordinate(a, beside());
    const double slopes = 1 + magnitude(plane_[0]) + magnitude(plane_[1]);
    const float length = sqrt_rn(float(1 + plane_[0] * plane_[0] + plane_[1] * plane_[1]));
    half_width_ = length * reach_ + slopes * field_brick_extent + slack;
  }

  static constexpr double slack = 1.0 / 64;

  i32 first_[3], last_[3];
  u32 depth_;
  bool has_plane_;
  double reach_, plane_[3], half_width_ = 0;
};

/// The triangles of a mesh, in parts of a few columns.
struct FieldTriangles {
  static constexpr u32 columns_per_part = 16;

  TriangleTable table;
  FieldShape shape;

  COPSE_HD u32 part_count(u32 primitive) const {
    const Triangle triangle = table.triangle(primitive);
    if (is_empty(bounds(triangle))) return 0;
    return u32(divide_rounding_up(u64{FieldColumns(shape, triangle).column_count()}, columns_per_part));
  }

  /// Calls visit(brick) for the bricks of a part that are near the triangle.
  template <class Visit>
  COPSE_HD void visit_part(u32 primitive, u32 part, const Visit& visit) const {
    const Triangle triangle = table.triangle(primitive);
    const FieldColumns columns(shape, triangle);
    VisitNear<Visit> near{shape, triangle, visit};
    const u32 end = smaller((part + 1) * columns_per_part, columns.column_count());
    for (u32 column = part * columns_per_part; column < end; ++column) columns.visit_column(column, near);
  }

 private:
  template <class Visit>
  struct VisitNear {
    const FieldShape& shape;
    const Triangle& triangle;
    const Visit& visit;
    COPSE_HD void operator()(const uvec3& brick) {
      if (is_near_brick(shape, triangle, brick)) visit(brick);
    }
  };
};

}  // namespace copse::detail
