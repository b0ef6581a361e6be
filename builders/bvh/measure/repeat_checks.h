#pragma once

// Checks of trees with splits, where a triangle stands in several leaves: together the boxes on the paths to its leaves
// must hold its corners, its edges and all of its area, and the links between its places must reach all of them.

#include "builders/bvh/measure/measured.h"
#include "builders/bvh/measure/triangle_part.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/geometry/triangle_table.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

/// Returns the part of space in which rays reach a place: the intersection of the box of its leaf and all boxes
/// above it. It is empty if the links name another leaf.
COPSE_HD inline Aabb reached_box(const BvhView& bvh, const BvhCounts& counts, u32 place) {
  u32 at = bvh.repeats[place].leaf;
  if (at >= counts.node_count) return Aabb::empty();
  const BvhNode leaf = bvh.nodes.data()[at];
  Aabb box = place - leaf.first < leaf.count ? leaf.box() : Aabb::empty();
  while (at != 0) {
    at = bvh.parents.data()[sibling_pair(at)];
    box = intersection(box, bvh.nodes.data()[at].box());
  }
  return box;
}

/// Returns the box of the child that holds a place of primitives, or that is an inner node; else the empty box.
template <class Node>
COPSE_HD Aabb box_of_child(const Node& node, u32 first, bool is_leaf) {
  for (u32 slot = 0; slot < Node::width; ++slot) {
    const WideChild child = node.child(slot);
    if (child.is_nothing() || child.is_leaf() != is_leaf) continue;
    if (first - child.first < larger(child.count, 1u)) return node.child_box(slot);
  }
  return Aabb::empty();
}

template <class Node>
COPSE_HD Aabb reached_box(const WideBvhView<Node>& tree, const WideBvhCounts& counts, u32 place) {
  u32 at = tree.repeats[place].leaf;
  if (at >= counts.node_count) return Aabb::empty();
  Aabb box = box_of_child(tree.nodes.data()[at], place, true);
  while (at != 0) {
    const u32 child = at;
    at = tree.parents.data()[at];
    box = intersection(box, box_of_child(tree.nodes.data()[at], child, false));
  }
  return box;
}

/// Marks the places that a later place of the same primitive links to.
template <class View>
struct MarkLinkedPlace {
  View tree;
  u32 place_count;
  u32* is_linked;
  COPSE_HD void operator()(u64 place) const {
    const u32 previous = tree.repeats[place].previous;
    if (previous < place_count) is_linked[previous] = 1;
  }
};

/// Checks a triangle at its last place, whether it is split or not.
///   uses: of each primitive by leaves
template <class View, class Counts>
struct CheckSplitTriangle {
  View tree;
  Counts counts;
  TriangleBoxes boxes;
  const u32* uses;
  const u32* is_linked;
  Faults* faults;

  COPSE_HD void operator()(u64 place) const {
    if (is_linked[place] != 0) return;
    const u32 id = tree.primitive_ids.data()[place];
    if (!is_covered(boxes.table.triangle(id), u32(place), id)) {
      fetch_add_relaxed(&faults->uncovered_primitives, u64{1});
    }
  }

 private:
  COPSE_HD bool is_covered(const Triangle& triangle, u32 place, u32 id) const {
    if (is_empty(bounds(triangle))) return true;  // a refit may leave it in its leaves
    const vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    double covered_area = 0, covered_shares[3] = {0, 0, 0};
    u32 count = 0, covered_corners = 0;
    for (u32 at = place; at != invalid_id; at = tree.repeats[at].previous) {
      const bool is_linked_downwards =
          at < counts.primitive_count && at <= place && tree.primitive_ids.data()[at] == id;
      if (!is_linked_downwards || ++count > uses[id]) return false;
      const Aabb box = reached_box(tree, counts, at);
      if (is_empty(box)) return false;
      covered_area += area_in_box(triangle, box);
      for (u32 k = 0; k < 3; ++k) {
        if (merge(box, {corners[k], corners[k]}) == box) covered_corners |= 1u << k;
        covered_shares[k] += share_in_box(corners[k], corners[k < 2 ? k + 1 : 0], box);
      }
      place = at;
    }
    // The area of a triangle that is almost a line is less than its rounding. Then only the edges are checked.
    const double tolerance = 1e-6, needed_area = area(whole(triangle)) * (1 - tolerance);
    const double rounding = area_error(triangle) * (double(count) + 1);
    bool has_edges = true;
    for (const double share : covered_shares) has_edges &= share >= 1 - tolerance;
    return count == uses[id] && covered_corners == 7 && has_edges && covered_area >= needed_area - rounding;
  }
};

}  // namespace copse::detail
