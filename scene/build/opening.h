#pragma once

// How an instance is opened: into references to nodes of its mesh's tree, which stand in the tree over the instances in
// its place. Where instances overlap, the whole instance would be entered for every ray through its box.
//
// Source: Benthin, Woop, Wald, Afra, "Improved Two-Level BVHs using Partial Re-Braiding", HPG 2017. They open references
// while they build the upper tree from its top, where a node's references reach far. Here one limit holds for the whole
// scene: nodes whose boxes in the scene have a larger surface are opened. A histogram of whole numbers tells which limit
// uses up the budget, so it is the same on every machine.

#include "scene/build/instance_box.h"

namespace copse::detail {

/// A surface area as a whole number: the upper bits of the float.
///
///   0eeeeeee eMMMMMmm mmmmmmmm mmmmmmmm     exponent and five bits of the mantissa: steps of 3 percent
struct AreaKey {
  static constexpr u32 count = 1u << 13;

  COPSE_HD static u32 of(const vec3& lo, const vec3& hi) {
    const vec3 size = sub_rn(hi, lo);
    const float area = add_rn(add_rn(mul_rn(size.x, size.y), mul_rn(size.y, size.z)), mul_rn(size.z, size.x));
    return area >= 0 ? bits_of(area) >> 18 : 0;  // NaN and what is negative never opens
  }
};

/// Levels below the root at which an instance is still opened, so that it becomes up to 4^4 references.
inline constexpr u32 max_opened_levels = 4;

/// The root's key: that of the instance's box. 0 if it must stay whole: if the transform distorts so much that the
/// rounding of a ray in the space of the mesh may move a hit out of the box of a node, by the product of the largest
/// sums of rows.
COPSE_HD inline u32 root_key(const Affine& affine, const PlacedInstance& instance) {
  if (is_empty(instance.box())) return 0;
  double forth = 0, back = 0;
  for (int i = 0; i < 3; ++i) {
    const dvec3& row = affine.rows[i];
    const PlacedInstance::Row& inverse = instance.rows[i];
    forth = larger(forth, add_rn(add_rn(magnitude(row.x), magnitude(row.y)), magnitude(row.z)));
    back = larger(back, double(add_rn(add_rn(magnitude(inverse.x), magnitude(inverse.y)), magnitude(inverse.z))));
  }
  return mul_rn(forth, back) <= 64 ? AreaKey::of(instance.lo, instance.hi) : 0;
}

/// Visits the nodes of a mesh's tree that are opened at a limit, and those that become references.
///   visit: void opened(u32 key, u32 added) for a node that `added` + 1 others replace, void reference(u32 node)
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
      opens = opens && !node.child(slot).is_leaf();  // rays begin at nodes
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
