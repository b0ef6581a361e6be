#pragma once

// The query of a batch of rays through a scene. trace/batch/ray_queries.h has the queries through an accel; the same
// kernels trace both.

#include "scene/scene_view.h"
#include "trace/batch/ray_queries.h"

namespace copse::detail {

/// The masks and the culling of a batch.
struct MaskedSceneRays {
  const u32* masks;  // one per ray; null: `mask` for all
  u32 mask;
  Cull cull;

  COPSE_HD SceneSight of_ray(u64 i) const { return {masks == nullptr ? mask : masks[i] & mask, cull}; }
  COPSE_HD void skip(u64 count) {
    if (masks != nullptr) masks += count;
  }
};

/// For a batch whose rays see all triangles.
struct FullSceneRays {
  COPSE_HD static FullSight of_ray(u64) { return {}; }
  COPSE_HD void skip(u64) {}
};

/// Closest hits, or any hits where the result is a u8.
///   Sights: MaskedSceneRays or FullSceneRays
///   Holder: where the tests keep their state
template <class Out, class Sights, class Holder = StateInTest>
struct SceneQuery {
  using Tree = WideTree<CompressedBvh4Node>;
  using Result = Out;
  using Sight = decltype(std::declval<Sights>().of_ray(0));
  static constexpr bool finds_closest = std::is_same_v<Out, SceneHit>;
  static constexpr bool has_masks = std::is_same_v<Sights, MaskedSceneRays>;

  /// The sum of the triangles of all instances is not known here. This large number makes automatic begin with
  /// persistent warps, which were the faster kernel for closest hits in most cases.
  static constexpr u64 triangle_count = ~u64{0};

  template <Robustness robustness>
  using Test = std::conditional_t<
      robustness == Robustness::robust,
      std::conditional_t<finds_closest, ClosestInstance<default_stack_size>, AnyInstance<default_stack_size>>,
      std::conditional_t<finds_closest, SceneTest<ClosestTriangle, Sight, Holder>,
                         SceneTest<AnyTriangleAt, Sight, Holder>>>;

  Tree tree;
  SceneParts scene;
  Sights sights;
  const Ray* rays;
  Result* results;

  /// The leaf test of ray i. The robust test keeps a reference to the ray.
  template <Robustness robustness>
  COPSE_HD Test<robustness> test(const Ray& ray, u64 i) const {
    const Sight sight = sights.of_ray(i);
    if constexpr (robustness == Robustness::robust) {
      return {scene, ray, sight.mask, sight.cull};
    } else {
      return {scene, sight, ray};
    }
  }

  /// `limit`: the last one of a traversal that did not give up.
  template <class Test>
  COPSE_HD static Result result(const Test& test, float limit, u64) {
    if constexpr (finds_closest) {
      return test.hit(limit);
    } else {
      return test.is_hit() ? 1 : 0;
    }
  }

  COPSE_HD static Result miss(const Ray& ray) {
    if constexpr (finds_closest) {
      return {ray.t_max, invalid_id, invalid_id, 0, 0, invalid_id};
    } else {
      return 0;
    }
  }

  /// Drops the first rays.
  void skip(u64 count) {
    rays += count;
    results += count;
    sights.skip(count);
  }
};

template <class Out, class Sights, class Holder, u32 stack_size>
struct FastWalkOf<SceneQuery<Out, Sights, Holder>, stack_size> {
  static_assert(stack_size == scene_stack_size);
  using type =
      std::conditional_t<SceneQuery<Out, Sights, Holder>::finds_closest, SceneWalkInOrder, SceneWalkInNoOrder>;
};

}  // namespace copse::detail
