#pragma once

// The fast traversal of moving instances. It is the walk through both levels of a Scene (scene/walk/scene_walk.h)
// with another leaf test. This test checks the box of the instance at the ray's time, and computes the transform into
// the mesh from the two keys around that time. The box in the tree contains the instance at all times of the tree, so
// a ray may enter the box and miss the instance at its own time.
//
// A mesh of type MotionAccel is traversed at once, by a separate traversal out of line.

#include "motion/walk/moving_levels.h"
#include "scene/walk/scene_walk.h"

namespace copse::detail {

/// The hit of a ray in a mesh of type MotionAccel.
struct HitInside {
  float t;       // negative infinity: nothing
  u32 triangle;  // its place, for closest hits
  float u, v;

  COPSE_HD static HitInside none() { return {-infinity, invalid_id, 0, 0}; }
  COPSE_HD bool is_hit() const { return t > -infinity; }
};

/// SceneRayState, with the time of the ray.
struct MotionRayState : SceneRayState {
  u32 before;  // the key
  float part;
  HitInside inside;

  COPSE_HD KeyTime time() const { return {before, part == 0 ? before : before + 1, part, true}; }
};

static_assert(sizeof(MotionRayState) / sizeof(u32) % 2 == 1);

struct MotionStateInTest {
  MotionRayState state;

  COPSE_HD MotionRayState& operator()() { return state; }
  COPSE_HD const MotionRayState& operator()() const { return state; }
};

struct TakeHitInside {
  template <class Test>
  COPSE_HD HitInside operator()(const Test& test, float limit) const {
    if constexpr (requires { test.closest; }) {
      if (test.closest == invalid_id) return HitInside::none();
      const TriangleHit hit = UndividedHit{limit, test.v, test.w, test.inverse}.divided();
      return {limit, test.closest, hit.u, hit.v};
    } else {
      return test.found ? HitInside{limit, invalid_id, 0, 0} : HitInside::none();
    }
  }
};

template <template <class, Robustness> class TestOf>
[[gnu::noinline]] COPSE_HD HitInside trace_inside(const MotionView& mesh, const Ray& ray, float time, u32 mask,
                                                  Cull cull) {
  const KeyTime at = KeyTime::of(time, mesh.key_count);
  return trace_moving<default_stack_size, TestOf>(mesh.tree_at(at), mesh.seen_by(ray, at, mask, cull), ray,
                                                  TakeHitInside{});
}

/// The leaf test of a ray through moving instances.
///   TestOf: ClosestTriangle or AnyTriangleAt
///   Sight:  SceneSight or FullSight
///   Holder: MotionStateInTest or another one
template <template <class, Robustness> class TestOf, class Sight, class Holder = MotionStateInTest>
class MotionSceneTest {
  using Triangles = decltype(std::declval<Sight>().triangles_of(nullptr, std::declval<PlacedInstance>(), vec3()));
  using Test = TestOf<Triangles, Robustness::fast>;

 public:
  static constexpr bool finds_closest = requires(const Test& test) { test.closest; };

  bool gives_up = false;

  COPSE_HD MotionSceneTest(const MotionParts& scene, const Sight& sight, const Ray& ray, const KeyTime& time,
                           float time_of_ray)
      : scene_(scene), sight_(sight), time_of_ray_(time_of_ray), test_(Triangles{}, Ray{}) {
    MotionRayState& state = state_();
    state.ray = ray;
    state.best = invalid_id;
    state.before = time.before, state.part = time.part;
  }

