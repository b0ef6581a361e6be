// Passes of reinsertion. A pass finds the best place for every node, decides which moves to make, makes them, and
// fits the boxes of inner nodes. If the area of inner nodes has grown, it undoes its moves. See reinsert.h for the
// source.
//
// The cooperative stage, reinsert_cpu.h and reinsert.cuh:
//
//   fit_inner_nodes(ex, node_count, bvh, is_wanted)
//     Gives every inner node of a binary tree of at most `node_count` nodes, of any topology, the box around its
//     children; leaves keep theirs. On CUDA it takes six tenths of the time of walks.
//       is_wanted: null, or a word; if that is 0, nothing changes
//   fit_inner_nodes_scratch_bytes(ex, node_count)

#include "builders/bvh/refit/fit_nodes.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/reinsert/inner_area.h"
#include "builders/bvh/reinsert/reinsert_moves.h"
#include "primitives/bottom_up.h"
#include "primitives/compact.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct JudgePass {
  PassOutcome* outcome;
  COPSE_HD void operator()(u64) const { outcome->judge(); }
};

/// Marks the pairs whose nodes a pass tries to move: those of a large enough parent.
struct MarkLargeParents {
  InnerArea area_of;
  const PassOutcome* outcome;
  float min_parent_area;  // in mean areas of inner nodes
  u8* marks;              // [pair]

  COPSE_HD void operator()(u64 pair) const {
    const u32 pair_count = area_of.bvh.counts->node_count / 2;
    if (pair >= pair_count) {
      marks[pair] = 0;
      return;
    }
    marks[pair] = outcome->is_large(area_of(area_of.bvh.parents[pair]), pair_count, min_parent_area) ? 1 : 0;
  }
};

struct IsMarked {
  const u8* marks;
  COPSE_HD bool operator()(u64 pair) const { return marks[pair] != 0; }
};

/// Clears has_deltas, since the tree is no longer the LBVH of its deltas.
struct ForgetDeltas {
  BvhArrays bvh;
  COPSE_HD void operator()(u64) const { *bvh.has_deltas = 0; }
};

template <class Executor>
void run_pass(const Executor& ex, u64 node_count, const ReinsertionPass& pass, PassOutcome* outcome) {
  make_moves(ex, node_count, pass);
  fit_inner_nodes(ex, node_count, pass.bvh, nullptr);

  // Undo the moves if the area of all inner nodes has grown.
  sum_inner_areas(ex, "reinsert: areas", node_count, pass.bvh, &outcome->area_moved);
  for_each(ex, "reinsert: judge", 1, JudgePass{outcome});
  for_each(ex, "reinsert: move back", node_count, MoveNodeBack{pass, outcome});
  fit_inner_nodes(ex, node_count, pass.bvh, &outcome->is_undone);
}

template <class Executor>
void reinsert_nodes(const Executor& ex, u64 node_count, const BvhArrays& bvh, const ReinsertOptions& options) {
  ScratchArena::Frame frame(ex.scratch);
  ReinsertionPass pass{bvh, frame.allocate<Reinsertion>(node_count), frame.allocate<u64>(node_count), {}};
  auto* outcome = frame.allocate<PassOutcome>(1);
  u32* pairs = frame.allocate<u32>(node_count / 2);
  u64* pair_count = frame.allocate<u64>(1);
  sum_inner_areas(ex, "reinsert: areas", node_count, bvh, &outcome->area);
  for (u32 k = 0; k < options.passes; ++k) {
    if (options.min_parent_area > 0) {
      auto* marks = reinterpret_cast<u8*>(pass.claims);  // which a pass clears before it uses them
      for_each(ex, "reinsert: mark", node_count / 2,
               MarkLargeParents{InnerArea(bvh, node_count), outcome, options.min_parent_area, marks});
      compact(ex, "reinsert: choose", node_count / 2, IsMarked{marks}, Index{}, pairs, pair_count);
      pass.moving = {pairs, pair_count};
    }
    run_pass(ex, node_count, pass, outcome);
  }
  if (bvh.has_deltas != nullptr) for_each(ex, "reinsert: forget deltas", 1, ForgetDeltas{bvh});
}

template <class Executor>
u64 reinsert_scratch_bytes(const Executor& ex, u64 node_count) {
  const u64 pair_count = node_count / 2;
  return ScratchArena::bytes_for<Reinsertion>(node_count) + ScratchArena::bytes_for<u64>(node_count) +
         ScratchArena::bytes_for<PassOutcome>(1) + ScratchArena::bytes_for<u32>(pair_count) +
         ScratchArena::bytes_for<u64>(1) +
         larger(larger(u64(reduce_scratch_bytes<u64>(ex, node_count)), compact_scratch_bytes<u32>(ex, pair_count)),
                fit_inner_nodes_scratch_bytes(ex, node_count));
}

template void reinsert_nodes(const BodyExecutor&, u64, const BvhArrays&, const ReinsertOptions&);
template u64 reinsert_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
