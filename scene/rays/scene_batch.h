#pragma once

#include "scene/scene_view.h"

namespace copse::detail {

/// The rays of a batch through a scene, and what they see.
struct SceneBatch {
  SceneView scene;
  const Ray* rays;
  const u32* masks;  // one per ray; null: `mask` for all
  u32 mask;
  Cull cull;
};

}  // namespace copse::detail
