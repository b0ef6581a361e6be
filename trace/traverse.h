#pragma once

// The walk of a ray through a binary tree, for the host and for kernels, with nothing else to link.
//
//   copse::Hit hit = copse::closest_hit(bvh.view(), triangles, ray);      // a TriangleView or TriangleTable
//   bool blocked = copse::any_hit(bvh.view(), triangles, ray);
//
// Other primitives than triangles: traverse() with a leaf test of your own, over a tree made from boxes.
//
// No depth limit. The walk goes down to the nearer child first and keeps the other on a small stack in local
// memory. When that is full its oldest entry is dropped. When it runs empty after a drop, the walk climbs the
// parent links from the node that it finished last: at every ancestor it finds the order of the two siblings
// anew, and where it came from the one that is first, the other is next if its box is still within the limit.
// That visits what was dropped and nothing twice:
//   - the order depends on the ray and the two boxes alone, never on the hits so far, so going down and
//     climbing agree on it;
//   - the node finished last is the last one in visiting order, so a sibling that comes first is finished, and
//     a sibling that comes second has not been visited;
//   - a sibling that was skipped going down fails again, as the limit only falls.
// Each node is climbed past at most once.

#include "builders/bvh/node.h"
#include "builders/geometry/triangle_table.h"
#include "trace/intersect.h"

namespace copse {

/// Entries of the stack in local memory, 8 bytes each. Random rays into scenes of 66,000 to 400,000 triangles
/// held 16 at most; with 8, climbing costs 5 percent of the rays a second, with 4 a quarter.
inline constexpr u32 default_stack_size = 32;

/// Counts nothing, at no cost.
struct NoCounter {
  COPSE_HD void count_node() {}
  COPSE_HD void count_primitive() {}
};

/// Counts the nodes that a ray visits and the primitives that it is tested against.
struct VisitCounter {
  u32 nodes = 0;
  u32 primitives = 0;
  COPSE_HD void count_node() { ++nodes; }
  COPSE_HD void count_primitive() { ++primitives; }
};

namespace detail {

/// The far siblings to visit, at most `size`; a ring that drops the oldest.
template <u32 size>
class TraversalStack {
  static_assert(size > 0 && (size & (size - 1)) == 0, "a ring's size is a power of two");

 public:
  COPSE_HD void push(u32 node, float entry) {
    top_ = (top_ + 1) & (size - 1);
    nodes_[top_] = node;
    entries_[top_] = entry;
    if (count_ == size) {
      has_dropped_ = true;
    } else {
      ++count_;
    }
  }

  /// The latest node whose box is entered at or before `limit`; invalid_id where none is left.
  COPSE_HD u32 pop(float limit) {
    while (count_ > 0) {
      const u32 node = nodes_[top_];
      const bool within = entries_[top_] <= limit;
      top_ = (top_ - 1) & (size - 1);
      --count_;
      if (within) return node;
    }
    return invalid_id;
  }

  COPSE_HD bool has_dropped() const { return has_dropped_; }

 private:
  u32 nodes_[size];
  float entries_[size];
  u32 top_ = 0;
  u32 count_ = 0;
  bool has_dropped_ = false;
};

/// Loads the node whole, by two 16-byte loads.
COPSE_HD inline BoxSpan intersect_node(const RaySlabs& slabs, const BvhView& bvh, u32 node_id) {
  const BvhNode node = bvh.nodes.data()[node_id];
  return intersect_box(slabs, node.lo, node.hi);
}

/// The child to visit first of those at `first` and `first + 1`, after the other went on the stack;
/// invalid_id where the ray misses both.
template <u32 size>
COPSE_HD inline u32 descend(const BvhView& bvh, const RaySlabs& slabs, float limit, u32 first,
                            TraversalStack<size>& stack) {
  const BoxSpan left = intersect_node(slabs, bvh, first);
  const BoxSpan right = intersect_node(slabs, bvh, first + 1);
  const bool enters_left = is_within(left, limit), enters_right = is_within(right, limit);
  if (!enters_left && !enters_right) return invalid_id;
  if (!enters_left || !enters_right) return enters_left ? first : first + 1;

  const bool left_first = left.entry <= right.entry;
  stack.push(left_first ? first + 1 : first, left_first ? right.entry : left.entry);
  return left_first ? first : first + 1;
}

/// The node to visit after the subtree of `node`, found by parent links; invalid_id where all are done.
COPSE_HD inline u32 climb(const BvhView& bvh, const RaySlabs& slabs, float limit, u32 node) {
  while (node != 0) {
    const u32 pair = sibling_pair(node);
    const u32 other = sibling(node);
    const BoxSpan here = intersect_node(slabs, bvh, node);
    const BoxSpan there = intersect_node(slabs, bvh, other);
    const bool came_first = node < other ? here.entry <= there.entry : here.entry < there.entry;
    if (came_first && is_within(there, limit)) return other;
    node = bvh.parents.data()[pair];
  }
  return invalid_id;
}

}  // namespace detail

/// Walks the tree front to back and calls `leaf_test(primitive, limit)` for the primitives of every leaf whose
/// box the ray enters at or before `limit`, which starts at the ray's t_max.
///   leaf_test: bool operator()(u32 primitive, float& limit); it may lower the limit to the t of a hit, and
///              ends the walk by returning true. Boxes that begin at the limit itself are still visited.
template <u32 stack_size = default_stack_size, class LeafTest, class Counter>
COPSE_HD inline void traverse(const BvhView& bvh, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  const BvhNode* nodes = bvh.nodes.data();
  if (!is_traceable(ray) || is_empty(nodes[0].box())) return;
  const RaySlabs slabs = make_slabs(ray);
  float limit = ray.t_max;
  float box_limit = mul_rn(limit, slabs.time_scale);
  if (!is_within(detail::intersect_node(slabs, bvh, 0), box_limit)) return;

  detail::TraversalStack<stack_size> stack;
  u32 at = 0;
  while (at != invalid_id) {
    const BvhNode node = nodes[at];
    counter.count_node();
    if (node.is_leaf()) {
      for (u32 i = 0; i < node.count; ++i) {
        counter.count_primitive();
        if (leaf_test(bvh.primitive_ids.data()[node.first + i], limit)) return;
      }
      box_limit = mul_rn(limit, slabs.time_scale);
    } else if (const u32 child = detail::descend(bvh, slabs, box_limit, node.first, stack); child != invalid_id) {
      at = child;
      continue;
    }
    const u32 next = stack.pop(box_limit);
    at = next == invalid_id && stack.has_dropped() ? detail::climb(bvh, slabs, box_limit, at) : next;
  }
}

template <u32 stack_size = default_stack_size, class LeafTest>
COPSE_HD inline void traverse(const BvhView& bvh, const Ray& ray, LeafTest& leaf_test) {
  NoCounter counter;
  traverse<stack_size>(bvh, ray, leaf_test, counter);
}

namespace detail {

/// Leaf test: keeps the smallest (t, primitive id).
struct ClosestTriangle {
  const TriangleTable& triangles;
  RayShear shear;
  float t_min;
  TriangleHit hit;  // t is the limit until there is one
  u32 primitive = invalid_id;

