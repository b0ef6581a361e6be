#pragma once

// The result of a ray through a scene, and the data that its traversals read.

#include "accel/accel_view.h"
#include "scene/walk/placed_instance.h"

namespace copse {

/// The closest hit of a ray in a scene: the smallest (t, instance, primitive id through all views of its accel), so
/// that ties are the same on every backend and in every tree. On a miss primitive, geometry and instance are
/// invalid_id and t is the ray's t_max.
struct SceneHit {
  float t;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  float u, v;     // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  u32 instance;   // number of the instance in the scene

  // A friend: so it is found for a SceneHit alone, and the plain name is_hit still means the function of trace/ray.h.
  COPSE_HD friend bool is_hit(const SceneHit& hit) { return hit.instance != invalid_id; }
};

static_assert(sizeof(SceneHit) == 24);

namespace detail {

/// The data of a scene that leaf tests read.
struct SceneParts {
  const PlacedInstance* instances;
  const AccelView* accels;
  bool has_masks;  // of triangles
  bool is_opened = false;
};

}  // namespace detail

}  // namespace copse
