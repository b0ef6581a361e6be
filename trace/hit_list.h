#pragma once

// Several hits of one ray, and the searches for them. A search offers each hit to a sink, which keeps the first ones,
// counts them, or sorts all of them into memory. Searches for accels and scenes: accel/accel_hit_view.h,
// scene/scene_hit_view.h.
//
// During a search a hit is a draft: a Hit (or a SceneHit) whose `primitive` is the number by which leaf tests fetch
// the triangle, an id or a place. An order compares drafts, and finishes them:
//
//   using HitType                                    Hit or SceneHit
//   bool before(const HitType&, const HitType&)      a total order of the hits of a ray
//   HitType finished(const HitType&)                 the hit of a draft
//   HitType miss(float t_max)
//
// Hits are ordered by ids where t is equal, so a list does not depend on the tree or on the order of visits.
//
// In a tree with splits, a ray may meet a triangle in several leaves. A sink that keeps the first hits without a
// filter recognises the second meeting in its own list (drops_repeats). All other sinks receive their hits through
// OfferedOnce.

#include "trace/hit/hit_sinks.h"
#include "trace/hit/triangle_tests.h"
#include "trace/hit_filter.h"
#include "trace/traverse.h"
#include "trace/walk/wide_walk.h"

namespace copse {

/// The first hits of a ray, in order.
template <u32 k, class HitType = Hit>
struct HitList {
  HitType hits[k];  // those from `count` on are not set
  u32 count = 0;
};

namespace detail {

/// The order of hits on the triangles of one tree: by (t, primitive id through all views).
template <class Triangles>
struct TriangleOrder {
  using HitType = Hit;

  Triangles triangles;

  COPSE_HD bool before(const Hit& a, const Hit& b) const {
    if (a.t != b.t) return a.t < b.t;
    return a.primitive != b.primitive && triangles.primitive(a.primitive) < triangles.primitive(b.primitive);
  }
  COPSE_HD Hit finished(const Hit& draft) const {
    return {draft.t, triangles.local_id(draft.primitive), triangles.geometry(draft.primitive), draft.u, draft.v};
  }
  COPSE_HD static Hit miss(float t_max) { return {t_max, invalid_id, invalid_id, 0, 0}; }
};

/// The leaf test of a search: offers each hit to a sink.
template <class Triangles, class Sink, Robustness robustness>
struct OfferTriangles {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  RayShear shear;
  float t_min;
  Sink& sink;
  bool gives_up = false;

  COPSE_HD OfferTriangles(const Triangles& all, const Ray& ray, Sink& to)
      : triangles(all), shear(make_shear(ray)), t_min(ray.t_min), sink(to) {}

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!triangles.sees(at)) return false;
    UndividedHit found;
    if (!test_triangle<robustness>(shear, triangles.triangle(at), t_min, limit, found, gives_up)) return false;
    const TriangleHit hit = found.divided();
    return sink.take({hit.t, at, 0, hit.u, hit.v}, limit);
  }
};

/// Returns true if a robust traversal reaches this place of a tree with repeats, provided that its limit stays at the
/// ray's t_max.
template <class Node>
COPSE_HD inline bool ray_reaches(const WideBvhView<Node>& bvh, const RaySlabs& slabs, float limit, u32 place) {
  const WideTree<Node> tree(bvh);
  u32 node = bvh.repeats[place].leaf, slot = 0;
  while (slot + 1 < Node::width) {
    const WideChild child = tree.child(node, slot);
    if (child.is_leaf() && place - child.first < child.count) break;
    ++slot;
  }
  do {
    if (!is_within(tree.span(slabs, node, slot), limit)) return false;
  } while (tree.to_parent(node, slot));
  return true;
}

/// Returns true if, among the places of its primitive, this is the first in the tree's order that the ray reaches.
template <class Node>
[[gnu::noinline]] COPSE_HD bool is_first_reached(const WideBvhView<Node>& bvh, const Ray& ray, u32 place) {
  u32 at = bvh.repeats[place].previous;
  if (at == invalid_id) return true;
  const RaySlabs slabs = make_slabs(ray, WideTree<Node>(bvh).bounds());
  const float limit = box_limit(slabs, ray.t_max);
  for (; at != invalid_id; at = bvh.repeats[at].previous) {
    if (ray_reaches(bvh, slabs, limit, at)) return false;
  }
  return true;
}

/// Gives each hit to a sink once: at the first place of its triangle that the ray reaches. In a tree where triangles
/// have several places, the sink cannot lower the limit. A lower limit would skip that first place and lose the hit.
template <class Node, class Sink>
struct OfferedOnce {
  Sink& sink;
  const WideBvhView<Node>& bvh;
  const Ray& ray;

