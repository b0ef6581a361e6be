#pragma once

#include <string>

#include "builders/geometry/primitive_set.h"
#include "builders/geometry/triangle_records.h"
#include "primitives/core/context.h"

namespace copse::detail {

/// Does nothing unless the context validates (ContextOptions::validate). Then it checks that the positions and indices of
/// all views are aligned and that the device can read them, and that all indices are below the number of positions of their view.
/// Throws: Error invalid_argument with `function`, the view, the triangle, the index and the limit.
/// Waits: for the result.
COPSE_API void validate_triangles(Context& context, const char* function, const TriangleViews& triangles);

/// The same for the indices of records in host memory.
COPSE_API void validate_triangles(Context& host, const char* function, const TriangleRecords& triangles);

/// Does nothing unless the context validates. Then it checks that positions are aligned and that the device can read them.
///   what: names them, such as "points"
/// Throws: Error invalid_argument.
COPSE_API void validate_positions(Context& context, const char* function, const std::string& what,
                                  const PositionSpan& positions);

}  // namespace copse::detail
