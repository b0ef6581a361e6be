#pragma once

// Traces a ray through a copse::MotionAccel at a time, on the host and in kernels. In kernels there is nothing to link.
//
//   __global__ void shade(copse::MotionView scene, ...) {
//     const copse::Hit hit = copse::closest_hit(scene, ray, time);
//     ...
//
// The hits equal those of batches, bit for bit.

#include "motion/walk/moving_tree.h"
#include "motion/walk/moving_triangles.h"

namespace copse {

/// The part of a MotionAccel that kernels need: a small value that you pass by copy. It owns nothing. It stays valid
/// through refits and rebuilds.
struct MotionView {
  BufferSpan<const CompressedBvh4Node> nodes;  // those of key 0, then as many of key 1, and so on
  BufferSpan<const PackedTriangle> triangles;  // those of key 0 in the order of the leaves, then those of key 1
  u64 node_stride;                             // number of nodes per key
  u64 triangle_stride;                         // number of triangles per key
  const u32* parents;                          // [node], the same at all keys
  const u32* masks;                            // [triangle], the same at all keys; null: all bits are set
  const Aabb* box;                             // of the triangles at all keys
  u32 key_count;

  /// The time of a key: key 0 has 0, the last key has 1, and all are equally spaced.
  COPSE_HD float time_of(u32 key) const { return div_rn(float(key), float(key_count - 1)); }

  /// The tree at a time, for traversals.
  COPSE_HD detail::MovingTree tree_at(const detail::KeyTime& time) const {
    return {{nodes.data() + time.before * node_stride, nodes.data() + time.after * node_stride, time.part},
            parents,
            time.is_number ? box : nullptr};
  }
  COPSE_HD detail::MovingTriangles triangles_at(const detail::KeyTime& time) const {
    return {{triangles.data() + time.before * triangle_stride},
            {triangles.data() + time.after * triangle_stride},
            time.part};
  }

  /// The triangles that a ray with this mask sees at a time.
  COPSE_HD detail::SeenMovingTriangles seen_by(const Ray& ray, const detail::KeyTime& time, u32 mask,
                                               Cull cull) const {
    return {triangles_at(time), {masks}, mask, ray.direction, cull};
  }
};

namespace detail {

template <u32 stack_size>
using MovingWalk = Walk<MovingTree, stack_size, Robustness::fast>;

/// Traces one ray by robust traversal. It is out of line, so that it costs the fast one no registers.
template <u32 stack_size, template <class, Robustness> class TestOf, class Triangles>
[[gnu::noinline]] COPSE_HD TestOf<Triangles, Robustness::robust> test_moving_robust(const MovingTree& tree,
                                                                                    const Triangles& triangles,
                                                                                    const Ray& ray, float& limit) {
  TestOf<Triangles, Robustness::robust> test(triangles, ray);
  NoCounter counter;
  limit = traverse_robust<stack_size>(tree, ray, test, counter);
  return test;
}

/// Calls finish(test, limit) with the leaf test of a traced ray. The fast traversal traces it, or the robust one if
/// the fast one gave up.
template <u32 stack_size, template <class, Robustness> class TestOf, class Triangles, class Finish>
COPSE_HD inline auto trace_moving(const MovingTree& tree, const Triangles& triangles, const Ray& ray,
                                  const Finish& finish) {
  StackEntry entries[default_stack_size];
  MovingWalk<default_stack_size> walk(tree, entries);
  TestOf<Triangles, Robustness::fast> test(triangles, ray);
  NoCounter counter;
  walk.begin(prepare_moving_ray(ray, TreeReach::of(tree.bounds())));
  while (!walk.is_done()) {
    walk.template take_steps<3>(counter);
    if (walk.is_at_leaf()) walk.test_leaf(test, counter);
  }
  if (!walk.gives_up() && !test.gives_up) return finish(test, walk.limit());
  float limit;
  const auto robust_test = test_moving_robust<stack_size, TestOf>(tree, triangles, ray, limit);
  return finish(robust_test, limit);
}

/// Functors that make a result from a leaf test.
struct TakeHit {
  template <class Test>
  COPSE_HD Hit operator()(const Test& test, float limit) const {
    return test.hit(limit);
  }
};
struct TakeFound {
  template <class Test>
  COPSE_HD bool operator()(const Test& test, float) const {
    return test.found;
  }
};

}  // namespace detail

/// Returns the closest hit: the smallest (t, primitive id through all views). On a miss primitive and geometry are
/// invalid_id and t is the ray's t_max.
///   accel:      in memory that the caller can read; in a kernel that is device memory
///   time:       0 at the first key, 1 at the last. Below 0 it counts as 0, above 1 as 1; at NaN the ray hits nothing
///   mask:       the ray sees a triangle if this shares a bit with TriangleView::mask
///   cull:       the side of triangles that the ray passes over
///   stack_size: stack entries of the robust traversal, a power of two
template <u32 stack_size = default_stack_size>
COPSE_HD inline Hit closest_hit(const MotionView& accel, const Ray& ray, float time, u32 mask = ~u32{0},
                                Cull cull = Cull::none) {
  const auto at = detail::KeyTime::of(time, accel.key_count);
  return detail::trace_moving<stack_size, detail::ClosestTriangle>(
      accel.tree_at(at), accel.seen_by(ray, at, mask, cull), ray, detail::TakeHit{});
}

/// Returns true if the ray hits any triangle. The arguments are those of closest_hit.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const MotionView& accel, const Ray& ray, float time, u32 mask = ~u32{0},
                             Cull cull = Cull::none) {
  const auto at = detail::KeyTime::of(time, accel.key_count);
  return detail::trace_moving<stack_size, detail::AnyTriangle>(
      accel.tree_at(at), accel.seen_by(ray, at, mask, cull), ray, detail::TakeFound{});
}

}  // namespace copse
