#pragma once

// Several hits of one ray through a copse::Scene, and filters of hits, on the host and in kernels. There is nothing
// else to link. For batches: scene/scene_hits.h.
//
//   const copse::HitList list = copse::first_hits<8>(scene.view(), ray);       // in order
//   copse::SceneHit hit = copse::closest_hit(scene.view(), ray, filter);       // trace/hit_filter.h
//
// Hits are those of closest_hit (scene/scene_view.h), bit for bit, with masks and culling as there. They are in order
// of (t, instance, primitive id through all views of the instance's accel). first_hits, count_hits, and closest_hit
// and any_hit with a filter are in accel/accel_hit_view.h, for views of accels and scenes alike.

#include <concepts>

#include "accel/accel_hit_view.h"
#include "scene/scene_view.h"

namespace copse {

namespace detail {

/// The order of hits in a scene. In a draft, `instance` is the number of a record, and `geometry` stores the bits of
/// t in the mesh. bring_into_box may give several hits the same t in the scene; then t in the mesh decides.
struct SceneOrder {
  using HitType = SceneHit;

  const PlacedInstance* instances;

  COPSE_HD bool before(const SceneHit& a, const SceneHit& b) const {
    if (a.t != b.t) return a.t < b.t;
    const u32 in = instances[a.instance].number, other = instances[b.instance].number;
    if (in != other) return in < other;
    return of_mesh(a).before(in_mesh(a), in_mesh(b));
  }
  COPSE_HD SceneHit finished(const SceneHit& draft) const {
    const Hit hit = of_mesh(draft).finished(in_mesh(draft));
    return {draft.t, hit.primitive, hit.geometry, hit.u, hit.v, instances[draft.instance].number};
  }
  COPSE_HD static SceneHit miss(float t_max) { return {t_max, invalid_id, invalid_id, 0, 0, invalid_id}; }

 private:
  COPSE_HD TriangleOrder<PlacedTriangles> of_mesh(const SceneHit& draft) const {
    return {{instances[draft.instance].triangles}};
  }
  COPSE_HD static Hit in_mesh(const SceneHit& draft) {
    return {float_from_bits(draft.geometry), draft.primitive, 0, draft.u, draft.v};
  }
};

/// Takes the hits in one instance, and passes them to the sink as hits in the scene.
template <class Sink>
struct InstanceSink {
  static constexpr bool drops_repeats = Sink::drops_repeats;

  Sink* sink;
  const Ray* ray;  // in the scene
  const PlacedInstance* instances;
  u32 record;

  COPSE_HD bool take(const Hit& draft, float& limit) {
    const Aabb box = instances[record].box();
    float t = draft.t;
    if (!is_surely_in_box(*ray, box, t) && !bring_into_box(*ray, box, t)) return false;
    if (t > limit) return false;
    return sink->take({t, draft.primitive, bits_of(draft.t), draft.u, draft.v, record}, limit);
  }
};

/// The leaf test of the tree over instances, for robust traversals: offers the hits in each instance to a sink.
template <u32 stack_size, class Sink>
struct OfferInstances {
  const SceneParts& scene;
  const Ray& ray;
  u32 mask;
  Cull cull;
  Sink& sink;

  /// The leaf test in an instance. It passes the limit and the end of the search to the test above.
  template <class Test>
  struct Below {
    static constexpr bool takes_places = true;
    Test test;
    float limit;
    bool ends = false;

    COPSE_HD bool operator()(u32 at, float& limit_below) {
      ends = test(at, limit_below);
      limit = limit_below;
      return ends;
    }
  };

  COPSE_HD bool operator()(u32 record, float& limit) {
    const PlacedInstance& instance = scene.instances[record];
    if ((instance.mask & mask) == 0) return false;
    const AccelView& accel = scene.accels[instance.accel];
    const Ray in_mesh = instance.into_mesh(ray, limit);
    const auto triangles = triangles_of(accel.seen_by(in_mesh, mask, instance.culled_side(cull)));
    InstanceSink<Sink> to{&sink, &ray, scene.instances, record};
    using Once = OfferedOnce<CompressedBvh4Node, InstanceSink<Sink>>;
    Once once{to, accel.tree, in_mesh};
    using Test = OfferTriangles<std::remove_cv_t<decltype(triangles)>, Once, Robustness::robust>;
    Below<Test> below{Test(triangles, in_mesh, once), limit};
    traverse_below<stack_size>(accel.tree, instance.node, in_mesh, below);
    limit = below.limit;
    return below.ends;
  }
};

/// The state of a ray that looks for several hits. SceneTest is the one for a single hit (scene/walk/scene_walk.h).
///   Sight: SceneSight or FullSight
template <class Sink, class Sight = SceneSight>
class OfferScene {
  using Triangles = decltype(std::declval<Sight>().triangles_of(nullptr, std::declval<PlacedInstance>(), vec3()));

 public:
  bool gives_up = false;

  COPSE_HD OfferScene(const SceneView& scene, const Ray& ray, const Sight& sight, Sink& sink)
      : instances_(scene.parts.instances),
        accels_(scene.parts.accels),
        sight_(sight),
        ray_(ray),
        sink_{&sink, &ray_, instances_, invalid_id},
        test_(Triangles{}, Ray{}, sink_) {}
  OfferScene(const OfferScene&) = delete;

