#pragma once

// The robust traversal of a scene of scenes. The host uses it too. Each level of trees over instances has a walk of
// its own, without recursion. A mesh is visited as a whole, by the robust traversal of its tree, or on the host by
// SIMD.

#include "scene/nested/fast_levels.h"
#include "scene/walk/two_levels.h"

namespace copse::detail {

/// The leaf test of a tree over instances: takes the record, and gives the walk the limit of hits that were found
/// below.
struct TakeRecord {
  float found;
  u32 record = invalid_id;

  COPSE_HD bool operator()(u32 number, float& limit) {
    record = number;
    limit = smaller(limit, found);
    return false;
  }
};

/// Visits each mesh that the ray reaches.
///   visit: bool operator()(const NestedPath&, float& limit), with the mesh as the last instance of the path; may lower
///          the limit to the t of a hit, and ends the traversal by returning true
template <u32 stack_size, class Visit>
COPSE_HD void visit_meshes(const NestedSceneView& scene, const Ray& ray, u32 mask, Cull cull, Visit& visit) {
  using Tree = Subtree<CompressedBvh4Node>;
  using LevelWalk = Walk<Tree, stack_size, Robustness::robust>;
  StackEntry entries[max_instance_levels * stack_size];
  WaitingWalk<LevelWalk> walks[max_instance_levels];
  NestedPath path(scene, ray, cull);
  NoCounter counter;
  float limit = ray.t_max;
  const auto begin = [&](u32 node) {
    LevelWalk& walk = walks[path.length()].walk;
    walk = LevelWalk(Tree(path.scene().top.tree, node), entries + path.length() * stack_size);
    walk.begin(path.ray(limit));
  };
  begin(0);
  for (;;) {
    LevelWalk& walk = walks[path.length()].walk;
    if (walk.is_done()) {
      if (path.length() == 0) return;
      path.leave();
    } else if (walk.is_at_inner()) {
      walk.step(counter);
    } else {
      TakeRecord take{limit};
      walk.test_leaf(take, counter);
      const PlacedInstance* const record = path.scene().top.parts.instances + take.record;
      if ((record->mask & mask) == 0) continue;
      path.enter(record, *record);
      if (record->triangles == nullptr) {
        begin(record->node);
      } else {
        if (visit(path, limit)) return;
        path.leave();
      }
    }
  }
}

/// Keeps the smallest (t, path, primitive).
template <u32 stack_size>
struct ClosestNested {
  u32 mask;
  NestedHit closest;

  COPSE_HD bool operator()(const NestedPath& path, float& limit) {
    const Ray in_mesh = path.ray(limit);
    Hit found = closest_in_mesh<stack_size>(path.accel(), path.entered().node, in_mesh, mask, path.cull());
    if (!copse::is_hit(found)) return false;
    float t = found.t;
    if (!path.bring_into_boxes(t) || t > limit) return false;
    if (t == limit && is_hit(closest)) {
      const i32 order = compare_paths(closest, path.hit_at(t, found));
      if (order < 0) return false;
      // Two parts of an opened instance have hits at the same t. A search of the whole mesh decides which of them is
      // first.
      if (order == 0) found = closest_in_mesh<stack_size>(path.accel(), 0, in_mesh, mask, path.cull());
    }
    closest = path.hit_at(t, found);
    limit = t;
    return false;
  }
};

/// Ends the traversal at the first mesh that the ray hits.
template <u32 stack_size>
struct AnyNested {
  u32 mask;
  bool found = false;

  COPSE_HD bool operator()(const NestedPath& path, float& limit) {
    const Ray in_mesh = path.ray(limit);
    float t = in_mesh.t_min;
    found = path.bring_into_boxes(t) &&
            any_in_mesh<stack_size>(path.accel(), path.entered().node, in_mesh, mask, path.cull());
    return found;
  }
};

/// Offers the hits in each mesh to a sink.
template <u32 stack_size, class Sink>
struct OfferNested {
  u32 mask;
  Sink& sink;

  COPSE_HD bool operator()(const NestedPath& path, float& limit) {
    const Ray in_mesh = path.ray(limit);
    const auto triangles = triangles_of(path.accel().seen_by(in_mesh, mask, path.cull()));
    NestedSink<Sink> to{sink, path};
    using Once = OfferedOnce<CompressedBvh4Node, NestedSink<Sink>>;
    Once once{to, path.accel().tree, in_mesh};
    OfferTriangles<std::remove_cv_t<decltype(triangles)>, Once, Robustness::robust> test(triangles, in_mesh, once);
    limit = traverse_below<stack_size>(path.accel().tree, path.entered().node, in_mesh, test);
    return to.ends;
  }
};

}  // namespace copse::detail
