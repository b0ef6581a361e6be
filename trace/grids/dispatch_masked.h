#pragma once

#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"
#include "trace/masked_triangles.h"

namespace copse::detail {

/// Calls work(executor, masks) with the executor of the context's backend; `masks` is null if every ray sees every
/// triangle. First it throws unless there is one mask per result, or none. `what`: the items that have a result each.
template <class Result, class Work>
void dispatch_masked(const char* function, const char* what, Context& context, const TriangleViews& triangles,
                     BufferSpan<const u32> masks, BufferSpan<Result> results, const Work& work) {
  check_masks(function, what, masks, results.size());
  check_apart(function, "masks", masks, results);
  const BatchMasks all{masks.data(), nullptr};
  const bool is_masked = !masks.empty() || has_masks(triangles);
  dispatch(context, [&](const auto& ex) { work(ex, is_masked ? &all : nullptr); });
}

}  // namespace copse::detail
