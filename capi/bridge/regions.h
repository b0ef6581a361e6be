#pragma once

#include "capi/bridge/call.h"
#include "capi/queries.h"
#include "queries/region.h"

namespace copse::capi {

/// Calls `ask(region)` with a value of the type of a shape.
/// Throws: Error invalid_argument for another shape.
template <class Ask>
void with_region(copse_region shape, const Ask& ask) {
  switch (shape) {
    case COPSE_REGION_BOX: return ask(Aabb{});
    case COPSE_REGION_SPHERE: return ask(Sphere{});
    case COPSE_REGION_FRUSTUM: return ask(Frustum{});
  }
  refuse("shape is " + std::to_string(shape) + "; it can be 0 to 2");
}

}  // namespace copse::capi
