#pragma once

// Sorting along the curve by keys of 63 bits, on CUDA. Contract: builders/bvh/cpu/curve_sort.h.
//
// The front of a key and the primitive's number share a word of 64 bits, and a radix sort by the front, in half
// the passes and two thirds of the bytes of one by whole keys, leaves most primitives where they belong: those
// with equal fronts stand side by side. They are put in order by their low words after:
//
//   runs of at most 32   by counting, a thread a primitive (curve_ties.cuh)
//   of at most 4096      by a block (curve_runs.cuh)
//   longer               by a radix sort over all, in the same launch (curve_resort.cuh); such keys come from
//                        scenes with most primitives in a thousandth of their extent

#include "builders/bvh/cuda/curve_runs.cuh"
#include "builders/bvh/cuda/curve_ties.cuh"
#include "primitives/cuda/primitives.cuh"

namespace copse::cuda {

template <class KeyOf>
void sort_long_keys(const Executor& ex, u64 n, const KeyOf& key_of, const copse::detail::CurveOrder& order) {
  if (n == 0) return fill_bytes(ex, "Morton order: count", order.valid_count, 1, 0);
  ScratchArena::Frame frame(ex.scratch);
  const u64 blocks = detail::run_blocks(ex);
  const detail::RunList runs = detail::allocate_run_list(frame, n, blocks);
  const detail::KeyWords keys{n, frame.allocate<u64>(n), frame.allocate<u32>(n)};
  u64* const sorted = frame.allocate<u64>(n);
  for_each(ex, "Morton order: keys", n, detail::StoreKeyWords<KeyOf>{key_of, keys});
  radix_sort_keys(ex, "Morton order: sort", n, Elements<u64>{keys.front}, sorted, keys.front_range());

  ZeroedMemory::Lease lease(ex.zeroed);
  auto* state = static_cast<detail::RunState*>(lease.data());
  order_short_runs(ex, keys, sorted, runs, state, order);
  order_long_runs(ex, blocks, keys, sorted, runs, state, order);
  lease.leaves_zero();
}

inline u64 sort_long_keys_scratch_bytes(const Executor& ex, u64 n) {
  return detail::run_list_scratch_bytes(n, detail::run_blocks(ex)) + 2 * ScratchArena::bytes_for<u64>(n) +
         ScratchArena::bytes_for<u32>(n) + radix_sort_keys_scratch_bytes<u64>(ex, n, detail::front_range(n));
}

}  // namespace copse::cuda
