#include "builders/bvh/validate.h"

#include "builders/bvh/measure/validate_run.h"

namespace copse {

namespace {

/// Faults of the counts themselves; nothing else may be read before they are good.
u64 count_faults(const Bvh& bvh, const BvhCounts& counts, u64 source_count) {
  const u64 expected_nodes = counts.leaf_count == 0 ? 0 : 2 * u64{counts.leaf_count} - 1;
  u64 faults = 0;
  faults += counts.node_count != expected_nodes;
  faults += counts.node_count > bvh.nodes.size() || counts.node_count / 2 > bvh.parents.size();
  faults += counts.primitive_count > bvh.primitive_ids.size();
  faults += counts.leaf_count > counts.primitive_count || (counts.leaf_count == 0 && counts.primitive_count > 0);
  faults += u64{counts.primitive_count} + counts.invalid_count != source_count;
  return faults;
}

template <class CheckContent>
ValidationReport run(Context& context, const Bvh& bvh, u64 source_count, bool refitted,
                     CheckContent check_content) {
  return detail::run_validation(
      context, bvh, source_count, refitted, 2,
      [&](const BvhCounts& counts) { return count_faults(bvh, counts, source_count); },
      [&](const auto& ex, const BvhCounts& counts, detail::Faults* faults) {
        detail::check_indices(ex, bvh.view(), counts, u32(source_count), faults);
      },
      check_content);
}

}  // namespace

ValidationReport validate(Context& context, const Bvh& bvh, const TriangleViews& triangles, bool refitted) {
  const u64 n = triangles.primitive_count();
  return run(context, bvh, n, refitted, [&](const auto& ex, const BvhCounts& counts, detail::Faults* faults) {
    detail::check_triangles(ex, bvh.view(), counts, triangles.views(), u32(n), faults);
  });
}

ValidationReport validate(Context& context, const Bvh& bvh, const BoxView& boxes, bool refitted) {
  const u64 n = boxes.boxes.size();
  return run(context, bvh, n, refitted, [&](const auto& ex, const BvhCounts& counts, detail::Faults* faults) {
    detail::check_boxes(ex, bvh.view(), counts, boxes.boxes.data(), u32(n), faults);
  });
}

}  // namespace copse