  COPSE_HD bool operator()(u32 id, float& limit) {
    TriangleHit found;
    if (intersect_triangle(shear, triangles.triangle(id), t_min, limit, found) &&
        (found.t < hit.t || id < primitive)) {
      hit = found;
      primitive = id;
      limit = found.t;
    }
    return false;
  }
};

/// Leaf test: ends at the first triangle.
struct AnyTriangle {
  const TriangleTable& triangles;
  RayShear shear;
  float t_min;
  bool found = false;

  COPSE_HD bool operator()(u32 id, float& limit) {
    TriangleHit hit;
    found = intersect_triangle(shear, triangles.triangle(id), t_min, limit, hit);
    return found;
  }
};

/// The closest triangle by its primitive id, counted through all views.
template <u32 stack_size = default_stack_size, class Counter>
COPSE_HD inline ClosestTriangle closest_triangle(const BvhView& bvh, const TriangleTable& triangles,
                                                 const Ray& ray, Counter& counter) {
  ClosestTriangle closest{triangles, make_shear(ray), ray.t_min, {ray.t_max, 0, 0}};
  traverse<stack_size>(bvh, ray, closest, counter);
  return closest;
}

}  // namespace detail

/// The closest hit: the smallest (t, primitive id through all views). On a miss primitive and geometry are
/// invalid_id and t is the ray's t_max.
///   bvh, triangles: in memory that the caller can read: the device's in a kernel
template <u32 stack_size = default_stack_size, class Counter>
COPSE_HD inline Hit closest_hit(const BvhView& bvh, const TriangleTable& triangles, const Ray& ray,
                                Counter& counter) {
  const detail::ClosestTriangle closest = detail::closest_triangle<stack_size>(bvh, triangles, ray, counter);
  if (closest.primitive == invalid_id) return {ray.t_max, invalid_id, invalid_id, 0, 0};
  return {closest.hit.t, triangles.local_id(closest.primitive), triangles.geometry(closest.primitive),
          closest.hit.u, closest.hit.v};
}

template <u32 stack_size = default_stack_size>
COPSE_HD inline Hit closest_hit(const BvhView& bvh, const TriangleTable& triangles, const Ray& ray) {
  NoCounter counter;
  return closest_hit<stack_size>(bvh, triangles, ray, counter);
}

template <u32 stack_size = default_stack_size>
COPSE_HD inline Hit closest_hit(const BvhView& bvh, const TriangleView& triangles, const Ray& ray) {
  return closest_hit<stack_size>(bvh, TriangleTable{triangles}, ray);
}

/// True where the ray hits any triangle.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const BvhView& bvh, const TriangleTable& triangles, const Ray& ray) {
  detail::AnyTriangle any{triangles, make_shear(ray), ray.t_min};
  traverse<stack_size>(bvh, ray, any);
  return any.found;
}

template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const BvhView& bvh, const TriangleView& triangles, const Ray& ray) {
  return any_hit<stack_size>(bvh, TriangleTable{triangles}, ray);
}

}  // namespace copse
