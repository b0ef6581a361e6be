#pragma once

// The result of a ray through a scene of scenes, and the data that its walks read.

#include "scene/scene_view.h"

namespace copse {

/// The levels of instances that a scene may have. With the meshes below them that makes 8 levels.
inline constexpr u32 max_instance_levels = 7;

/// The path to a mesh in a scene of scenes: the number of an instance in the scene, then the number of an instance in
/// the scene that this one places, and so on down to the instance of the accel. The rest is invalid_id.
using InstancePath = u32[max_instance_levels];

/// Returns how many instances a path has; 0 if nothing was found.
COPSE_HD inline u32 path_length(const InstancePath& path) {
  u32 length = 0;
  while (length < max_instance_levels && path[length] != invalid_id) ++length;
  return length;
}

/// The closest hit of a ray in a scene of scenes: the smallest (t, path, primitive id through all views of the accel).
/// Paths are compared number by number, from the outermost instance on. So ties are the same on every backend and in
/// every tree. On a miss primitive, geometry and the whole path are invalid_id and t is the ray's t_max.
struct NestedHit {
  float t;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  float u, v;     // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  InstancePath path;

  COPSE_HD static NestedHit miss(float t_max) {
    NestedHit hit{t_max, invalid_id, invalid_id, 0, 0, {}};
    for (u32& instance : hit.path) instance = invalid_id;
    return hit;
  }

  /// Returns how many instances the path has; 0 for a miss.
  COPSE_HD u32 path_length() const { return copse::path_length(path); }

  COPSE_HD friend bool is_hit(const NestedHit& hit) { return hit.path[0] != invalid_id; }
};

static_assert(sizeof(NestedHit) == 48);

/// The part of a NestedScene that kernels need: a small value that you pass by copy. It owns nothing. It stays valid
/// through refits and rebuilds of the scene and of its parts.
struct NestedSceneView {
  /// The tree over the instances, and their records. A record of an instance of a scene has that scene's tree, and no
  /// triangles.
  SceneView top;

  const NestedSceneView* parts;  // by their numbers; null if all are accels. The entry of an accel is empty

  /// Returns the caller's own id of an instance on the path of a hit.
  ///   level: 0 for the outermost instance, up to hit.path_length() - 1
  COPSE_HD u32 id_of(const NestedHit& hit, u32 level) const { return id_of(hit.path, level); }
  COPSE_HD u32 id_of(const InstancePath& path, u32 level) const { return record_of(path, level).id; }

  /// Returns the caller's own id of the innermost instance, the one of the accel that was hit.
  COPSE_HD u32 id_of(const NestedHit& hit) const { return id_of(hit.path); }
  COPSE_HD u32 id_of(const InstancePath& path) const { return id_of(path, path_length(path) - 1); }

  /// Returns the number of the accel that was hit, among the parts of the scene that places it.
  COPSE_HD u32 accel_of(const NestedHit& hit) const { return accel_of(hit.path); }
  COPSE_HD u32 accel_of(const InstancePath& path) const { return record_of(path, path_length(path) - 1).accel; }

  /// Returns the hit as a hit of the accel's own triangles.
  COPSE_HD static Hit in_mesh(const NestedHit& hit) { return {hit.t, hit.primitive, hit.geometry, hit.u, hit.v}; }

  /// The triangles at the end of a path. For the library's own use.
  COPSE_HD detail::PlacedTriangles triangles_of(const InstancePath& path) const {
    return {record_of(path, path_length(path) - 1).triangles};
  }

  /// The record of an instance on a path. For the library's own use.
  COPSE_HD const detail::PlacedInstance& record_of(const InstancePath& path, u32 level) const {
    const detail::PlacedInstance* record = top.parts.instances + path[0];
    const NestedSceneView* below = parts;
    for (u32 k = 1; k <= level; ++k) {
      const NestedSceneView& scene = below[record->accel];
      record = scene.top.parts.instances + path[k];
      below = scene.parts;
    }
    return *record;
  }
};

namespace detail {

/// Which of two paths comes first: below 0, 0 or above 0.
COPSE_HD inline i32 compare_paths(const InstancePath& a, const InstancePath& b) {
  for (u32 k = 0; k < max_instance_levels; ++k) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}
COPSE_HD inline i32 compare_paths(const NestedHit& a, const NestedHit& b) {
  return compare_paths(a.path, b.path);
}

/// The position of a walk in a scene of scenes: the instances that it has entered, and the ray in the space of each.
/// A ray goes down level by level, by the transform of each instance. It keeps its parametrization, so t is the same
/// everywhere.
class NestedPath {
 public:
  COPSE_HD NestedPath(const NestedSceneView& scene, const Ray& ray, Cull cull) {
    scenes_[0] = &scene;
    rays_[0] = ray;
    culls_[0] = cull;
  }
  NestedPath(const NestedPath&) = delete;

