#pragma once

// One launch over tiles in a chain (look_back.cuh) of pairs of sum and start (segments.h). Starts are passed as
// bit masks, which leaves registers to the values. A tile in which a segment starts knows the prefix of the next
// tile without knowing its own. It publishes that prefix at once, and look-back ends there.

#include "primitives/cuda/scan.cuh"
#include "primitives/flags.h"
#include "primitives/scan/segments.h"

namespace copse::cuda {

namespace detail {

using copse::detail::SegmentOp;
using copse::detail::SegmentSum;

/// Packs per thread: as in the tiles of the scan, but a sum takes one more register.
template <class T>
inline constexpr u32 segment_rows = larger<u32>(1, (sizeof(T) <= 4 ? 64 : 32) / (pack_size<T> * sizeof(T)));
template <class T>
inline constexpr u64 segment_tile = u64{scan_threads} * u64{segment_rows<T>} * pack_size<T>;
template <class T>
inline constexpr u32 segment_blocks = sizeof(T) <= 8 ? 2 : 1;  // at once, per multiprocessor

template <class T, class Starts, class Input, class Op>
struct SegmentTask {
  u64 n;
  Starts starts;
  Input input;
  Op op;  // a SegmentOp
  T* out;
  bool input_in_words, output_in_words;
};

/// A pack, and the mask of its elements that start a segment.
template <class T>
struct MarkedPack {
  Pack<T> values;
  u32 starts;
};

template <class T, class Task>
__device__ MarkedPack<T> load_marked_pack(const Task& task, u64 i) {
  MarkedPack<T> pack{load_pack<T>(task.input, i, task.n, task.input_in_words), 0};
  if constexpr (AnswersInMasks<decltype(task.starts), pack_size<T>>) {
    if (i + pack_size<T> <= task.n) {
      pack.starts = mask_of<pack_size<T>>(task.starts, i) | (i == 0 ? 1 : 0);
      return pack;
    }
  }
#pragma unroll
  for (u32 k = 0; k < pack_size<T>; ++k) {
    if (i + k < task.n && (i + k == 0 || task.starts(i + k))) pack.starts |= 1u << k;
  }
  return pack;
}

template <class T, class Op>
__device__ SegmentSum<T> sum_of_pack(const MarkedPack<T>& pack, const Op& op) {
  SegmentSum<T> sum = op.single(pack.values[0], (pack.starts & 1) != 0);
#pragma unroll
  for (u32 k = 1; k < pack_size<T>; ++k) sum = op.append(sum, pack.values[k], (pack.starts >> k & 1) != 0);
  return sum;
}

/// Returns the running sums of the pack, continued from `sum`. If nothing precedes the pack, `sum` is ignored,
/// because the first element starts a segment.
template <bool inclusive, class T, class Op>
__device__ Pack<T> scan_pack(const MarkedPack<T>& pack, SegmentSum<T> sum, const Op& op) {
  Pack<T> sums;
#pragma unroll
  for (u32 k = 0; k < pack_size<T>; ++k) {
    const bool is_start = (pack.starts >> k & 1) != 0;
    const T before = is_start ? op.init : sum.value;
    sum = op.append(sum, pack.values[k], is_start);
    sums.set(k, inclusive ? sum.value : before);
  }
  return sums;
}

/// Sets left[r] to the sum of the packs of the warp before pack r of this lane, if there are any. Returns the sum
/// of all.
template <u32 rows, class T, class Op>
__device__ SegmentSum<T> scan_rows_of_warp(const MarkedPack<T> (&pack)[rows], SegmentSum<T> (&left)[rows],
                                           const Op& op) {
  SegmentSum<T> carry{};
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    const SegmentSum<T> through = warp_inclusive_scan(sum_of_pack(pack[r], op), op);
    const SegmentSum<T> below = shuffle_up(through, 1);
    const SegmentSum<T> of_row = shuffle_from(through, warp_size - 1);
    left[r] = r == 0 ? below : (lane_id() == 0 ? carry : op(carry, below));
    carry = r == 0 ? of_row : op(carry, of_row);
  }
  return carry;
}

/// Returns the prefix of a tile other than 0, and publishes the sum of the tile. Called by one whole warp.
template <class T, class Op>
__device__ SegmentSum<T> join_segment_chain(const TileChain<SegmentSum<T>>& chain, u32 tile,
                                            const SegmentSum<T>& sum, const Op& op) {
  const bool is_prefix = sum.starts != 0;
  if (lane_id() == 0) publish(chain, tile, is_prefix ? TileStatus::has_prefix : TileStatus::has_sum, sum);
  const SegmentSum<T> before = look_back(chain, tile, op);
  if (lane_id() == 0 && !is_prefix) publish(chain, tile, TileStatus::has_prefix, op(before, sum));
  return before;
}

template <bool inclusive, class T, class Starts, class Input, class Op>
__global__ void __launch_bounds__(scan_threads, segment_blocks<T>)
    segmented_scan_kernel(const SegmentTask<T, Starts, Input, Op> task, TileChain<SegmentSum<T>> chain,
                          bool all_blocks_resident) {
  constexpr u32 rows = segment_rows<T>;
  __shared__ BlockStorage<SegmentSum<T>, scan_threads> warp_sums;
  const u32 warp = threadIdx.x / warp_size;
  const u32 tile = take_tile(chain, all_blocks_resident);
  const u64 first = tile * segment_tile<T> + (warp * rows * warp_size + lane_id()) * pack_size<T>;

  MarkedPack<T> pack[rows];
#pragma unroll
  for (u32 r = 0; r < rows; ++r) pack[r] = load_marked_pack<T>(task, first + r * warp_size * pack_size<T>);
  SegmentSum<T> left[rows];
  const SegmentSum<T> warp_sum = scan_rows_of_warp(pack, left, task.op);
  if (lane_id() == 0) warp_sums[warp] = warp_sum;
  __syncthreads();

  // The first warp joins the tile to the chain, and gives each warp its prefix.
  if (warp == 0) {
    const SegmentSum<T> through = warp_inclusive_scan(warp_sums[smaller(lane_id(), scan_warps - 1)], task.op);
    const SegmentSum<T> tile_sum = shuffle_from(through, scan_warps - 1);
    SegmentSum<T> before_warp = shuffle_up(through, 1);
    if (tile > 0) {
      const SegmentSum<T> before = join_segment_chain(chain, tile, tile_sum, task.op);
      before_warp = lane_id() == 0 ? before : task.op(before, before_warp);
    } else {
      open_chain(chain, tile_sum);
    }
    __syncwarp();
    if (lane_id() < scan_warps) warp_sums[lane_id()] = before_warp;
  }
  __syncthreads();

  const bool has_before_warp = tile > 0 || warp > 0;
  const SegmentSum<T> before = warp_sums[warp];
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    const u64 i = first + r * warp_size * pack_size<T>;
    if (i >= task.n) break;
    const bool has_left = r > 0 || lane_id() > 0;
    const SegmentSum<T> sum = !has_before_warp ? left[r] : (has_left ? task.op(before, left[r]) : before);
    store_pack(scan_pack<inclusive>(pack[r], sum, task.op), task.out, i, task.n, task.output_in_words);
  }
  leave_chain(chain);
}

