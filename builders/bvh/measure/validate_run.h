#pragma once

// The steps of a validation, the same for binary and for wide trees. For the .cpp files.

#include <algorithm>
#include <vector>

#include "builders/bvh/measure/validate_body.h"
#include "builders/bvh/validate.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

/// The counts of a report.
struct TreeFaults {
  u64 bad_counts = 0, bad_indices = 0, unreached_nodes = 0;
  u64 missing_primitives = 0, repeated_primitives = 0, invalid_primitives = 0;
  u64 loose_boxes = 0;
};

inline ValidationReport report_of(const TreeFaults& found) {
  return {{{"bad_counts", "counts that do not fit", found.bad_counts},
           {"bad_indices", "indices out of range", found.bad_indices},
           {"unreached_nodes", "nodes not reached exactly once", found.unreached_nodes},
           {"missing_primitives", "primitives in no leaf", found.missing_primitives},
           {"repeated_primitives", "primitives in several leaves", found.repeated_primitives},
           {"invalid_primitives", "invalid primitives in leaves", found.invalid_primitives},
           {"loose_boxes", "boxes that are not tight", found.loose_boxes}}};
}

/// Checks counts, then indices, then content, each once what it relies on is known to be good.
///   count_faults: u64(counts), on the host
///   check_indices, check_content: void(executor, counts, Faults*)
///   nodes_a_reference: how many nodes a wrong reference leaves out
template <class Tree, class CountFaults, class CheckIndices, class CheckContent>
ValidationReport run_validation(Context& context, const Tree& tree, u64 source_count, bool refitted,
                                u64 nodes_a_reference, const CountFaults& count_faults,
                                const CheckIndices& check_indices, const CheckContent& check_content) {
  TreeFaults found;
  if (tree.counts.empty() || tree.nodes.empty() || source_count > tree.primitive_capacity()) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(source_count) +
                                                 " primitives of a tree with room for " +
                                                 std::to_string(tree.primitive_capacity()));
  }
  const auto counts = tree.counts.download()[0];
  found.bad_counts = count_faults(counts);
  if (found.bad_counts > 0) return report_of(found);

  Buffer<Faults> buffer(context, std::vector<Faults>(1));
  dispatch(context, [&](const auto& ex) { check_indices(ex, counts, buffer.data()); });
  Faults faults = buffer.download()[0];
  found.bad_indices = faults.bad_indices;
  found.unreached_nodes = nodes_a_reference * faults.wrong_references;
  if (found.bad_indices + found.unreached_nodes > 0) return report_of(found);

  dispatch(context, [&](const auto& ex) { check_content(ex, counts, buffer.data()); });
  faults = buffer.download()[0];
  found.unreached_nodes = counts.node_count - faults.visited_nodes;
  found.missing_primitives = faults.missing_primitives;
  found.repeated_primitives = faults.repeated_primitives;
  found.invalid_primitives = faults.invalid_primitives;
  found.loose_boxes = faults.loose_boxes;
  if (refitted) {
    found.invalid_primitives = 0;
    found.missing_primitives -= std::min<u64>(found.missing_primitives, counts.invalid_count);
  }
  return report_of(found);
}

}  // namespace copse::detail
