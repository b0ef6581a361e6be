#pragma once

// What every call checks of its NestedScene.

#include "primitives/core/check.h"
#include "scene/nested_scene.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `scene` was never built, or if it is in the memory of another backend.
inline void check_nested(const char* function, const Context& context, const NestedScene& scene) {
  if (scene.level_count() == 0) refuse(function, "the scene was never built");
  if (scene.backend() != context.backend()) {
    refuse(function, std::string("the scene was built by the backend ") + name_of(scene.backend()) +
                         ", but the context is of the backend " + name_of(context.backend()));
  }
}

}  // namespace copse::detail
