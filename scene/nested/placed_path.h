#pragma once

// The traversal of a scene of scenes for queries about points and regions. Each level of trees over instances has a
// walk of its own, without recursion. A mesh is passed to `visit` as a whole.
//
// Transforms are not multiplied with each other. A vertex is placed by the innermost instance first, and rounded once
// per level (scene/queries/placed_triangles.h). A box is placed by the same operations, so on each level it contains
// its contents exactly, with no error of rounding.

#include "queries/wide_query_walk.h"
#include "scene/nested/nested_parts.h"
#include "scene/queries/placed_triangles.h"

namespace copse::detail {

/// The position of a query: the instances that it has entered.
class PlacedPath {
 public:
  COPSE_HD explicit PlacedPath(const NestedSceneView& scene) { scenes_[0] = &scene; }
  PlacedPath(const PlacedPath&) = delete;

  /// The number of instances that were entered.
  COPSE_HD u32 length() const { return length_; }

  /// The current scene. Must not be called in a mesh.
  COPSE_HD const SceneView& scene() const { return scenes_[length_]->top; }

  /// The instance that was entered last. accel() is its accel, if it places one.
  COPSE_HD const PlacedInstance& entered() const { return *entered_[length_ - 1]; }
  COPSE_HD const AccelView& accel() const { return scenes_[length_ - 1]->top.parts.accels[entered().accel]; }
  COPSE_HD PlacedTriangles triangles() const { return triangles_of(accel().triangles); }

  COPSE_HD void enter(const PlacedInstance& instance) {
    entered_[length_] = &instance;
    placements_[length_] = ScenePlacement(instance);
    if (instance.triangles == nullptr) scenes_[length_ + 1] = scenes_[length_]->parts + instance.accel;
    ++length_;
  }
  COPSE_HD void leave() { --length_; }

  /// Places a triangle of the current mesh in the outermost scene.
  COPSE_HD Triangle placed(Triangle triangle) const {
    for (u32 k = length_; k-- > 0;) triangle = placements_[k].placed(triangle);
    return triangle;
  }
  COPSE_HD Aabb placed_box(const vec3& lo, const vec3& hi) const { return above(length_, {lo, hi}); }

  /// The box in the outermost scene of the instance that was entered last.
  COPSE_HD Aabb box_of_entered() const { return above(length_ - 1, entered().box()); }

  COPSE_HD void store(InstancePath& path) const {
    for (u32 k = 0; k < max_instance_levels; ++k) path[k] = k < length_ ? entered_[k]->number : invalid_id;
  }

 private:
  /// Places a box in the space below `levels` instances in the outermost scene.
  COPSE_HD Aabb above(u32 levels, Aabb box) const {
    for (u32 k = levels; k-- > 0;) box = placements_[k].placed_box(box.lo, box.hi);
    return box;
  }

  u32 length_ = 0;
  const NestedSceneView* scenes_[max_instance_levels];
  const PlacedInstance* entered_[max_instance_levels];
  ScenePlacement placements_[max_instance_levels];
};

/// Stack entries of each level, and of the walk in a mesh. Up to 7 levels are in local memory.
inline constexpr u32 nested_walk_stack_size = 16;

/// The traversal of walk_nearest_first through a tree over instances, which can be left and continued at each
/// instance.
template <u32 stack_size>
class InstanceWalk {
 public:
  /// Begins at a node of the tree. Only the subtree of this node is visited.
  COPSE_HD void begin(u32 node) {
    stack_ = {};
    at_ = {{node, 0}, invalid_id, 0};
    top_ = node;
    taken_ = 0;
  }

  /// Returns the number of the next record within the limit; invalid_id at the end.
  template <class Measure>
  COPSE_HD u32 next(const CompressedBvh4View& tree, const Measure& measure, float limit) {
    while (!at_.is_nowhere()) {
      const WideQueryPlace finished = at_;
      if (at_.at.is_leaf()) {
        if (taken_ < at_.at.count) return tree.primitive_ids.data()[at_.at.first + taken_++];
        taken_ = 0;
      } else if (at_ = nearest_child(tree, measure, limit, at_.at.first, stack_); !at_.is_nowhere()) {
        continue;
      }
      at_ = WideQueryPlace::nowhere();
      while (at_.is_nowhere() && !stack_.empty()) {
        const WideQueryPlace latest = stack_.pop();
        if (latest.distance <= limit) at_ = latest;
      }
      if (at_.is_nowhere() && stack_.has_dropped()) at_ = climb_to_near(tree, measure, limit, finished, top_);
    }
    return invalid_id;
  }

 private:
  WalkStack<WideQueryPlace, stack_size> stack_;
  WideQueryPlace at_ = WideQueryPlace::nowhere();
  u32 top_ = 0;
  u32 taken_ = 0;  // of the primitives of the leaf
};

/// A measure for the boxes of a level. It applies the measure of the whole search, whose boxes are in the outermost
/// scene.
template <class Measure>
struct OfLevel {
  const PlacedPath& path;
  const Measure& measure;

  COPSE_HD float operator()(const vec3& lo, const vec3& hi) const {
    return measure(path.placed_box(lo, hi), path.scene());
  }
};

/// Visits each mesh within the limit, through the instances that share a bit with the mask.
///   measure: float operator()(const Aabb&, const SceneView&) const, of a box of this scene's tree, placed in the
///            outermost scene; otherwise like that of walk_nearest_first
///   visit:   bool operator()(const PlacedPath&, float& limit), with the mesh as the last instance of the path; may lower
///            the limit, and ends the traversal by returning true
template <u32 stack_size, class Measure, class Visit>
COPSE_HD void visit_placed_meshes(const NestedSceneView& scene, u32 mask, const Measure& measure, float limit,
                                  Visit& visit) {
  PlacedPath path(scene);
  InstanceWalk<stack_size> walks[max_instance_levels];
  walks[0].begin(0);
  for (;;) {
    const SceneView& at = path.scene();
    const u32 number = walks[path.length()].next(at.tree, OfLevel<Measure>{path, measure}, limit);
    if (number == invalid_id) {
      if (path.length() == 0) return;
      path.leave();
      continue;
    }
    const PlacedInstance& record = at.parts.instances[number];
    if ((record.mask & mask) == 0) continue;
    path.enter(record);
    if (record.triangles == nullptr) {
      walks[path.length()].begin(record.node);
    } else {
      if (visit(path, limit)) return;
      path.leave();
    }
  }
}

}  // namespace copse::detail