  /// At a leaf of the tree over the instances: enters the mesh of its instance.
  template <class Walk>
  [[gnu::always_inline]] COPSE_HD void go_down(Walk& walk, const u32* numbers) {
    MotionRayState& state = state_();
    const u32 entered = numbers[walk.place()];
    state.keep(walk.slabs());
    state.limit_above = walk.limit();
    state.entered = entered;
    state.inside = HitInside::none();
    const MovingInstance& instance = scene_.instances[entered];
    PreparedRay prepared{};  // does not enter
    Test test(Triangles{}, Ray{});
    PlacedInstance placed;
    if ((instance.mask & sight_.mask) != 0 && meets_box(walk, entered) &&
        scene_.place(entered, instance, state.time(), placed)) {
      const Ray ray = placed.into_mesh(state.ray, walk.limit());
      if (instance.moves_inside != 0) {
        state.inside = trace_inside<TestOf>(scene_.moving_mesh(instance), ray, time_of_ray_, sight_.mask,
                                            placed.culled_side(sight_.cull));
      } else {
        prepared = prepare_in_instance(placed, ray, sight_.mask);
        test = Test(sight_.triangles_of(&placed, placed, ray.direction), ray);
      }
    }
    test_ = test;
    state.height = walk.enter(instance.nodes, prepared, 0);
  }

  /// At the end of an instance: takes over the hit that was found there, and continues in the tree above. If the
  /// search is over, the walk stays done.
  template <class Walk>
  [[gnu::always_inline]] COPSE_HD void come_back(Walk& walk, const CompressedBvh4Node* above) {
    const MotionRayState& state = state_();
    gives_up = test_.gives_up;
    float limit = state.limit_above;
    if (!gives_up && (has_hit() || state.inside.is_hit())) take_hit(walk.limit(), limit);
    if (gives_up || (!finds_closest && is_hit())) return;
    walk.leave(above, state.slabs(), limit, state.height);
  }

  /// Called at the leaves of an instance.
  template <class Walk, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_triangles(Walk& walk, Counter& counter) {
    walk.test_leaf(test_, counter);
  }

  COPSE_HD bool is_hit() const { return state_().best != invalid_id; }

  /// `limit`: the last one of the walk.
  COPSE_HD SceneHit hit(float limit) const {
    if (!is_hit()) return {limit, invalid_id, invalid_id, 0, 0, invalid_id};
    const MotionRayState& state = state_();
    const PackedTriangle& triangle = scene_.instances[state.best].triangles[state.triangle];
    const TriangleHit found = UndividedHit{limit, state.v, state.w, state.inverse}.divided();
    return {limit, triangle.local_id, triangle.geometry, found.u, found.v, state.best};
  }

 private:
  COPSE_HD bool has_hit() const {
    if constexpr (finds_closest) {
      return test_.closest != invalid_id;
    } else {
      return test_.found;
    }
  }

  template <class Walk>
  [[gnu::always_inline]] COPSE_HD bool meets_box(const Walk& walk, u32 number) const {
    const MotionRayState& state = state_();
    const Aabb box = scene_.box_at(number, state.time());
    if (is_empty(box)) return false;
    return is_within(intersect_box(walk.slabs(), box.lo, box.hi),
                     common_range_box_limit(walk.slabs(), walk.limit()));
  }

  /// Takes over a hit at `t` in the instance, unless an earlier hit is better. Then `limit` becomes the t of the hit.
  COPSE_HD void take_hit(float t, float& limit) {
    MotionRayState& state = state_();
    const bool is_inside = state.inside.is_hit();
    if (is_inside) t = state.inside.t;
    const Aabb box = scene_.box_at(state.entered, state.time());
    if (!is_surely_in_box(state.ray, box, t) && !bring_into_box(state.ray, box, t)) return;
    if constexpr (finds_closest) {
      if (t > limit || (t == limit && is_hit() && state.best < state.entered)) return;
      state.triangle = is_inside ? state.inside.triangle : test_.closest;
      state.v = is_inside ? state.inside.u : test_.v;
      state.w = is_inside ? state.inside.v : test_.w;
      state.inverse = is_inside ? 1.0f : test_.inverse;
      limit = t;
    }
    state.best = state.entered;
  }

  const MotionParts& scene_;
  Sight sight_;
  float time_of_ray_;
  [[no_unique_address]] Holder state_;
  Test test_;
};

}  // namespace copse::detail
