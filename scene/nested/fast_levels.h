#pragma once

// The fast traversal of a scene of scenes: one loop for all levels, like the loop for two levels in
// scene/walk/scene_walk.h. At a leaf of a tree over instances, the walk is set aside, and a new walk begins at the
// root of the part that the instance places, on the same stack. When that one is done, the leaf counts as tested, up
// to the limit that was found below.
//
// Data that each step needs is in the walk and the test, which stay in registers. Data per level is in separate
// memory.

#include "scene/nested/nested_parts.h"
#include "scene/walk/scene_walk.h"
#include "trace/hit_list.h"

namespace copse::detail {

/// The leaf test for a walk that was set aside: takes over the limit that was found below.
struct TakeLimit {
  static constexpr bool takes_places = true;

  float found;

  COPSE_HD bool operator()(u32, float& limit) const {
    limit = found;
    return false;
  }
};

/// A walk that waits until the walks below it are done.
template <class LevelWalk>
union WaitingWalk {
  LevelWalk walk;
  COPSE_HD WaitingWalk() {}
};

/// The triangles of a mesh in the form that fast traversals use.
using NestedTriangles = SeenTriangles<PlacedTriangles, PackedMasks>;

/// The test of a search for one hit.
///   TestOf: ClosestTriangle or AnyTriangleAt
template <template <class, Robustness> class TestOf>
class OneNestedHit {
  using Test = TestOf<NestedTriangles, Robustness::fast>;
  static constexpr bool finds_closest = requires(const Test& test) { test.closest; };

 public:
  bool gives_up = false;
  bool ends = false;

  /// `path`: the instances that were entered.
  COPSE_HD explicit OneNestedHit(NestedPath& path) : path_(path), test_(NestedTriangles{}, Ray{}) {}

  [[gnu::always_inline]] COPSE_HD void begin_mesh(const NestedTriangles& triangles, const Ray& ray) {
    test_ = Test(triangles, ray);
  }

  template <class Walk, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_triangles(Walk& walk, Counter& counter) {
    walk.test_leaf(test_, counter);
  }

  /// Called at the end of a mesh, with the last limit `t` there. Returns the limit for the levels above.
  ///   above: the limit when the mesh was entered
  [[gnu::always_inline]] COPSE_HD float end_mesh(float t, float above) {
    gives_up = test_.gives_up;
    if (gives_up || !has_hit() || !path_.bring_into_boxes(t)) return above;
    if constexpr (finds_closest) {
      if (t > above) return above;
      if (t == above && is_hit_) {
        const i32 order = path_.compare_to_best();
        if (order > 0) return above;
        gives_up = order == 0;  // two parts of an opened instance, at the same t
      }
      path_.keep_as_best();
      triangle_ = test_.closest;
      v_ = test_.v, w_ = test_.w, inverse_ = test_.inverse;
    } else {
      ends = true;
    }
    is_hit_ = true;
    return t;
  }

  COPSE_HD bool is_hit() const { return is_hit_; }

  /// `limit`: the last one of the walk.
  COPSE_HD NestedHit hit(float limit) const {
    if (!is_hit_) return NestedHit::miss(limit);
    const PackedTriangle& triangle = path_.best_triangles()[triangle_];
    const TriangleHit found = UndividedHit{limit, v_, w_, inverse_}.divided();
    return path_.best_at(limit, {limit, triangle.local_id, triangle.geometry, found.u, found.v});
  }

 private:
  COPSE_HD bool has_hit() const {
    if constexpr (finds_closest) {
      return test_.closest != invalid_id;
    } else {
      return test_.found;
    }
  }

  NestedPath& path_;
  bool is_hit_ = false;
  u32 triangle_ = 0;
  float v_ = 0, w_ = 0, inverse_ = 0;
  Test test_;
};

/// Takes the hits in a mesh, and passes them to the sink of the search as hits in the scene. In a draft, `geometry`
/// stores the bits of t in the mesh (see SceneOrder).
template <class Sink>
struct NestedSink {
  static constexpr bool drops_repeats = Sink::drops_repeats;

