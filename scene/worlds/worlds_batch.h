#pragma once

#include "scene/worlds_view.h"

namespace copse::detail {

/// The rays of a batch through worlds, and their masks.
struct WorldsBatch {
  SceneWorldsView worlds;
  const Ray* rays;
  const u32* world_of_ray;
  const u32* masks;  // one per ray; null: `mask` for all
  u32 mask;
  Cull cull;
};

}  // namespace copse::detail
