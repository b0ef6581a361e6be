#pragma once

// One launch: each block stores a partial result, and the block that ends last combines them. The size of the grid
// depends only on n. Arrays are read in loads of 16 bytes, with 64 bytes per thread in flight.

#include "primitives/core/atomic.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/select/pack.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 reduce_threads = 256;

/// Two rounds of eight blocks on 132 multiprocessors. Larger inputs have more elements per block. The number is
/// the same on every GPU, so that the operator is applied in the same order.
inline constexpr u64 reduce_max_blocks = 2112;

/// Elements that a thread takes at once: packs of an array, or single values of another input function.
template <class T, class Input>
struct ReduceShape {
  static constexpr bool reads_packs = std::is_same_v<Input, Elements<T>>;
  static constexpr u32 pack = reads_packs ? pack_size<T> : 1;
  static constexpr u32 rows = reads_packs ? larger<u32>(1, 64 / (pack * sizeof(T))) : (sizeof(T) <= 32 ? 4 : 1);
  static constexpr u64 tile = u64{reduce_threads} * rows * pack;
};

template <class T, class Input, class Op>
struct ReduceTask {
  u64 n;
  Input input;
  T identity;
  Op op;
  T* out;
  T* partial;     // [block]
  u32* finished;  // blocks that have ended; zero before and after the launch
  bool input_in_words;
};

/// Applies the operator to this thread's part of a whole tile. All loads are issued before the first use.
template <class T, class Input, class Op>
__device__ T add_whole_tile(const ReduceTask<T, Input, Op>& task, u64 first, T sum) {
  using Shape = ReduceShape<T, Input>;
  if constexpr (Shape::reads_packs) {
    Pack<T> packs[Shape::rows];
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) {
      const u64 i = first + (r * reduce_threads + threadIdx.x) * Shape::pack;
      packs[r] = load_pack<T>(task.input, i, task.n, task.input_in_words);
    }
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (u32 k = 0; k < Shape::pack; ++k) sum = task.op(sum, packs[r][k]);
    }
  } else {
    T values[Shape::rows];
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) values[r] = task.input(first + r * reduce_threads + threadIdx.x);
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) sum = task.op(sum, values[r]);
  }
  return sum;
}

/// Does the same for the last tile, which may not be full.
template <class T, class Input, class Op>
__device__ T add_partial_tile(const ReduceTask<T, Input, Op>& task, u64 first, T sum) {
  using Shape = ReduceShape<T, Input>;
  for (u32 r = 0; r < Shape::rows; ++r) {
    const u64 i = first + (r * reduce_threads + threadIdx.x) * Shape::pack;
    for (u32 k = 0; k < Shape::pack; ++k) {
      if (i + k < task.n) sum = task.op(sum, task.input(i + k));
    }
  }
  return sum;
}

/// Combines one value per thread over the block. Returns the result to the threads of the first warp.
template <class T, class Op>
__device__ T reduce_over_block(const T& value, Op op, BlockStorage<T, reduce_threads>& storage) {
  const T of_warp = warp_reduce(value, op);
  if (lane_id() == 0) storage[threadIdx.x / warp_size] = of_warp;
  __syncthreads();
  T sum = storage[0];
#pragma unroll
  for (u32 w = 1; w < reduce_threads / warp_size; ++w) sum = op(sum, storage[w]);
  return sum;
}

template <class T, class Input, class Op>
__global__ void __launch_bounds__(reduce_threads) reduce_kernel(const ReduceTask<T, Input, Op> task) {
  constexpr u64 tile = ReduceShape<T, Input>::tile;
  __shared__ BlockStorage<T, reduce_threads> storage;
  __shared__ bool is_last;
  overlap_launches();

  T sum = task.identity;
  u64 first = blockIdx.x * tile;
  for (; first + tile <= task.n; first += gridDim.x * tile) sum = add_whole_tile(task, first, sum);
  if (first < task.n) sum = add_partial_tile(task, first, sum);
  sum = reduce_over_block(sum, task.op, storage);

  if (gridDim.x == 1) {
    if (threadIdx.x == 0) *task.out = sum;
    return;
  }
  if (threadIdx.x == 0) {
    task.partial[blockIdx.x] = sum;
    is_last = fetch_add_acq_rel(task.finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  sum = task.identity;
  for (u32 block = threadIdx.x; block < gridDim.x; block += reduce_threads) {
    sum = task.op(sum, task.partial[block]);
  }
  sum = reduce_over_block(sum, task.op, storage);
  if (threadIdx.x == 0) {
    *task.out = sum;
    *task.finished = 0;
  }
}

/// Returns the number of partial results for which to make room, for any input function.
inline u64 reduce_partial_count(u64 n) {
  return smaller(divide_rounding_up(n, reduce_threads), reduce_max_blocks);
}

}  // namespace detail

template <class T>
u64 reduce_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<T>(detail::reduce_partial_count(n));
}

/// Contract: primitives/reduce.h.
template <class T, class Input, class Op>
void reduce(const Executor& ex, const char* label, u64 n, Input input, T identity, Op op, T* out) {
  ScratchArena::Frame frame(ex.scratch);
  ZeroedMemory::Scope zeroed(ex.zeroed);
  detail::ReduceTask<T, Input, Op> task{n, input, identity, op, out, nullptr, nullptr, false};
  task.partial = frame.allocate<T>(detail::reduce_partial_count(n));
  task.finished = static_cast<u32*>(zeroed.data());
  if constexpr (std::is_same_v<Input, Elements<T>>) task.input_in_words = is_aligned_to_words(input.data);
  const u64 tile_count = divide_rounding_up(n, detail::ReduceShape<T, Input>::tile);
  const u64 block_count = smaller(larger(tile_count, u64{1}), detail::reduce_max_blocks);
  launch(ex, label, detail::reduce_kernel<T, Input, Op>,
         {.blocks = block_count, .threads = detail::reduce_threads, .overlaps_earlier_launch = true}, task);
  zeroed.leaves_zero();
}

}  // namespace copse::cuda
