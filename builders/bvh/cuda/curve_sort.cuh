#pragma once

// Primitives with equal fronts, put in order by whole keys on CUDA. Contract: builders/bvh/morton_order.h.
//
//   runs of at most 32   by counting, a thread a primitive (curve_ties.cuh)
//   of at most 8704      by a warp or a block (curve_runs.cuh)
//   longer               by a radix sort over all, in the same launch (curve_resort.cuh); such keys come from
//                        scenes with most primitives in a thousandth of their extent

#include "builders/bvh/cuda/curve_runs.cuh"
#include "builders/bvh/cuda/curve_ties.cuh"
#include "primitives/cuda/primitives.cuh"

namespace copse::cuda {

inline void order_equal_fronts(const Executor& ex, const copse::detail::KeyWords& keys,
                               const copse::detail::SortedFronts& sorted, const copse::detail::CurveOrder& order) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 blocks = detail::run_blocks(ex);
  const detail::RunList runs = detail::allocate_run_list(frame, keys.n, blocks);
  ZeroedMemory::Lease lease(ex.zeroed);
  auto* state = static_cast<detail::RunState*>(lease.data());
  detail::order_short_runs(ex, keys, sorted, runs, state, order);
  detail::order_long_runs(ex, blocks, keys, sorted, runs, state, order);
  lease.leaves_zero();
}

inline u64 order_equal_fronts_scratch_bytes(const Executor& ex, u64 n) {
  return detail::run_list_scratch_bytes(n, detail::run_blocks(ex));
}

inline bool gains_by_boxes_ahead(const Executor&) {
  return true;
}

}  // namespace copse::cuda
