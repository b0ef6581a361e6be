#pragma once

// The inverse of an instance's transform and its box in the scene, in double precision: the same bits on all machines.

#include "accel/accel_view.h"
#include "scene/walk/placed_instance.h"

namespace copse::detail {

/// Rows of a transform.
struct Affine {
  dvec3 rows[3];
  dvec3 translation;

  COPSE_HD static Affine of(const float* numbers) {
    Affine affine;
    for (int i = 0; i < 3; ++i) {
      affine.rows[i] = dvec3(double(numbers[4 * i]), double(numbers[4 * i + 1]), double(numbers[4 * i + 2]));
      affine.translation[i] = double(numbers[4 * i + 3]);
    }
    return affine;
  }

  /// Stores the inverse of the linear part, and the translation. False if there is no inverse, or none in floats.
  COPSE_HD bool store_inverse(PlacedInstance::Row (&inverse)[3]) const {
    const dvec3 columns[3] = {cross_rn(rows[1], rows[2]), cross_rn(rows[2], rows[0]), cross_rn(rows[0], rows[1])};
    const double determinant = dot_rn(rows[0], columns[0]);
    bool is_good = determinant != 0;
    for (int row = 0; row < 3; ++row) {
      float numbers[3];
      for (int column = 0; column < 3; ++column) {
        numbers[column] = float(div_rn(columns[column][row], determinant));
        is_good = is_good && magnitude(numbers[column]) < infinity;
      }
      inverse[row] = {numbers[0], numbers[1], numbers[2], float(translation[row])};
    }
    return is_good;
  }
};

/// The largest float that is not above `x`.
COPSE_HD inline float rounded_down(double x) {
  const float nearest = float(x);
  if (double(nearest) <= x) return nearest;
  if (nearest == 0) return -float_from_bits(1);
  return float_from_bits(nearest > 0 ? bits_of(nearest) - 1 : bits_of(nearest) + 1);
}

/// Merges a box of the mesh, as it stands in the scene, into `lo` and `hi`: by its centre and its half extents, which
/// the magnitudes of the rows turn into those of the turned box (Arvo, "Transforming Axis-Aligned Bounding Boxes",
/// Graphics Gems, 1990). Each side is 2^-22 of its distance from the mesh's origin farther out. That covers what
/// the rounding of a ray in the space of the mesh may move a hit.
COPSE_HD inline void merge_turned_box(const Affine& affine, const Aabb& box, dvec3& lo, dvec3& hi) {
  constexpr double part = 1.0 / (1u << 22);
  const dvec3 centre = mul_rn(add_rn(to_double(box.lo), to_double(box.hi)), 0.5);
  const dvec3 extent = mul_rn(sub_rn(to_double(box.hi), to_double(box.lo)), 0.5);
  const dvec3 far = add_rn(dvec3(magnitude(centre.x), magnitude(centre.y), magnitude(centre.z)), extent);
  for (int axis = 0; axis < 3; ++axis) {
    const dvec3& row = affine.rows[axis];
    const dvec3 size(magnitude(row.x), magnitude(row.y), magnitude(row.z));
    const double middle = add_rn(dot_rn(row, centre), affine.translation[axis]);
    const double half = add_rn(dot_rn(size, extent), mul_rn(dot_rn(size, far), part));
    lo[axis] = smaller(lo[axis], sub_rn(middle, half));
    hi[axis] = larger(hi[axis], add_rn(middle, half));
  }
}

/// The box in the scene of a tree that stands there by `affine`: around the boxes two levels below the root, which are
/// turned one by one. A turned box around the root alone would be larger. Empty if the tree is.
COPSE_HD inline Aabb box_in_scene(const Affine& affine, const CompressedBvh4View& tree) {
  dvec3 lo{double(infinity)}, hi{-double(infinity)};
  const CompressedBvh4Node& root = tree.nodes.data()[0];
  for (u32 slot = 0; slot < CompressedBvh4Node::width; ++slot) {
    const WideChild child = root.child(slot);
    if (child.is_nothing()) continue;
    if (child.is_leaf()) {
      merge_turned_box(affine, root.child_box(slot), lo, hi);
      continue;
    }
    const CompressedBvh4Node& below = tree.nodes.data()[child.first];
    for (u32 k = 0; k < CompressedBvh4Node::width; ++k) {
      if (!below.child(k).is_nothing()) merge_turned_box(affine, below.child_box(k), lo, hi);
    }
  }
  if (!(lo.x <= hi.x && lo.y <= hi.y && lo.z <= hi.z)) return Aabb::empty();
  const Aabb box{clean_point(vec3(rounded_down(lo.x), rounded_down(lo.y), rounded_down(lo.z))),
                 clean_point(vec3(-rounded_down(-hi.x), -rounded_down(-hi.y), -rounded_down(-hi.z)))};
  return is_valid(box) ? box : Aabb::empty();
}

}  // namespace copse::detail
