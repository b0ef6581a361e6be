#pragma once

// The fast traversal of a scene, step by step, with the interface of Walk. One loop serves both levels, so that the
// threads of a warp step together, whether they are above the instances or in one of them. The kernels of batches
// (trace/batch/cuda) and kernels of users run it.
//
// At a leaf of the tree over the instances, the walk enters the instance: it continues at the root of its mesh, with
// the ray in the space of that mesh. When it is done there, it returns and continues behind the leaf. Both levels
// share a stack. t is the same in both spaces (placed_instance.h), so the limit is too.
//
// The leaf test holds the state that is not needed at each step: the ray in the scene, prepared for the tree over the
// instances, and the best hit so far. Kernels of batches keep it in shared memory, where it takes no registers.

#include "accel/accel_view.h"
#include "scene/walk/scene_parts.h"
#include "trace/walk/unordered_walk.h"
#include "trace/walk/wide_walk.h"

namespace copse::detail {

/// The mask and the culling of a ray. They decide which triangles of an instance it can hit.
struct SceneSight {
  u32 mask;
  Cull cull;

  COPSE_HD SeenTriangles<PlacedTriangles, PackedMasks> triangles_of(const PlacedInstance* record,
                                                                    const PlacedInstance& begun,
                                                                    const vec3& direction) const {
    return {{begun.triangles}, {record->masks}, mask, direction, begun.culled_side(cull)};
  }
};

/// The same if the ray sees all triangles. Then there is no check per triangle.
struct FullSight {
  static constexpr u32 mask = ~u32{0};
  static constexpr Cull cull = Cull::none;

  COPSE_HD PlacedTriangles triangles_of(const PlacedInstance*, const PlacedInstance& begun, const vec3&) const {
    return {begun.triangles};
  }
};

/// Prepares a ray in the space of an instance for the tree there.
[[gnu::always_inline]] COPSE_HD inline PreparedRay prepare_in_instance(const PlacedInstance& begun, const Ray& ray,
                                                                       u32 mask) {
  PreparedRay prepared;
  prepared.limit = ray.t_max;
  const bool is_common = make_common_range_slabs(ray, {{}, begun.farthest}, prepared.slabs);
  prepared.box_limit = common_range_box_limit(prepared.slabs, ray.t_max);
  prepared.enters = is_common && (begun.mask & mask) != 0;
  prepared.gives_up = !is_common && is_traceable(ray);
  return prepared;
}

/// AnyTriangle that returns t as the last limit.
template <class Triangles, Robustness robustness>
struct AnyTriangleAt : AnyTriangle<Triangles, robustness> {
  using AnyTriangle<Triangles, robustness>::AnyTriangle;

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!this->triangles.sees(at)) return false;
    UndividedHit hit;
    this->found = test_triangle<robustness>(this->shear, this->triangles.triangle(at), this->t_min, limit, hit,
                                            this->gives_up);
    if (this->found) limit = hit.t;
    return this->found || this->gives_up;
  }
};

/// The part of a test that is needed only when a ray goes from one level to the other. It has an odd number of words,
/// so that neighbouring threads read their states in shared memory without bank conflicts.
struct SceneRayState {
  Ray ray;  // in the scene, and prepared there:
  vec3 scale, near_offset, far_offset;
  float start, time_scale;

  float limit_above;  // when the instance was entered
  u32 height;         // of the stack then
  u32 entered;        // its record

  u32 best;  // the record of the best hit
  u32 triangle;
  float v, w, inverse;  // as UndividedHit has them

  COPSE_HD void keep(const RaySlabs& slabs) {
    scale = slabs.scale, near_offset = slabs.near_offset, far_offset = slabs.far_offset;
    start = slabs.start, time_scale = slabs.time_scale;
  }
  COPSE_HD RaySlabs slabs() const { return {scale, near_offset, far_offset, ray.origin, start, time_scale, true}; }
};

static_assert(sizeof(SceneRayState) / sizeof(u32) % 2 == 1);

/// Holder that keeps the state in the test itself.
struct StateInTest {
  SceneRayState state;

  COPSE_HD SceneRayState& operator()() { return state; }
  COPSE_HD const SceneRayState& operator()() const { return state; }
};

/// The leaf test of a ray through a scene.
///   TestOf: ClosestTriangle or AnyTriangleAt
///   Sight:  SceneSight or FullSight
///   Holder: StateInTest or another one
template <template <class, Robustness> class TestOf, class Sight, class Holder = StateInTest>
class SceneTest {
  using Triangles = decltype(std::declval<Sight>().triangles_of(nullptr, std::declval<PlacedInstance>(), vec3()));
  using Test = TestOf<Triangles, Robustness::fast>;

 public:
  static constexpr bool finds_closest = requires(const Test& test) { test.closest; };

  bool gives_up = false;

  COPSE_HD SceneTest(const SceneParts& scene, const Sight& sight, const Ray& ray)
      : instances_(scene.instances), sight_(sight), test_(Triangles{}, Ray{}) {
    state_().ray = ray;
    state_().best = invalid_id;
  }