  /// The number of instances that the walk has entered.
  COPSE_HD u32 length() const { return length_; }

  /// The current scene. Must not be called in a mesh.
  COPSE_HD const NestedSceneView& scene() const { return *scenes_[length_]; }

  /// The instance that was entered last. accel() is its accel, if it places one.
  COPSE_HD const PlacedInstance& entered() const { return *entered_[length_ - 1]; }
  COPSE_HD const AccelView& accel() const { return scenes_[length_ - 1]->top.parts.accels[entered().accel]; }

  /// The ray in the current space, up to `limit`, and the side of triangles that it passes over.
  COPSE_HD Ray ray(float limit) const {
    Ray ray = rays_[length_];
    ray.t_max = limit;
    return ray;
  }
  COPSE_HD Cull cull() const { return culls_[length_]; }

  /// Enters an instance of the current scene.
  ///   begun: the first 5 quads of the record
  COPSE_HD void enter(const PlacedInstance* record, const PlacedInstance& begun) {
    entered_[length_] = record;
    rays_[length_ + 1] = begun.into_mesh(rays_[length_], rays_[length_].t_max);
    culls_[length_ + 1] = begun.culled_side(culls_[length_]);
    if (begun.triangles == nullptr) scenes_[length_ + 1] = scenes_[length_]->parts + record->accel;
    ++length_;
  }
  COPSE_HD void leave() { --length_; }

  /// Brings the t of a hit in a mesh into the boxes of all instances that were entered, from the innermost one
  /// outwards. False if the ray misses one of the boxes.
  COPSE_HD bool bring_into_boxes(float& t) const {
    for (u32 k = length_; k-- > 0;) {
      const Aabb box = entered_[k]->box();
      if (!is_surely_in_box(rays_[k], box, t) && !bring_into_box(rays_[k], box, t)) return false;
    }
    return true;
  }

  /// Returns a hit in the current mesh, or the draft of one, at `t` in the scene.
  COPSE_HD NestedHit hit_at(float t, const Hit& in_mesh) const { return hit_on(entered_, length_, t, in_mesh); }

  /// Keeps the path as that of the best hit so far. The next members compare with it, and make its hit.
  COPSE_HD void keep_as_best() {
    best_length_ = length_;
    for (u32 k = 0; k < length_; ++k) best_[k] = entered_[k];
  }
  COPSE_HD i32 compare_to_best() const {
    for (u32 k = 0; k < length_ && k < best_length_; ++k) {
      const u32 number = entered_[k]->number, best = best_[k]->number;
      if (number != best) return number < best ? -1 : 1;
    }
    return 0;
  }
  COPSE_HD const PackedTriangle* best_triangles() const { return best_[best_length_ - 1]->triangles; }
  COPSE_HD NestedHit best_at(float t, const Hit& in_mesh) const { return hit_on(best_, best_length_, t, in_mesh); }

 private:
  COPSE_HD static NestedHit hit_on(const PlacedInstance* const* instances, u32 length, float t,
                                   const Hit& in_mesh) {
    NestedHit hit{t, in_mesh.primitive, in_mesh.geometry, in_mesh.u, in_mesh.v, {}};
    for (u32 k = 0; k < max_instance_levels; ++k) hit.path[k] = k < length ? instances[k]->number : invalid_id;
    return hit;
  }

  u32 length_ = 0, best_length_ = 0;
  const NestedSceneView* scenes_[max_instance_levels];
  const PlacedInstance* entered_[max_instance_levels];
  const PlacedInstance* best_[max_instance_levels];
  Ray rays_[max_instance_levels + 1];
  Cull culls_[max_instance_levels + 1];
};

}  // namespace detail

}  // namespace copse
