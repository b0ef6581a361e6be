#pragma once

// The fast traversal of a scene: one loop for both levels, so that the threads of a warp step together whether they
// are above the instances or in one of them.
//
// At a leaf of the tree over the instances, the walk stops and waits, and another one begins with the ray in the space
// of the instance at the root of its accel. Once that is done, the first one goes on behind the leaf. Rays keep their
// length (placed_instance.h), so the limit is the same on both levels.

#include "accel/accel_view.h"
#include "scene/walk/placed_instance.h"
#include "scene/walk/scene_parts.h"
#include "trace/walk/wide_walk.h"

namespace copse::detail {

/// A leaf test of the upper level: takes over the limit that the level below has found.
struct TakeLimit {
  static constexpr bool takes_places = true;
  float found;

  COPSE_HD bool operator()(u32, float& limit) const {
    limit = found;
    return false;
  }
};

/// A leaf test of the upper level: fetches the place of its instance. A leaf has one.
struct TakePlace {
  static constexpr bool takes_places = true;
  u32 place = 0;

  COPSE_HD bool operator()(u32 at, float&) {
    place = at;
    return true;  // the copy of the walk that it is given ends here
  }
};

/// The instance that a walk is in.
struct EnteredInstance {
  u32 number;
  float limit_before;
};

/// Keeps the closest hit of the instances that the walk has left. `Test`: ClosestTriangle or AnyTriangle.
template <class Test>
struct SceneResult {
  static constexpr bool finds_closest = requires(const Test& test) { test.closest; };

  u32 instance = invalid_id;
  u32 triangle = invalid_id;  // its place among the packed triangles
  TriangleHit hit{};

  /// Takes over what the test has found in an instance, and returns the limit from now on.
  COPSE_HD float take(const Test& test, float limit, const EnteredInstance& entered, const Ray& ray,
                      const Aabb* boxes) {
    if constexpr (finds_closest) {
      if (test.closest == invalid_id) return entered.limit_before;
      if (!bring_into_box(ray, boxes[entered.number], limit)) return entered.limit_before;
      if (limit > entered.limit_before) return entered.limit_before;
      if (limit == entered.limit_before && instance < entered.number) return limit;
      hit = test.result(limit).hit;
      triangle = test.closest;
    } else {
      if (!test.found || !bring_into_box(ray, boxes[entered.number], limit)) return entered.limit_before;
    }
    instance = entered.number;
    return limit;
  }
};

/// Traverses a scene for one ray. Returns false if the ray needs the robust traversal.
template <template <class, Robustness> class TestOf>
COPSE_HD inline bool walk_scene(const CompressedBvh4View& view, const SceneParts& scene, Ray ray, u32 mask,
                                Cull cull, SceneHit& result) {
  using Triangles = SeenTriangles<PlacedTriangles, PackedMasks>;
  using Test = TestOf<Triangles, Robustness::fast>;
  using Walk = Walk<WideTree<CompressedBvh4Node>, default_stack_size, Robustness::fast>;
  const WideTree<CompressedBvh4Node> top = tree_of(view);
  StackEntry entries_above[default_stack_size], entries_below[default_stack_size];
  Walk walk(top, entries_above), above = walk;
  SceneResult<Test> best;
  EnteredInstance entered{invalid_id, 0};
  Test test(Triangles{}, ray);
  NoCounter counter;
  walk.begin(ray);
  for (;;) {
    walk.template take_steps<3>(counter);
    if (walk.is_at_leaf()) {
      if (entered.number != invalid_id) {
        walk.test_leaf(test, counter);
      } else {
        above = walk;
        TakePlace at;
        walk.test_leaf(at, counter);
        entered = {top.primitive_ids[at.place], above.limit()};
        const PlacedInstance instance = scene.instances[entered.number];
        const AccelView& accel = scene.accels[instance.accel];
        Ray in_mesh = instance.into_mesh(ray, entered.limit_before);
        if ((instance.mask & mask) == 0) in_mesh.t_max = -infinity;  // a ray without length
        test = Test(triangles_of(accel.seen_by(in_mesh, mask, instance.culled_side(cull))), in_mesh);
        walk = Walk(tree_of(accel.tree), entries_below);
        walk.begin(in_mesh);
      }
    }
    if (!walk.is_done()) continue;
    if (walk.gives_up() || test.gives_up) return false;
    if (entered.number == invalid_id) break;
    ray.t_max = best.take(test, walk.limit(), entered, ray, scene.boxes);
    if (!SceneResult<Test>::finds_closest && best.instance != invalid_id) break;
    entered.number = invalid_id;
    walk = above;
    TakeLimit lower{ray.t_max};
    walk.test_leaf(lower, counter);
  }
  result = {ray.t_max, invalid_id, invalid_id, 0, 0, best.instance};
  if (SceneResult<Test>::finds_closest && best.instance != invalid_id) {
    const PackedTriangle& triangle =
        scene.accels[scene.instances[best.instance].accel].triangles.data()[best.triangle];
    result = {ray.t_max, triangle.local_id, triangle.geometry, best.hit.u, best.hit.v, best.instance};
  }
  return true;
}

}  // namespace copse::detail
