// Passes of reinsertion: find a place for every node, decide which moves to make, make them, fit the boxes of
// inner nodes, and undo the pass if these have gained area. See reinsert.h for the source.
//
// The cooperative stage, reinsert_cpu.h and reinsert.cuh:
//
//   fit_inner_nodes(ex, node_count, bvh)
//     Gives every inner node of a binary tree of at most `node_count` nodes, of any topology, the box around its
//     children; leaves keep theirs. On CUDA it takes six tenths of the time of walks.
//   fit_inner_nodes_scratch_bytes(ex, node_count)

#include "builders/bvh/refit/fit_nodes.h"
#include "builders/bvh/reinsert/reinsert_moves.h"
#include "primitives/bottom_up.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/reduce.h"

namespace copse::detail {

/// The outcome of a pass.
struct PassOutcome {
  u64 area;        // of all inner nodes, before the pass, or after it unless it is undone
  u64 area_moved;  // after the moves
  u32 is_undone;
};

/// The area of an inner node as a whole number, so that sums are the same in any order. Areas are below 2^4, and
/// the sum over all nodes is below 2^64.
struct InnerArea {
  BvhArrays bvh;
  float unit;

  InnerArea(const BvhArrays& tree, u64 node_count)
      : bvh(tree), unit(float_from_bits((127 + 28 + leading_zeros(u32(node_count))) << 23)) {}
  COPSE_HD u64 operator()(u64 i) const {
    if (i >= bvh.counts->node_count || bvh.nodes[i].is_leaf()) return 0;
    const float area = AreaScale::of(bvh.nodes[0].box()).area(bvh.nodes[i].box());
    return area < 16 ? u64(area * unit) : 0;  // infinite if all leaves below are empty
  }
};

struct JudgePass {
  PassOutcome* outcome;
  COPSE_HD void operator()(u64) const {
    outcome->is_undone = outcome->area_moved > outcome->area;
    if (!outcome->is_undone) outcome->area = outcome->area_moved;
  }
};

/// The tree is no longer the one that its deltas tell.
struct ForgetDeltas {
  BvhArrays bvh;
  COPSE_HD void operator()(u64) const { *bvh.has_deltas = 0; }
};

template <class Executor>
void sum_inner_areas(const Executor& ex, u64 node_count, const BvhArrays& bvh, u64* sum) {
  reduce(ex, "reinsert: areas", node_count, InnerArea(bvh, node_count), u64{0}, Plus{}, sum);
}

template <class Executor>
void run_pass(const Executor& ex, u64 node_count, const ReinsertionPass& pass, PassOutcome* outcome) {
  // Find a place for every node, and make the moves that hold all their places.
  fill_bytes(ex, "reinsert: clear claims", pass.claims, node_count, 0);
  for_each(ex, "reinsert: search", node_count, FindMove{pass});
  for (u32 round = 0; round < claim_rounds; ++round) {
    for_each(ex, "reinsert: claim", node_count, ClaimPlaces{pass, round});
    for_each(ex, "reinsert: hold", node_count, HoldPlaces{pass, round});
  }
  for_each(ex, "reinsert: move", node_count, MoveNode{pass});
  fit_inner_nodes(ex, node_count, pass.bvh);

  // Undo the moves if they cost more together than they gain.
  sum_inner_areas(ex, node_count, pass.bvh, &outcome->area_moved);
  for_each(ex, "reinsert: judge", 1, JudgePass{outcome});
  for_each(ex, "reinsert: move back", node_count, MoveNodeBack{pass, &outcome->is_undone});
  fit_inner_nodes_if(ex, node_count, pass.bvh, &outcome->is_undone);
}

template <class Executor>
void reinsert_nodes(const Executor& ex, u64 node_count, const BvhArrays& bvh, u32 passes) {
  ScratchArena::Frame frame(ex.scratch);
  const ReinsertionPass pass{bvh, frame.allocate<Reinsertion>(node_count), frame.allocate<u64>(node_count)};
  auto* outcome = frame.allocate<PassOutcome>(1);
  sum_inner_areas(ex, node_count, bvh, &outcome->area);
  for (u32 k = 0; k < passes; ++k) run_pass(ex, node_count, pass, outcome);
  if (bvh.has_deltas != nullptr) for_each(ex, "reinsert: forget deltas", 1, ForgetDeltas{bvh});
}

template <class Executor>
u64 reinsert_scratch_bytes(const Executor& ex, u64 node_count) {
  return ScratchArena::bytes_for<Reinsertion>(node_count) + ScratchArena::bytes_for<u64>(node_count) +
         ScratchArena::bytes_for<PassOutcome>(1) +
         larger(
             u64(reduce_scratch_bytes<u64>(ex, node_count)),
             larger(fit_inner_nodes_scratch_bytes(ex, node_count), bottom_up_scratch_bytes(ex, node_count / 2)));
}

template void reinsert_nodes(const BodyExecutor&, u64, const BvhArrays&, u32);
template u64 reinsert_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
