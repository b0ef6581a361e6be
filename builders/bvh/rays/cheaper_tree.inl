// Of two trees over the same triangles, the one that rays traverse faster.
//
// Trees of the SAH builder mostly cost least. Yet in interiors a tree of H-PLOC of nearly the same cost is traversed
// faster: its diffuse rays in the apartment by a tenth (bench/notes/builders.md). So the other tree must be
// clearly cheaper.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/reinsert/inner_area.h"
#include "primitives/reduce.h"

namespace copse::detail {

namespace {

struct TreeAreas {
  u64 own, other;  // of inner nodes, in the units of InnerArea; below 2^64

  /// Whether the inner nodes of the other tree have at least a hundredth less area.
  COPSE_HD bool other_is_cheaper() const { return other < own - own / 100; }
};

struct CopyIfCheaper {
  const TreeAreas* areas;
  BvhArrays own, other;

  COPSE_HD void operator()(u64 i) const {
    if (!areas->other_is_cheaper()) return;
    const BvhCounts counts = *other.counts;
    if (i == 0) *own.counts = counts;
    if (i == 0 || i < counts.node_count) own.nodes[i] = other.nodes[i];
    if (i < counts.node_count / 2) own.parents[i] = other.parents[i];
    if (i < counts.primitive_count) own.primitive_ids[i] = other.primitive_ids[i];
  }
};

}  // namespace

/// Replaces a tree by another one over the same triangles, one per leaf, if that is cheaper. Both have room for
/// `node_count` nodes.
template <class Executor>
void take_cheaper_tree(const Executor& ex, u64 node_count, const BvhArrays& bvh, const BvhArrays& other) {
  ScratchArena::Frame frame(ex.scratch);
  auto* areas = frame.allocate<TreeAreas>(1);
  sum_inner_areas(ex, "cheaper tree: areas", node_count, bvh, &areas->own);
  sum_inner_areas(ex, "cheaper tree: areas", node_count, other, &areas->other);
  for_each(ex, "cheaper tree: copy", node_count, CopyIfCheaper{areas, bvh, other});
}

template <class Executor>
u64 take_cheaper_tree_scratch_bytes(const Executor& ex, u64 node_count) {
  return ScratchArena::bytes_for<TreeAreas>(1) + reduce_scratch_bytes<u64>(ex, node_count);
}

template void take_cheaper_tree(const BodyExecutor&, u64, const BvhArrays&, const BvhArrays&);
template u64 take_cheaper_tree_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