  COPSE_HD bool take(const Hit& draft, float& limit) {
    if constexpr (!Sink::drops_repeats) {
      if (bvh.repeats != nullptr) {
        float lowered = limit;
        return is_first_reached(bvh, ray, draft.primitive) && sink.take(draft, lowered);
      }
    }
    return sink.take(draft, limit);
  }
};

/// Offers all hits of a ray to a sink. `triangles`: with the interface that leaf tests use
/// (trace/hit/triangle_tests.h).
template <u32 stack_size, class Node, class Triangles, class Sink>
COPSE_HD inline void offer_hits(const WideBvhView<Node>& bvh, const Triangles& triangles, const Ray& ray,
                                Sink& sink) {
  OfferedOnce<Node, Sink> once{sink, bvh, ray};
  OfferTriangles<Triangles, OfferedOnce<Node, Sink>, Robustness::robust> test(triangles, ray, once);
  traverse<stack_size>(bvh, ray, test);
}

/// Traverses a wide tree by the fast walk. Returns false if the walk or the test gave up.
template <class Node, class Test>
COPSE_HD inline bool walk_fast(const WideBvhView<Node>& bvh, const Ray& ray, Test& test) {
  StackEntry entries[default_stack_size];
  Walk<WideTree<Node>, default_stack_size, Robustness::fast> walk(tree_of(bvh), entries);
  NoCounter counter;
  walk.begin(ray);
  while (!walk.is_done()) {
    walk.template take_steps<3>(counter);
    if (walk.is_at_leaf()) walk.test_leaf(test, counter);
  }
  return !walk.gives_up() && !test.gives_up;
}

/// As offer_hits, by the fast walk. The sink must drop repeats, or the tree must have none. If it returns false, the
/// sink has to start again.
template <class Node, class Triangles, class Sink>
COPSE_HD inline bool offer_hits_fast(const WideBvhView<Node>& bvh, const Triangles& triangles, const Ray& ray,
                                     Sink& sink) {
  OfferTriangles<Triangles, Sink, Robustness::fast> test(triangles, ray, sink);
  return walk_fast(bvh, ray, test);
}

/// How rays search a structure. AccelView, SceneView and NestedSceneView have one each, with
///   using Order; static Order order_of(const View&)
///   static void run<stack_size>(const View&, const Ray&, u32 mask, Cull, Sink&)      offers all hits, each once
template <class View>
struct HitSearch;

template <class View>
using HitOf = typename HitSearch<View>::Order::HitType;

template <class View>
concept HitSearched = requires {
  typename HitSearch<View>::Order;
};

/// Stores the drafts of the first hits, and returns how many there are.
///   drafts: room for `capacity`
///   after:  a draft; only hits behind it count. Null: all
template <u32 stack_size, class View, class Filter = AcceptAll>
COPSE_HD inline u32 find_first(const View& view, const Ray& ray, u32 mask, Cull cull, HitOf<View>* drafts,
                               u32 capacity, Filter* filter = nullptr, const HitOf<View>* after = nullptr) {
  using Search = HitSearch<View>;
  FirstHits<typename Search::Order, Filter> first{Search::order_of(view), drafts, capacity, filter, after};
  Search::template run<stack_size>(view, ray, mask, cull, first);
  return first.count;
}

/// The first k hits that a filter accepts.
template <u32 k, u32 stack_size, class View, class Filter = AcceptAll>
COPSE_HD inline HitList<k, HitOf<View>> list_first(const View& view, const Ray& ray, u32 mask, Cull cull,
                                                   Filter* filter = nullptr) {
  HitList<k, HitOf<View>> list;
  list.count = find_first<stack_size>(view, ray, mask, cull, list.hits, k, filter);
  for (u32 i = 0; i < list.count; ++i) list.hits[i] = HitSearch<View>::order_of(view).finished(list.hits[i]);
  return list;
}

/// True if a filter accepts any hit.
template <u32 stack_size, class View, class Filter>
COPSE_HD inline bool accepts_any(const View& view, const Ray& ray, u32 mask, Cull cull, Filter* filter) {
  using Search = HitSearch<View>;
  AnyAcceptedHit<typename Search::Order, Filter> any{Search::order_of(view), filter};
  Search::template run<stack_size>(view, ray, mask, cull, any);
  return any.found;
}

template <u32 stack_size, class View>
COPSE_HD inline u32 count_all(const View& view, const Ray& ray, u32 mask, Cull cull) {
  HitCount<typename HitSearch<View>::Order> hits;
  HitSearch<View>::template run<stack_size>(view, ray, mask, cull, hits);
  return hits.count;
}

}  // namespace detail

}  // namespace copse