template <bool inclusive, class T, class Starts, class Input, class Op>
void segmented_scan(const Executor& ex, const char* label, SegmentTask<T, Starts, Input, Op> task) {
  static_assert(sizeof(T) <= 24);
  if (task.n == 0) return;
  task.output_in_words = is_aligned_to_words(task.out);
  if constexpr (std::is_same_v<Input, Elements<T>>) task.input_in_words = is_aligned_to_words(task.input.data);
  const u64 tile_count = divide_rounding_up(task.n, segment_tile<T>);
  const bool all_resident = tile_count <= u64{segment_blocks<T>} * ex.multiprocessor_count;
  with_tile_chain<SegmentSum<T>>(ex, label, tile_count, [&](const TileChain<SegmentSum<T>>& chain) {
    launch(ex, label, segmented_scan_kernel<inclusive, T, Starts, Input, Op>, {tile_count, scan_threads}, task,
           chain, all_resident);
  });
}

}  // namespace detail

template <class T>
u64 segmented_scan_scratch_bytes(const Executor&, u64 n) {
  using copse::detail::SegmentSum;
  return detail::tile_chain_scratch_bytes<SegmentSum<T>>(divide_rounding_up(n, detail::segment_tile<T>));
}

/// Contract: primitives/segmented_scan.h.
template <class T, class Starts, class Input, class Op>
void segmented_inclusive_scan(const Executor& ex, const char* label, u64 n, Starts starts, Input input, Op op,
                              T* out) {
  using Segments = detail::SegmentOp<false, T, Op>;
  detail::segmented_scan<true, T, Starts, Input, Segments>(ex, label,
                                                           {n, starts, input, {T{}, op}, out, false, false});
}

/// Contract: primitives/segmented_scan.h.
template <class T, class Starts, class Input, class Op>
void segmented_exclusive_scan(const Executor& ex, const char* label, u64 n, Starts starts, Input input, T init,
                              Op op, T* out) {
  using Segments = detail::SegmentOp<true, T, Op>;
  detail::segmented_scan<false, T, Starts, Input, Segments>(ex, label,
                                                            {n, starts, input, {init, op}, out, false, false});
}

/// Contract: primitives/segmented_scan.h.
template <class Offset>
void start_bits(const Executor& ex, const char* label, u64 n, const Offset* offsets, u64 segment_count,
                u32* words) {
  fill_bytes(ex, label, words, divide_rounding_up(n, 32), 0);
  for_each(ex, label, segment_count, copse::detail::SetStartBits<Offset>{offsets, n, words});
}

}  // namespace copse::cuda
