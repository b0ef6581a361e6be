#pragma once

// What batches with masks check, and whether there are any.

#include <algorithm>

#include "builders/geometry/primitive_set.h"
#include "trace/check.h"

namespace copse::detail {

/// Refuses masks that are not one for each of `count`; there may be none.
inline void check_masks(const char* function, const char* what, BufferSpan<const u32> masks, u64 count) {
  if (masks.empty() || masks.size() == count) return;
  refuse(function, std::to_string(masks.size()) + " masks for " + std::to_string(count) + " " + what);
}

/// Whether any triangle has a mask that matters to a ray whose mask is all ones.
inline bool has_masks(const TriangleViews& triangles) {
  const auto views = triangles.views();
  return std::any_of(views.begin(), views.end(), [](const TriangleView& view) { return view.mask == 0; });
}

}  // namespace copse::detail
