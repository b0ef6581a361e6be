#pragma once

// The inverse of an instance's transform, in double precision, and its box in the scene: the same bits on all machines.

#include "scene/walk/placed_instance.h"
#include "trace/walk/wide_tree.h"

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
    const double determinant = dot_rn(rows[0], columns[0]), over = div_rn(1.0, determinant);
    bool is_good = determinant != 0;
    for (int row = 0; row < 3; ++row) {
      float numbers[3];
      for (int column = 0; column < 3; ++column) {
        numbers[column] = float(mul_rn(columns[column][row], over));
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

/// Merges a box of the mesh, transformed by the linear part `rows`, into the box from `lo` to `hi` (Arvo,
/// "Transforming Axis-Aligned Bounding Boxes", Graphics Gems, 1990). Each side is rounded three times.
COPSE_HD inline void merge_turned_box(const vec3 (&rows)[3], const Aabb& box, vec3& lo, vec3& hi) {
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const vec3& row = rows[axis];
    const vec3 near(row.x < 0 ? box.hi.x : box.lo.x, row.y < 0 ? box.hi.y : box.lo.y,
                    row.z < 0 ? box.hi.z : box.lo.z);
    const vec3 far(row.x < 0 ? box.lo.x : box.hi.x, row.y < 0 ? box.lo.y : box.hi.y,
                   row.z < 0 ? box.lo.z : box.hi.z);
    lo[axis] = smaller(lo[axis], dot_rn(row, near));
    hi[axis] = larger(hi[axis], dot_rn(row, far));
  }
}

/// Moves the box by the translation, and each side outwards: by 2^-21 of its greatest distance from the mesh's
/// origin, which is eight roundings of 2^-24. Three are those of merge_turned_box. The other five cover what the
/// rounding of a ray in the space of the mesh may move a hit. `least` is for products that are denormal.
COPSE_HD inline Aabb padded_in_scene(const Affine& affine, const vec3& lo, const vec3& hi, const Aabb& bounds) {
  constexpr double part = 1.0 / (1u << 21), least = 1e-43;
  const dvec3 far(TreeReach::largest_magnitude(vec3(bounds.lo.x, bounds.hi.x, 0)),
                  TreeReach::largest_magnitude(vec3(bounds.lo.y, bounds.hi.y, 0)),
                  TreeReach::largest_magnitude(vec3(bounds.lo.z, bounds.hi.z, 0)));
  vec3 low, high;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const dvec3& row = affine.rows[axis];
    const dvec3 size(magnitude(row.x), magnitude(row.y), magnitude(row.z));
    const double pad = add_rn(mul_rn(dot_rn(size, far), part), least);
    low[axis] = rounded_down(sub_rn(add_rn(double(lo[axis]), affine.translation[axis]), pad));
    high[axis] = -rounded_down(-add_rn(add_rn(double(hi[axis]), affine.translation[axis]), pad));
  }
  return {clean_point(low), clean_point(high)};
}

/// Copies a node by loads of 16 bytes. A compiler would load the planes byte by byte.
COPSE_HD inline CompressedBvh4Node load_node(const CompressedBvh4Node* node) {
  CompressedBvh4Node copy;
#pragma unroll
  for (u32 k = 0; k < sizeof(copy) / sizeof(Quad); ++k) {
    reinterpret_cast<Quad*>(&copy)[k] = reinterpret_cast<const Quad*>(node)[k];
  }
  return copy;
}

/// Returns the box in the scene of a tree with these bounds, placed by `affine`. It merges the transformed boxes two
/// levels below the root, since the transformed box of the root alone would be larger. Empty if the tree is.
///   top: a node in place of the root, for the box of its subtree
COPSE_HD inline Aabb box_in_scene(const Affine& affine, const CompressedBvh4Node* nodes, const Aabb& bounds,
                                  u32 top = 0) {
  const vec3 rows[3] = {vec3(affine.rows[0]), vec3(affine.rows[1]), vec3(affine.rows[2])};
  const CompressedBvh4Node root = load_node(nodes + top);
  vec3 lo(infinity), hi(-infinity);
#pragma unroll
  for (u32 slot = 0; slot < CompressedBvh4Node::width; ++slot) {
    const WideChild child = root.child(slot);
    if (child.is_leaf()) merge_turned_box(rows, root.child_box(slot), lo, hi);
    if (!child.is_inner()) continue;
    const CompressedBvh4Node below = load_node(nodes + child.first);
#pragma unroll
    for (u32 k = 0; k < CompressedBvh4Node::width; ++k) {
      if (!below.child(k).is_nothing()) merge_turned_box(rows, below.child_box(k), lo, hi);
    }
  }
  if (!(lo.x <= hi.x && lo.y <= hi.y && lo.z <= hi.z)) return Aabb::empty();
  const Aabb box = padded_in_scene(affine, lo, hi, bounds);
  return is_valid(box) ? box : Aabb::empty();
}

}  // namespace copse::detail
