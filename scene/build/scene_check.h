#pragma once

// The checks that every call makes of its Scene or NestedScene.

#include "primitives/core/backend_check.h"
#include "scene/nested_scene.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `scene` was never built, or if it is in the memory of another backend.
inline void check_scene(const char* function, const Context& context, const Scene& scene) {
  if (scene.tree().nodes.empty()) refuse(function, "the scene was never built");
  check_backend(function, context, "the scene was", scene.backend());
}

/// The same for a scene of scenes.
inline void check_scene(const char* function, const Context& context, const NestedScene& scene) {
  if (scene.level_count() == 0) refuse(function, "the scene was never built");
  check_backend(function, context, "the scene was", scene.backend());
}

}  // namespace copse::detail