  /// At a leaf of the tree over the instances: enters the mesh of its instance.
  template <class Walk>
  [[gnu::always_inline]] COPSE_HD void go_down(Walk& walk, const u32* numbers) {
    SceneRayState& state = state_();
    const u32 entered = numbers[walk.place()];
    const PlacedInstance* const record = instances_ + entered;
    const PlacedInstance begun = PlacedInstance::load<5>(record);
    state.keep(walk.slabs());
    state.limit_above = walk.limit();
    state.entered = entered;
    const Ray ray = begun.into_mesh(state.ray, walk.limit());
    const PreparedRay prepared = prepare_in_instance(begun, ray, sight_.mask);
    test_ = Test(sight_.triangles_of(record, begun, ray.direction), ray);
    state.height = walk.enter(begun.nodes, prepared, begun.node);
  }

  /// At the end of an instance: takes over the hit that was found there, and continues in the tree above. If the
  /// search is over, the walk stays done.
  template <class Walk>
  [[gnu::always_inline]] COPSE_HD void come_back(Walk& walk, const CompressedBvh4Node* above) {
    const SceneRayState& state = state_();
    gives_up = test_.gives_up;
    float limit = state.limit_above;
    if (!gives_up && has_hit()) take_hit(walk.limit(), limit);  // it may give up
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
    const SceneRayState& state = state_();
    const PlacedInstance& instance = instances_[state.best];
    const PackedTriangle& triangle = instance.triangles[state.triangle];
    const TriangleHit found = UndividedHit{limit, state.v, state.w, state.inverse}.divided();
    return {limit, triangle.local_id, triangle.geometry, found.u, found.v, instance.number};
  }

 private:
  COPSE_HD bool has_hit() const {
    if constexpr (finds_closest) {
      return test_.closest != invalid_id;
    } else {
      return test_.found;
    }
  }

  /// Takes over a hit at `t` in the instance, unless an earlier hit is better. Then `limit` becomes the t of the hit.
  COPSE_HD void take_hit(float t, float& limit) {
    SceneRayState& state = state_();
    const PlacedInstance& instance = instances_[state.entered];
    const Aabb box = instance.box();
    if (!is_surely_in_box(state.ray, box, t) && !bring_into_box(state.ray, box, t)) return;
    if constexpr (finds_closest) {
      if (t > limit) return;
      if (t == limit && is_hit()) {
        const u32 best_number = instances_[state.best].number;
        if (best_number < instance.number) return;
        gives_up = best_number == instance.number;  // two parts of an opened instance, at the same t
      }
      state.triangle = test_.closest;
      state.v = test_.v, state.w = test_.w, state.inverse = test_.inverse;
      limit = t;
    }
    state.best = state.entered;
  }

  const PlacedInstance* instances_;
  Sight sight_;
  [[no_unique_address]] Holder state_;
  Test test_;
};

/// The walk through both levels. `LevelWalk`: the walk through one level.
template <class LevelWalk>
class SceneWalk {
 public:
  using Tree = typename LevelWalk::Tree;

  /// `entries`: as many as LevelWalk needs.
  COPSE_HD SceneWalk(const Tree& top, StackEntry* entries) : top_(top), entries_(entries), walk_(top, entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const PreparedRay& prepared) {
    walk_ = LevelWalk(top_, entries_);  // the previous ray may have ended in an instance
    walk_.begin(prepared);
    is_below_ = false;
  }

  COPSE_HD bool is_done() const { return walk_.is_done() && !(is_below_ && !walk_.gives_up()); }
  COPSE_HD bool is_at_leaf() const { return walk_.is_at_leaf() || (walk_.is_done() && !is_done()); }
  COPSE_HD bool is_at_inner() const { return walk_.is_at_inner(); }
  COPSE_HD bool gives_up() const { return walk_.gives_up(); }
  COPSE_HD float limit() const { return walk_.limit(); }

  template <u32 max_steps, class Counter>
  [[gnu::always_inline]] COPSE_HD void take_steps(Counter& counter) {
    walk_.template take_steps<max_steps>(counter);
  }

  template <class Test, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(Test& test, Counter& counter) {
    if (is_below_ && walk_.is_at_leaf()) return test.test_triangles(walk_, counter);
    if (is_below_) {
      test.come_back(walk_, top_.nodes);
      is_below_ = false;
    }
    // Threads that returned and reached another leaf enter its instance together with threads that just reached one.
    if (!walk_.is_at_leaf()) return;
    test.go_down(walk_, top_.primitive_ids);
    is_below_ = true;
  }

 private:
  Tree top_;
  StackEntry* entries_;
  LevelWalk walk_;
  bool is_below_ = false;
};

/// Entries of the stack that both levels share.
inline constexpr u32 scene_stack_size = 64;

using SceneWalkInOrder = SceneWalk<Walk<WideTree<CompressedBvh4Node>, scene_stack_size, Robustness::fast>>;
using SceneWalkInNoOrder = SceneWalk<UnorderedWalk<CompressedBvh4Node, scene_stack_size>>;

/// Traverses a scene for one ray. Returns false if the ray needs the robust traversal.
template <class Walk, class Test>
COPSE_HD inline bool walk_scene(const CompressedBvh4View& tree, const Ray& ray, Test& test, float& limit) {
  const auto top = tree_of(tree);
  StackEntry entries[scene_stack_size];
  Walk walk(top, entries);
  NoCounter counter;
  walk.begin(prepare_ray(ray, TreeReach::of(top.bounds())));
  while (!walk.is_done()) {
    walk.template take_steps<3>(counter);
    if (walk.is_at_leaf()) walk.test_leaf(test, counter);
  }
  limit = walk.limit();
  return !walk.gives_up() && !test.gives_up;
}

}  // namespace copse::detail
