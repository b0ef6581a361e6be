#include "builders/kd/sah_kd_validate.h"

#include "builders/kd/measure/sah_kd_faults.h"
#include "builders/validation_steps.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: sah_kd_validate.inl, for either executor. The second check needs nodes and lists that are right.
template <class Executor>
void check_sah_kd_nodes(const Executor& ex, std::span<const TriangleView> views, const SahKdView& tree,
                        const SahKdCounts& counts, SahKdFaults* faults);
template <class Executor>
void check_sah_kd_references(const Executor& ex, std::span<const TriangleView> views, const SahKdView& tree,
                             SahKdFaults* faults);

}  // namespace detail

ValidationReport validate(Context& context, const SahKdTree& tree, const TriangleViews& triangles) {
  using detail::SahKdFaults;
  detail::check_built_over(tree, triangles.primitive_count(), "kd-tree of triangles", "triangles");
  if (tree.nodes.empty()) return detail::report_of(SahKdFaults{.bad_nodes = 1});
  const detail::SahKdCounts counts{tree.source_count - tree.invalid_count, tree.depth};
  return detail::check_in_two_steps<SahKdFaults>(
      context,
      [&](const auto& ex, SahKdFaults* faults) {
        detail::check_sah_kd_nodes(ex, triangles.views(), tree.view(), counts, faults);
      },
      [&](const auto& ex, SahKdFaults* faults) {
        detail::check_sah_kd_references(ex, triangles.views(), tree.view(), faults);
      });
}

}  // namespace copse
