#pragma once

// Opens an instance: in the tree over the instances, references to nodes of its mesh's tree take its place. If
// instances overlap, every ray through the box of an instance that is not opened has to enter it.
//
// Source: Benthin, Woop, Wald, Afra, "Improved Two-Level BVHs using Partial Re-Braiding", HPG 2017. They open
// references during the top-down build of the upper tree, where a node's references extend far. Here one limit holds
// for the whole scene: a node is opened if its box in the scene has a larger surface area. The limit that uses up the
// budget is found by a histogram of integers, so it is the same on every machine.

#include "scene/build/instance_box.h"

namespace copse::detail {

/// A surface area as an integer: the upper bits of the float.
///
///   0eeeeeee eMMMMMmm mmmmmmmm mmmmmmmm     exponent and five bits of the mantissa: steps of 3 percent
struct AreaKey {
  static constexpr u32 count = 1u << 13;

  COPSE_HD static u32 of(const vec3& lo, const vec3& hi) {
    const vec3 size = sub_rn(hi, lo);
    const float area = add_rn(add_rn(mul_rn(size.x, size.y), mul_rn(size.y, size.z)), mul_rn(size.z, size.x));
    return area >= 0 ? bits_of(area) >> 18 : 0;  // NaN and negative values never open
  }
};

/// The maximum number of levels below the root that are opened. So an instance becomes at most 4^4 references.
inline constexpr u32 max_opened_levels = 4;

/// The maximum distortion of instances that are opened: the product of the largest row sums of the transform and of its
/// inverse.
inline constexpr double max_opened_distortion = 64;

/// The key of the root: that of the instance's box. It is 0, so that nothing is opened, if the transform distorts too
/// much: the rounding of a ray in the space of the mesh might then move a hit out of the box of a node.
COPSE_HD inline u32 root_key(const Affine& affine, const PlacedInstance& instance) {
  if (is_empty(instance.box())) return 0;
  double forth = 0, back = 0;
  for (int i = 0; i < 3; ++i) {
    const dvec3& row = affine.rows[i];
    const PlacedInstance::Row& inverse = instance.rows[i];
    forth = larger(forth, add_rn(add_rn(magnitude(row.x), magnitude(row.y)), magnitude(row.z)));
    back = larger(back, double(add_rn(add_rn(magnitude(inverse.x), magnitude(inverse.y)), magnitude(inverse.z))));
  }
  return mul_rn(forth, back) <= max_opened_distortion ? AreaKey::of(instance.lo, instance.hi) : 0;
}

/// Visits the nodes of a mesh's tree that are opened at a limit, and those that become references.
///   visit: void opened(u32 key, u32 added) for a node that `added` + 1 nodes replace, void reference(u32 node)
template <class Visit>
COPSE_HD void cut_tree(const Affine& affine, const CompressedBvh4Node* nodes, u32 key_of_root, u32 limit,
                       Visit& visit) {
  struct Waiting {
    u32 node, key, level;
  };
  constexpr u32 width = CompressedBvh4Node::width;
  const vec3 rows[3] = {vec3(affine.rows[0]), vec3(affine.rows[1]), vec3(affine.rows[2])};
  Waiting waiting[max_opened_levels * (width - 1) + 1];
  u32 count = 0;
  waiting[count++] = {0, key_of_root, 0};
  while (count > 0) {
    const Waiting at = waiting[--count];
    const CompressedBvh4Node node = load_node(nodes + at.node);
    bool opens = at.level < max_opened_levels && at.key > limit;
    u32 inner_count = 0;
    for (u32 slot = 0; slot < width; ++slot) {
      opens = opens && !node.child(slot).is_leaf();  // references must be inner nodes
      inner_count += node.child(slot).is_inner();
    }
    if (!opens || inner_count < 2) {
      visit.reference(at.node);
      continue;
    }
    visit.opened(at.key, inner_count - 1);
    for (u32 slot = width; slot-- > 0;) {
      const WideChild child = node.child(slot);
      if (!child.is_inner()) continue;
      vec3 lo(infinity), hi(-infinity);
      merge_turned_box(rows, node.child_box(slot), lo, hi);
      waiting[count++] = {child.first, smaller(at.key, AreaKey::of(lo, hi)), at.level + 1};
    }
  }
}

}  // namespace copse::detail
