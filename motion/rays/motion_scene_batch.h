#pragma once

// The rays of a batch through moving instances, for the kernels of both backends.

#include "motion/motion_scene_view.h"
#include "motion/rays/motion_batch.h"

namespace copse::detail {

struct MotionSceneBatch : TimedRays {
  MotionSceneView scene;
};

/// `Out`: SceneHit for the closest hit, u8 for any. `sees_all`: all rays see all triangles and instances.
template <class Out, bool sees_all>
struct MotionSceneQuery {
  static constexpr bool finds_closest = std::is_same_v<Out, SceneHit>;

  using Sight = std::conditional_t<sees_all, FullSight, SceneSight>;
  using Walk = std::conditional_t<finds_closest, SceneWalkInOrder, SceneWalkInNoOrder>;
  template <class Holder>
  using Test = std::conditional_t<finds_closest, MotionSceneTest<ClosestTriangle, Sight, Holder>,
                                  MotionSceneTest<AnyTriangleAt, Sight, Holder>>;

  MotionSceneBatch batch;
  Out* results;

  COPSE_HD Sight sight_of(u64 i) const {
    if constexpr (sees_all) {
      return {};
    } else {
      return {batch.mask_of(i), batch.cull};
    }
  }

  COPSE_HD static Out miss(const Ray& ray) {
    if constexpr (finds_closest) {
      return {ray.t_max, invalid_id, invalid_id, 0, 0, invalid_id};
    } else {
      return 0;
    }
  }

  /// Traces ray i. False if it needs the robust traversal.
  template <class Holder>
  COPSE_HD bool trace_fast(u64 i, Out& result) const {
    const Ray ray = batch.ray(i);
    const float time = batch.time_of(i);
    const KeyTime at = KeyTime::of(time, batch.scene.parts.key_count);
    result = miss(ray);
    if (!at.is_number) return true;
    Test<Holder> test(batch.scene.parts, sight_of(i), ray, at, time);
    float limit;
    if (!walk_scene<Walk>(batch.scene.tree_at(time), ray, test, limit)) return false;
    if constexpr (finds_closest) {
      result = test.hit(limit);
    } else {
      result = test.is_hit() ? 1 : 0;
    }
    return true;
  }

  /// Traces ray i by robust traversals.
  COPSE_HD Out trace_robust(u64 i) const {
    const Ray ray = batch.ray(i);
    const float time = batch.time_of(i);
    const MotionSight sight = sight_at(batch.scene, time, batch.mask_of(i), batch.cull);
    if (!sight.time.is_number) return miss(ray);
    const CompressedBvh4View& tree = batch.scene.tree_at(time);
    if constexpr (finds_closest) {
      return robust_closest_moving<default_stack_size>(tree, batch.scene.parts, ray, sight);
    } else {
      return robust_any_moving<default_stack_size>(tree, batch.scene.parts, ray, sight) ? 1 : 0;
    }
  }
};

}  // namespace copse::detail
