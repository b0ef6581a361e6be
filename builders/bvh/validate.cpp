#include "builders/bvh/validate.h"

#include <algorithm>

#include "builders/bvh/validate_body.h"
#include "primitives/core/dispatch.h"

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

template <class Check>
ValidationReport run(Context& context, const Bvh& bvh, u64 source_count, bool refitted, Check check_content) {
  ValidationReport report;
  if (bvh.counts.empty() || bvh.nodes.empty() || source_count > bvh.primitive_capacity()) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(source_count) +
                                                 " primitives of a tree with room for " +
                                                 std::to_string(bvh.primitive_capacity()));
  }
  const BvhCounts counts = bvh.counts.download()[0];
  report.bad_counts = count_faults(bvh, counts, source_count);
  if (report.bad_counts > 0) return report;

  Buffer<detail::Faults> buffer(context, std::vector<detail::Faults>(1));
  dispatch(context, [&](const auto& ex) {
    detail::check_indices(ex, bvh.view(), counts, u32(source_count), buffer.data());
  });
  detail::Faults faults = buffer.download()[0];
  report.bad_indices = faults.bad_indices;
  report.unreached_nodes = 2 * faults.wrong_references;
  if (!report.ok()) return report;

  dispatch(context, [&](const auto& ex) { check_content(ex, counts, buffer.data()); });
  faults = buffer.download()[0];
  report.unreached_nodes = counts.node_count - faults.visited_nodes;
  report.missing_primitives = faults.missing_primitives;
  report.repeated_primitives = faults.repeated_primitives;
  report.invalid_primitives = faults.invalid_primitives;
  report.loose_boxes = faults.loose_boxes;
  if (refitted) {
    report.invalid_primitives = 0;
    report.missing_primitives -= std::min<u64>(report.missing_primitives, counts.invalid_count);
  }
  return report;
}

}  // namespace

std::string ValidationReport::message() const {
  std::string text;
  const auto add = [&](u64 count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(bad_counts, "counts that do not fit");
  add(bad_indices, "indices out of range");
  add(unreached_nodes, "nodes not reached exactly once");
  add(missing_primitives, "primitives in no leaf");
  add(repeated_primitives, "primitives in several leaves");
  add(invalid_primitives, "invalid primitives in leaves");
  add(loose_boxes, "boxes that are not tight");
  return text.empty() ? "valid" : text;
}

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