  template <class Walk>
  [[gnu::always_inline]] COPSE_HD void go_down(Walk& walk, const u32* numbers) {
    slabs_ = walk.slabs();
    sink_.record = numbers[walk.place()];
    const PlacedInstance* const record = instances_ + sink_.record;
    const PlacedInstance begun = PlacedInstance::load<5>(record);
    const Ray ray = begun.into_mesh(ray_, walk.limit());
    const PreparedRay prepared = prepare_in_instance(begun, ray, sight_.mask);
    test_.triangles = sight_.triangles_of(record, begun, ray.direction);
    test_.shear = make_shear(ray);
    test_.t_min = ray.t_min;
    if constexpr (!Sink::drops_repeats) {
      if (accels_[record->accel].tree.repeats != nullptr)
        test_.gives_up = true;  // then the robust traversal drops repeats
    }
    height_ = walk.enter(begun.nodes, prepared, begun.node);
  }

  template <class Walk>
  [[gnu::always_inline]] COPSE_HD void come_back(Walk& walk, const CompressedBvh4Node* above) {
    gives_up = test_.gives_up;
    if (!gives_up) walk.leave(above, slabs_, walk.limit(), height_);
  }

  template <class Walk, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_triangles(Walk& walk, Counter& counter) {
    walk.test_leaf(test_, counter);
  }

 private:
  const PlacedInstance* instances_;
  const AccelView* accels_;
  [[no_unique_address]] Sight sight_;
  Ray ray_;
  InstanceSink<Sink> sink_;
  RaySlabs slabs_{};  // in the scene
  u32 height_ = 0;    // of the stack when the instance was entered
  OfferTriangles<Triangles, InstanceSink<Sink>, Robustness::fast> test_;
};

/// The search through a scene.
template <>
struct HitSearch<SceneView> {
  using Order = SceneOrder;

  COPSE_HD static Order order_of(const SceneView& scene) { return {scene.parts.instances}; }

  template <u32 stack_size, class Sink>
  COPSE_HD static void run(const SceneView& scene, const Ray& ray, u32 mask, Cull cull, Sink& sink) {
    if constexpr (Sink::can_start_again) {
      if (run_fast(scene, ray, SceneSight{mask, cull}, sink)) return;
    }
    sink = run_robust<stack_size>(scene, ray, mask, cull, sink);
  }

  /// The same for a ray that sees all triangles.
  template <u32 stack_size, class Sink>
  COPSE_HD static void run_seeing_all(const SceneView& scene, const Ray& ray, Sink& sink) {
    if (run_fast(scene, ray, FullSight{}, sink)) return;
    sink = run_robust<stack_size>(scene, ray, FullSight::mask, FullSight::cull, sink);
  }

 private:
  /// Returns false if the robust traversal has to begin anew.
  template <class Sight, class Sink>
  COPSE_HD static bool run_fast(const SceneView& scene, const Ray& ray, const Sight& sight, Sink& sink) {
    OfferScene<Sink, Sight> test(scene, ray, sight, sink);
    float limit;
    if (walk_scene<SceneWalkInOrder>(scene.tree, ray, test, limit)) return true;
    sink.start_again();
    return false;
  }

  /// Out of line, as run_robust for AccelView.
  template <u32 stack_size, class Sink>
  [[gnu::noinline]] COPSE_HD static Sink run_robust(const SceneView& scene, const Ray& ray, u32 mask, Cull cull,
                                                    Sink sink) {
    OfferInstances<stack_size, Sink> test{scene.parts, ray, mask, cull, sink};
    traverse<stack_size>(scene.tree, ray, test);
    return sink;
  }
};

/// A view of a scene, whose hits have an instance or a path of instances.
template <class View>
concept SceneSearched = HitSearched<View> && !std::same_as<View, AccelView>;

}  // namespace detail

/// Calls `visit(hit)` for the ray's hits in order of (t, instance, primitive id) until it returns false. Each
/// traversal finds 8 hits, and the next one continues after the last of them. So no memory for hits is needed.
///   scene: a SceneView, or with its header a NestedSceneView
///   visit: bool operator()(const SceneHit&), or const NestedHit&
template <u32 stack_size = default_stack_size, detail::SceneSearched View, class Visit>
COPSE_HD inline void all_hits(const View& scene, const Ray& ray, Visit& visit, u32 mask = ~u32{0},
                              Cull cull = Cull::none) {
  constexpr u32 at_once = 8;
  detail::HitOf<View> drafts[at_once], last;
  const auto order = detail::HitSearch<View>::order_of(scene);
  const detail::HitOf<View>* after = nullptr;
  detail::AcceptAll* const no_filter = nullptr;
  for (u32 count = at_once; count == at_once; after = &last) {
    count = detail::find_first<stack_size>(scene, ray, mask, cull, drafts, at_once, no_filter, after);
    for (u32 i = 0; i < count; ++i) {
      if (!visit(order.finished(drafts[i]))) return;
    }
    last = drafts[at_once - 1];
  }
}

}  // namespace copse
