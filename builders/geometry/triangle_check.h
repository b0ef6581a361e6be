#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"

namespace copse::detail {

/// Does nothing unless the context validates (ContextOptions::validate). Then it checks that the device can read the
/// positions and indices of all views, and that all indices are below the number of positions of their view.
/// Throws: Error invalid_argument with the view, the triangle, the index and the limit.
/// Waits: for the result.
COPSE_API void validate_triangles(Context& context, const TriangleViews& triangles);

/// Does nothing unless the context validates. Then it checks that the device can read from `memory`.
///   what: names what is there, such as "rays"
/// Throws: Error invalid_argument.
COPSE_API void validate_memory(Context& context, const std::string& what, const void* memory);

}  // namespace copse::detail
