#pragma once

// The scans of u32 sums that courses teach, to be measured beside ours. They are plain on purpose, with no vector
// loads and a few elements per thread, as in
//   Hillis, Steele, "Data Parallel Algorithms", Communications of the ACM, 1986;
//   Blelloch, "Prefix Sums and Their Applications", 1990; padded against bank conflicts as in
//   Harris, Sengupta, Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007;
//   Harris, "Data-Parallel Primitives", GTC 2010: scan-scan-add, and reduce-then-scan (Dotsenko et al., ICS 2008);
//   Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023: the
//   hierarchical scan, and the sequential one in a single launch, by the waterfall scheme.

#include "primitives/core/atomic.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

inline constexpr u32 course_tile = 1024;

// Scans inside a block. Each turns `values` of a tile in shared memory into inclusive sums, and ends with a
// barrier. at(i) is the place of element i.

/// Takes log2(n) steps of n additions each.
struct HillisSteele {
  static constexpr u32 threads = course_tile, words = course_tile;
  static __device__ u32 at(u32 i) { return i; }

  static __device__ void scan(u32* values) {
    const u32 i = threadIdx.x;
    u32 value = values[i];
    for (u32 offset = 1; offset < course_tile; offset *= 2) {
      if (i >= offset) value += values[i - offset];
      __syncthreads();
      values[i] = value;
      __syncthreads();
    }
  }
};

/// Builds a tree of sums upwards, then hands down the sum before each part: 2 n additions in all. Strides of
/// powers of two use the same bank of shared memory again and again. A free word after each 32 words spreads them.
template <bool padded>
struct Blelloch {
  static constexpr u32 threads = course_tile / 2;
  static constexpr u32 words = course_tile + (padded ? course_tile / 32 : 0);
  static __device__ u32 at(u32 i) { return padded ? i + i / 32 : i; }

  static __device__ void scan(u32* values) {
    const u32 t = threadIdx.x;
    const u32 own_left = values[at(t)], own_right = values[at(t + threads)];
    u32 distance = 1;
    for (u32 count = threads; count > 0; count /= 2, distance *= 2) {
      __syncthreads();
      if (t < count) {
        const u32 left = at(distance * (2 * t + 1) - 1), right = at(distance * (2 * t + 2) - 1);
        values[right] += values[left];
      }
    }
    __syncthreads();
    if (t == 0) values[at(course_tile - 1)] = 0;
    for (u32 count = 1; count <= threads; count *= 2) {
      distance /= 2;
      __syncthreads();
      if (t < count) {
        const u32 left = at(distance * (2 * t + 1) - 1), right = at(distance * (2 * t + 2) - 1);
        const u32 before = values[right];
        values[right] = before + values[left];
        values[left] = before;
      }
    }
    __syncthreads();
    values[at(t)] += own_left;
    values[at(t + threads)] += own_right;
    __syncthreads();
  }
};

/// Scans each warp by shuffle, then the sums of the warps.
struct ShuffleScan {
  static constexpr u32 threads = course_tile, words = course_tile;
  static __device__ u32 at(u32 i) { return i; }

  static __device__ void scan(u32* values) {
    __shared__ cuda::BlockStorage<u32, threads> storage;
    const u32 own = values[threadIdx.x];
    values[threadIdx.x] = cuda::block_inclusive_scan<threads>(own, Plus{}, storage).inclusive;
    __syncthreads();
  }
};

template <class BlockScan>
__device__ void load_tile(u64 first, u64 n, const u32* in, u32* values) {
  for (u32 k = threadIdx.x; k < course_tile; k += BlockScan::threads) {
    values[BlockScan::at(k)] = first + k < n ? in[first + k] : 0;
  }
  __syncthreads();
}

template <class BlockScan>
__device__ void store_tile(u64 first, u64 n, const u32* values, u32 before, u32* out) {
  for (u32 k = threadIdx.x; k < course_tile; k += BlockScan::threads) {
    if (first + k < n) out[first + k] = before + values[BlockScan::at(k)];
  }
}

// Scan-scan-add: this scans tiles, scans their sums, and adds them.

template <class BlockScan>
__global__ void __launch_bounds__(BlockScan::threads)
    scan_tiles_kernel(u64 n, const u32* in, u32* out, u32* sums) {
  __shared__ u32 values[BlockScan::words];
  const u64 first = u64{blockIdx.x} * course_tile;
  load_tile<BlockScan>(first, n, in, values);
  BlockScan::scan(values);
  store_tile<BlockScan>(first, n, values, 0, out);
  if (threadIdx.x == 0) sums[blockIdx.x] = values[BlockScan::at(course_tile - 1)];
}

