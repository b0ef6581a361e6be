#include "builders/bvh/validate.h"

#include <algorithm>
#include <span>
#include <vector>

#include "builders/bvh/measure/measured.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: validate.inl, for either executor.

/// Checks indices and references only. Safe for any content of the tree's memory, if `counts` fits the capacity.
template <class Executor, class View, class Counts>
void check_indices(const Executor& ex, const View& tree, const Counts& counts, u32 source_count, Faults* faults);

/// Checks the rest, once all indices are known to be good.
template <class Executor, class View, class Counts>
void check_triangles(const Executor& ex, const View& tree, const Counts& counts,
                     std::span<const TriangleView> views, u32 source_count, Faults* faults);
template <class Executor, class View, class Counts>
void check_boxes(const Executor& ex, const View& tree, const Counts& counts, const Aabb* boxes, u32 source_count,
                 Faults* faults);

}  // namespace detail

namespace {

/// The counts of a report.
struct TreeFaults {
  u64 bad_counts = 0, bad_indices = 0, unreached_nodes = 0;
  u64 missing_primitives = 0, repeated_primitives = 0, invalid_primitives = 0;
  u64 loose_boxes = 0, uncovered_primitives = 0;
};

ValidationReport report_of(const TreeFaults& found) {
  return {
      {{"bad_counts", "counts that do not fit", found.bad_counts},
       {"bad_indices", "indices out of range", found.bad_indices},
       {"unreached_nodes", "nodes not reached exactly once", found.unreached_nodes},
       {"missing_primitives", "primitives in no leaf", found.missing_primitives},
       {"repeated_primitives", "primitives in several leaves", found.repeated_primitives},
       {"invalid_primitives", "invalid primitives in leaves", found.invalid_primitives},
       {"loose_boxes", "boxes that are not tight", found.loose_boxes},
       {"uncovered_primitives", "split primitives that their leaves do not cover", found.uncovered_primitives}}};
}

/// With splits there may be more places in leaves than primitives.
template <class Tree>
bool has_bad_sum(const Tree& tree, u64 sum, u64 source_count) {
  return tree.has_repeats() ? sum < source_count || sum > tree.place_count() : sum != source_count;
}

/// Counts the faults of the counts themselves. The rest of the tree may be read only if there are none.
u64 count_faults(const Bvh& bvh, const BvhCounts& counts, u64 source_count) {
  const u64 expected_nodes = counts.leaf_count == 0 ? 0 : 2 * u64{counts.leaf_count} - 1;
  u64 faults = 0;
  faults += counts.node_count != expected_nodes;
  faults += counts.node_count > bvh.nodes.size() || counts.node_count / 2 > bvh.parents.size();
  faults += counts.primitive_count > bvh.primitive_ids.size();
  faults += counts.leaf_count > counts.primitive_count || (counts.leaf_count == 0 && counts.primitive_count > 0);
  faults += has_bad_sum(bvh, u64{counts.primitive_count} + counts.invalid_count, source_count);
  return faults;
}

template <class Node>
u64 count_faults(const WideBvh<Node>& tree, const WideBvhCounts& counts, u64 source_count) {
  u64 faults = 0;
  faults += counts.node_count > tree.nodes.size() || counts.node_count > tree.parents.size();
  faults += counts.primitive_count > tree.primitive_ids.size();
  faults += (counts.node_count == 0) != (counts.primitive_count == 0);
  faults += counts.node_count > wide_node_capacity(counts.primitive_count);
  faults += has_bad_sum(tree, u64{counts.primitive_count} + counts.invalid_count, source_count);
  return faults;
}

/// The number of nodes that a wrong reference leaves out.
template <class Tree>
constexpr u64 nodes_per_reference = std::is_same_v<Tree, Bvh> ? 2 : 1;

/// Checks counts, then indices, then content; each check relies on those before.
///   check_content: void(executor, counts, Faults*)
template <class Tree, class CheckContent>
TreeFaults find_faults(Context& context, const Tree& tree, u64 source_count, bool refitted,
                       const CheckContent& check_content) {
  TreeFaults found;
  if (tree.counts.empty() || tree.nodes.empty() || source_count > tree.primitive_capacity()) {
    detail::refuse("validate", detail::counted(source_count, "primitives") + ", but the tree has room for " +
                                   std::to_string(tree.primitive_capacity()));
  }
  const auto counts = tree.counts.download()[0];
  found.bad_counts = count_faults(tree, counts, source_count);
  if (found.bad_counts > 0) return found;

  Buffer<detail::Faults> buffer(context, std::vector<detail::Faults>(1));
  dispatch(context, [&](const auto& ex) {
    detail::check_indices(ex, tree.view(), counts, u32(source_count), buffer.data());
  });
  detail::Faults faults = buffer.download()[0];
  found.bad_indices = faults.bad_indices;
  found.unreached_nodes = nodes_per_reference<Tree> * faults.wrong_references;
  if (found.bad_indices + found.unreached_nodes > 0) return found;

  dispatch(context, [&](const auto& ex) { check_content(ex, counts, buffer.data()); });
  faults = buffer.download()[0];
  found.unreached_nodes = counts.node_count - faults.visited_nodes;
  found.missing_primitives = faults.missing_primitives;
  found.repeated_primitives = faults.repeated_primitives;
  found.invalid_primitives = faults.invalid_primitives;
  found.loose_boxes = faults.loose_boxes;
  found.uncovered_primitives = faults.uncovered_primitives;
  if (refitted) {
    found.invalid_primitives = 0;
    found.missing_primitives -= std::min<u64>(found.missing_primitives, counts.invalid_count);
  }
  return found;
}

template <class Tree>
ValidationReport validate_tree(Context& context, const Tree& tree, const TriangleViews& triangles, bool refitted) {
  const u64 n = triangles.primitive_count();
  return report_of(
      find_faults(context, tree, n, refitted, [&](const auto& ex, const auto& counts, detail::Faults* faults) {
        detail::check_triangles(ex, tree.view(), counts, triangles.views(), u32(n), faults);
      }));
}

template <class Tree>
ValidationReport validate_tree(Context& context, const Tree& tree, const BoxView& boxes, bool refitted) {
  const u64 n = boxes.boxes.size();
  return report_of(
      find_faults(context, tree, n, refitted, [&](const auto& ex, const auto& counts, detail::Faults* faults) {
        detail::check_boxes(ex, tree.view(), counts, boxes.boxes.data(), u32(n), faults);
      }));
}

}  // namespace

ValidationReport validate(Context& context, const Bvh& bvh, const TriangleViews& triangles, bool refitted) {
  return validate_tree(context, bvh, triangles, refitted);
}

ValidationReport validate(Context& context, const Bvh& bvh, const BoxView& boxes, bool refitted) {
  return validate_tree(context, bvh, boxes, refitted);
}

template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const TriangleViews& triangles,
                          bool refitted) {
  return validate_tree(context, tree, triangles, refitted);
}

template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const BoxView& boxes, bool refitted) {
  return validate_tree(context, tree, boxes, refitted);
}

template COPSE_API ValidationReport validate(Context&, const Bvh4&, const TriangleViews&, bool);
template COPSE_API ValidationReport validate(Context&, const Bvh4&, const BoxView&, bool);
template COPSE_API ValidationReport validate(Context&, const CompressedBvh4&, const TriangleViews&, bool);
template COPSE_API ValidationReport validate(Context&, const CompressedBvh4&, const BoxView&, bool);
template COPSE_API ValidationReport validate(Context&, const CompressedBvh8&, const TriangleViews&, bool);
template COPSE_API ValidationReport validate(Context&, const CompressedBvh8&, const BoxView&, bool);

}  // namespace copse
