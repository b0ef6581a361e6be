#include "builders/bvh/measure/validate_run.h"
#include "builders/bvh/measure/wide_validate_body.h"

namespace copse {

namespace {

/// Faults of the counts themselves; nothing else may be read before they are good.
template <class Node>
u64 count_faults(const WideBvh<Node>& tree, const WideBvhCounts& counts, u64 source_count) {
  u64 faults = 0;
  faults += counts.node_count > tree.nodes.size() || counts.node_count > tree.parents.size();
  faults += counts.primitive_count > tree.primitive_ids.size();
  faults += (counts.node_count == 0) != (counts.primitive_count == 0);
  faults += counts.node_count > wide_node_capacity(counts.primitive_count);
  faults += u64{counts.primitive_count} + counts.invalid_count != source_count;
  return faults;
}

template <class Node, class CheckContent>
ValidationReport run(Context& context, const WideBvh<Node>& tree, u64 source_count, bool refitted,
                     CheckContent check_content) {
  return detail::run_validation(
      context, tree, source_count, refitted, 1,
      [&](const WideBvhCounts& counts) { return count_faults(tree, counts, source_count); },
      [&](const auto& ex, const WideBvhCounts& counts, detail::Faults* faults) {
        detail::check_wide_indices(ex, tree.view(), counts, u32(source_count), faults);
      },
      check_content);
}

}  // namespace

template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const TriangleViews& triangles,
                          bool refitted) {
  const u64 n = triangles.primitive_count();
  return run(context, tree, n, refitted, [&](const auto& ex, const WideBvhCounts& counts, detail::Faults* faults) {
    detail::check_wide_triangles(ex, tree.view(), counts, triangles.views(), u32(n), faults);
  });
}

template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const BoxView& boxes, bool refitted) {
  const u64 n = boxes.boxes.size();
  return run(context, tree, n, refitted, [&](const auto& ex, const WideBvhCounts& counts, detail::Faults* faults) {
    detail::check_wide_boxes(ex, tree.view(), counts, boxes.boxes.data(), u32(n), faults);
  });
}

template ValidationReport validate(Context&, const Bvh4&, const TriangleViews&, bool);
template ValidationReport validate(Context&, const Bvh4&, const BoxView&, bool);
template ValidationReport validate(Context&, const CompressedBvh4&, const TriangleViews&, bool);
template ValidationReport validate(Context&, const CompressedBvh4&, const BoxView&, bool);
template ValidationReport validate(Context&, const CompressedBvh8&, const TriangleViews&, bool);
template ValidationReport validate(Context&, const CompressedBvh8&, const BoxView&, bool);

}  // namespace copse