  Sink& sink;
  const NestedPath& path;
  bool ends = false;

  COPSE_HD bool take(const Hit& draft, float& limit) {
    float t = draft.t;
    if (!path.bring_into_boxes(t) || t > limit) return false;
    ends = sink.take(path.hit_at(t, {t, draft.primitive, bits_of(draft.t), draft.u, draft.v}), limit);
    return ends;
  }
};

/// The test of a search for several hits: offers them to a sink.
template <class Sink>
class SeveralNestedHits {
 public:
  bool gives_up = false;
  bool ends = false;

  COPSE_HD SeveralNestedHits(const NestedPath& path, Sink& sink)
      : to_{sink, path}, test_(NestedTriangles{}, Ray{}, to_) {}
  SeveralNestedHits(const SeveralNestedHits&) = delete;

  [[gnu::always_inline]] COPSE_HD void begin_mesh(const NestedTriangles& triangles, const Ray& ray) {
    test_.triangles = triangles;
    test_.shear = make_shear(ray);
    test_.t_min = ray.t_min;
    if constexpr (!Sink::drops_repeats) {
      if (to_.path.accel().tree.repeats != nullptr) test_.gives_up = true;  // a robust traversal drops repeats
    }
  }

  template <class Walk, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_triangles(Walk& walk, Counter& counter) {
    walk.test_leaf(test_, counter);
  }

  COPSE_HD float end_mesh(float limit, float) {
    gives_up = test_.gives_up;
    ends = to_.ends;
    return limit;
  }

 private:
  NestedSink<Sink> to_;
  OfferTriangles<NestedTriangles, NestedSink<Sink>, Robustness::fast> test_;
};

/// Traverses a scene of scenes for one ray. Returns false if the ray needs the robust traversal.
///   LevelWalk: the walk through one level
///   path:      the path of the test, which must be empty
template <class LevelWalk, class Test>
[[gnu::always_inline]] COPSE_HD inline bool walk_levels(const NestedSceneView& scene, const Ray& ray, u32 mask,
                                                        NestedPath& path, Test& test, float& limit) {
  StackEntry entries[scene_stack_size];
  WaitingWalk<LevelWalk> waiting[max_instance_levels];
  const auto top = tree_of(scene.top.tree);
  LevelWalk walk(top, entries);
  NoCounter counter;
  bool is_in_mesh = false;
  u32 level = 0;  // the number of instances that were entered
  walk.begin(prepare_ray(ray, TreeReach::of(top.bounds())));
  for (;;) {
    walk.template take_steps<3>(counter);
    if (walk.is_at_leaf() && is_in_mesh) test.test_triangles(walk, counter);
    if (walk.is_done()) {
      if (walk.gives_up() || level == 0) break;
      --level;
      TakeLimit found{walk.limit()};
      if (is_in_mesh) found.found = test.end_mesh(walk.limit(), waiting[level].walk.limit());
      if (test.gives_up || test.ends) break;
      path.leave();
      walk = waiting[level].walk;
      walk.test_leaf(found, counter);
      is_in_mesh = false;
    }
    if (walk.is_at_leaf() && !is_in_mesh) {
      const SceneView& at = path.scene().top;
      const PlacedInstance* const record = at.parts.instances + at.tree.primitive_ids.data()[walk.place()];
      const PlacedInstance begun = PlacedInstance::load<5>(record);
      waiting[level].walk = walk;
      ++level;
      path.enter(record, begun);
      const Ray below = path.ray(walk.limit());
      is_in_mesh = begun.triangles != nullptr;
      if (is_in_mesh) {
        test.begin_mesh({{begun.triangles}, {record->masks}, mask, below.direction, path.cull()}, below);
      }
      walk.enter(begun.nodes, prepare_in_instance(begun, below, mask), begun.node);
    }
  }
  limit = walk.limit();
  return !walk.gives_up() && !test.gives_up;
}

using LevelInOrder = Walk<WideTree<CompressedBvh4Node>, scene_stack_size, Robustness::fast>;
using LevelInNoOrder = UnorderedWalk<CompressedBvh4Node, scene_stack_size>;

}  // namespace copse::detail