static __global__ void __launch_bounds__(course_tile) add_sums_kernel(u64 n, const u32* sums, u32* out) {
  const u64 i = u64{blockIdx.x} * course_tile + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

/// Returns the words of `sums` that hierarchical_scan needs: one sum for each tile of each level.
inline u64 hierarchical_scan_words(u64 n) {
  u64 words = 0;
  do {
    n = divide_rounding_up(n, u64{course_tile});
    words += n;
  } while (n > 1);
  return words;
}

template <class BlockScan>
void hierarchical_scan(const cuda::Executor& ex, u64 n, const u32* in, u32* out, u32* sums) {
  const u64 tile_count = divide_rounding_up(n, u64{course_tile});
  cuda::launch(ex, "scan tiles", scan_tiles_kernel<BlockScan>, {tile_count, BlockScan::threads}, n, in, out, sums);
  if (tile_count == 1) return;
  hierarchical_scan<BlockScan>(ex, tile_count, sums, sums, sums + tile_count);
  cuda::launch(ex, "add sums", add_sums_kernel, {tile_count, course_tile}, n, sums, out);
}

// Reduce-then-scan: each block adds up its chunk, one block scans the sums, and each block scans its chunk.

/// Returns the tiles per block. A grid has at most course_tile blocks.
struct Chunks {
  u64 n, tiles_per_block;
  u32 block_count;

  COPSE_HD u64 begin(u32 block) const { return smaller(block * tiles_per_block * course_tile, n); }
  COPSE_HD u64 end(u32 block) const { return begin(block + 1); }
};

inline Chunks chunks_of(u64 n, u32 max_blocks) {
  const u64 tile_count = divide_rounding_up(n, u64{course_tile});
  const u64 tiles_per_block = divide_rounding_up(tile_count, u64{smaller(max_blocks, course_tile)});
  return {n, tiles_per_block, u32(divide_rounding_up(tile_count, tiles_per_block))};
}

static __global__ void __launch_bounds__(course_tile) sum_chunks_kernel(Chunks chunks, const u32* in, u32* sums) {
  __shared__ cuda::BlockStorage<u32, course_tile> storage;
  u32 sum = 0;
  for (u64 i = chunks.begin(blockIdx.x) + threadIdx.x; i < chunks.end(blockIdx.x); i += course_tile) sum += in[i];
  const u32 total = cuda::block_inclusive_scan<course_tile>(sum, Plus{}, storage).total;
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

static __global__ void __launch_bounds__(course_tile)
    scan_chunks_kernel(Chunks chunks, const u32* in, const u32* sums, u32* out) {
  __shared__ u32 values[course_tile];
  u32 before = blockIdx.x == 0 ? 0 : sums[blockIdx.x - 1];
  const u64 end = chunks.end(blockIdx.x);
  for (u64 first = chunks.begin(blockIdx.x); first < end; first += course_tile) {
    load_tile<ShuffleScan>(first, end, in, values);
    ShuffleScan::scan(values);
    store_tile<ShuffleScan>(first, end, values, before, out);
    before += values[course_tile - 1];
    __syncthreads();
  }
}

/// `sums` has course_tile + 1 words.
inline void reduce_then_scan(const cuda::Executor& ex, u64 n, const u32* in, u32* out, u32* sums) {
  const Chunks chunks = chunks_of(n, 2 * ex.multiprocessor_count);
  cuda::launch(ex, "sum chunks", sum_chunks_kernel, {chunks.block_count, course_tile}, chunks, in, sums);
  cuda::launch(ex, "scan sums", scan_tiles_kernel<ShuffleScan>, {1, course_tile}, u64{chunks.block_count},
               static_cast<const u32*>(sums), sums, sums + course_tile);
  cuda::launch(ex, "scan chunks", scan_chunks_kernel, {chunks.block_count, course_tile}, chunks, in,
               static_cast<const u32*>(sums), out);
}

// The waterfall is one launch. Its blocks add their sums to one global sum in turn.

/// The counters must be zero before the launch.
struct Waterfall {
  u32 ticket, next_tile, sum;
};

/// The course lets blocks wait in the order of their index. That hangs if the hardware starts them in another
/// order. A ticket gives the order in which they do start.
static __global__ void __launch_bounds__(course_tile)
    waterfall_scan_kernel(u64 n, const u32* in, u32* out, Waterfall* waterfall) {
  __shared__ u32 values[course_tile];
  __shared__ u32 tile, before;
  if (threadIdx.x == 0) tile = fetch_add_relaxed(&waterfall->ticket, 1u);
  __syncthreads();
  const u64 first = u64{tile} * course_tile;
  load_tile<ShuffleScan>(first, n, in, values);
  ShuffleScan::scan(values);
  if (threadIdx.x == 0) {
    while (load_acquire(&waterfall->next_tile) != tile) {
    }
    before = waterfall->sum;
    waterfall->sum = before + values[course_tile - 1];
    store_release(&waterfall->next_tile, tile + 1);
  }
  __syncthreads();
  store_tile<ShuffleScan>(first, n, values, before, out);
}

inline void waterfall_scan(const cuda::Executor& ex, u64 n, const u32* in, u32* out, Waterfall* waterfall) {
  cuda::fill_bytes(ex, "clear the waterfall", waterfall, 1, 0);
  cuda::launch(ex, "waterfall scan", waterfall_scan_kernel, {divide_rounding_up(n, u64{course_tile}), course_tile},
               n, in, out, waterfall);
}

}  // namespace copse::bench
