#include "builders/bvh/end_point_overlap.h"

#include <string>

#include "builders/bvh/measure/measured.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: end_point_overlap.inl, for either executor.

/// Writes the sums to one element of the executor's memory.
template <class Executor>
void measure_overlap(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                     const SahCosts& costs, OverlapSums* sums);

}  // namespace detail

double end_point_overlap(Context& context, const Bvh& bvh, const TriangleViews& triangles, const SahCosts& costs) {
  if (triangles.primitive_count() != bvh.source_count) {
    detail::refuse("end_point_overlap", detail::counted(triangles.primitive_count(), "triangles") +
                                            ", but the tree was built over " + std::to_string(bvh.source_count));
  }
  Buffer<detail::OverlapSums> sums(context, 1);
  dispatch(context, [&](const auto& ex) {
    detail::measure_overlap(ex, bvh.view(), triangles.views(), costs, sums.data());
  });
  const detail::OverlapSums result = sums.download()[0];
  return result.area > 0 ? result.overlap / result.area : 0;
}

}  // namespace copse
