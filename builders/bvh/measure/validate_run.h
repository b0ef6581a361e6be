#pragma once

// The steps of a validation, the same for binary and for wide trees. For the .cpp files.

#include <algorithm>
#include <vector>

#include "builders/bvh/measure/validate_body.h"
#include "builders/bvh/validate.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

/// Checks counts, then indices, then content, each once what it relies on is known to be good.
///   count_faults: u64(counts), on the host
///   check_indices, check_content: void(executor, counts, Faults*)
///   nodes_a_reference: how many nodes a wrong reference leaves out
template <class Tree, class CountFaults, class CheckIndices, class CheckContent>
ValidationReport run_validation(Context& context, const Tree& tree, u64 source_count, bool refitted,
                                u64 nodes_a_reference, const CountFaults& count_faults,
                                const CheckIndices& check_indices, const CheckContent& check_content) {
  ValidationReport report;
  if (tree.counts.empty() || tree.nodes.empty() || source_count > tree.primitive_capacity()) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(source_count) +
                                                 " primitives of a tree with room for " +
                                                 std::to_string(tree.primitive_capacity()));
  }
  const auto counts = tree.counts.download()[0];
  report.bad_counts = count_faults(counts);
  if (report.bad_counts > 0) return report;

  Buffer<Faults> buffer(context, std::vector<Faults>(1));
  dispatch(context, [&](const auto& ex) { check_indices(ex, counts, buffer.data()); });
  Faults faults = buffer.download()[0];
  report.bad_indices = faults.bad_indices;
  report.unreached_nodes = nodes_a_reference * faults.wrong_references;
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

}  // namespace copse::detail
