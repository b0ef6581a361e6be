#include "builders/bvh/refit.h"

#include <string>

#include "builders/bvh/refit/refit_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

void check(const Bvh& bvh, u64 primitive_count) {
  if (primitive_count != bvh.source_count) {
    throw Error(ErrorCode::invalid_argument, "refit with " + std::to_string(primitive_count) +
                                                 " primitives of a tree built over " +
                                                 std::to_string(bvh.source_count));
  }
}

}  // namespace

void refit(Context& context, Bvh& bvh, const TriangleViews& triangles) {
  const u64 n = triangles.primitive_count();
  check(bvh, n);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::refit_scratch_bytes(ex, n, triangles.views().size()));
    detail::refit_over_triangles(ex, triangles.views(), n, detail::arrays_of(bvh), bvh.may_refit_by_deltas);
  });
}

void refit(Context& context, Bvh& bvh, const BoxView& boxes) {
  const u64 n = boxes.boxes.size();
  check(bvh, n);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::refit_scratch_bytes(ex, n, 0));
    detail::refit_over_boxes(ex, boxes.boxes.data(), n, detail::arrays_of(bvh), bvh.may_refit_by_deltas);
  });
}

}  // namespace copse
