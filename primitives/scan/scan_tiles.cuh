#pragma once

// Scans any input function in one launch, with one tile per block. Decoupled look-back (look_back.cuh) chains the
// tiles.

#include "primitives/scan/look_back.cuh"
#include "primitives/select/pack.cuh"

namespace copse::cuda::detail {

inline constexpr u32 scan_threads = 512;
inline constexpr u32 scan_warps = scan_threads / warp_size;
inline constexpr u32 scan_blocks = 2;  // on a multiprocessor at once

/// Packs per thread, so that a thread holds about 64 bytes.
template <class T>
inline constexpr u32 scan_rows = larger<u32>(1, 64 / (pack_size<T> * sizeof(T)));

template <class T>
inline constexpr u64 scan_tile = u64{scan_threads} * u64{scan_rows<T>} * pack_size<T>;

/// The parameters of a scan.
template <class T, class Input, class Op>
struct ScanTask {
  u64 n;
  Input input;
  T init;
  Op op;
  T* out;
  T* total;  // may be null
  bool input_in_words = false, output_in_words = false;
};

/// Returns the running sums of a pack. If `has_before` is set, they continue from `before`.
template <bool inclusive, class T, class Op>
__device__ Pack<T> scan_pack(const Pack<T>& pack, bool has_before, T before, Op op) {
  Pack<T> sums;
#pragma unroll
  for (u32 k = 0; k < pack.size; ++k) {
    const T through = has_before || k > 0 ? op(before, pack[k]) : pack[k];
    sums.set(k, inclusive ? through : before);
    before = through;
  }
  return sums;
}

template <class T, class Op>
__device__ T sum_of_pack(const Pack<T>& pack, Op op) {
  T sum = pack[0];
#pragma unroll
  for (u32 k = 1; k < pack.size; ++k) sum = op(sum, pack[k]);
  return sum;
}

/// Scans the rows of packs of a warp, and returns the sum of all. Sets left[k] to the sum of the packs of the warp
/// before pack k of this lane, if there are any (k > 0 or lane > 0).
template <u32 rows, class T, class Op>
__device__ T scan_rows_of_warp(const Pack<T> (&pack)[rows], T (&left)[rows], Op op) {
  T carry{};
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const T sum = warp_inclusive_scan(sum_of_pack(pack[k], op), op);
    const T below = shuffle_up(sum, 1);
    const T row_sum = shuffle_from(sum, warp_size - 1);
    left[k] = k == 0 ? below : (lane_id() == 0 ? carry : op(carry, below));
    carry = k == 0 ? row_sum : op(carry, row_sum);
  }
  return carry;
}

/// Stores the rows of a warp. If `has_before` is set, the sums continue from `before`.
template <bool inclusive, u32 rows, class T, class Input, class Op>
__device__ void store_rows_of_warp(const ScanTask<T, Input, Op>& task, u64 first, const Pack<T> (&pack)[rows],
                                   const T (&left)[rows], bool has_before, const T& before) {
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u64 i = first + k * warp_size * pack_size<T>;
    if (i >= task.n) return;
    const bool has_left = k > 0 || lane_id() > 0;
    const T prefix = !has_before ? left[k] : (has_left ? task.op(before, left[k]) : before);
    const Pack<T> sums = scan_pack<inclusive>(pack[k], has_before || has_left, prefix, task.op);
    store_pack(sums, task.out, i, task.n, task.output_in_words);
    if (task.total == nullptr || i + pack_size<T> < task.n) continue;
#pragma unroll
    for (u32 j = 0; j < pack_size<T>; ++j) {
      if (i + j == task.n - 1) *task.total = inclusive ? sums[j] : task.op(sums[j], pack[k][j]);
    }
  }
}

template <bool inclusive, bool has_init, class T, class Input, class Op>
__global__ void __launch_bounds__(scan_threads, scan_blocks)
    scan_tiles_kernel(const ScanTask<T, Input, Op> task, TileChain<T> chain, bool all_blocks_resident) {
  constexpr u32 rows = scan_rows<T>;
  __shared__ BlockStorage<T, scan_threads> warp_sums;
  const u32 warp = threadIdx.x / warp_size;
  overlap_launches();
  const u32 tile = take_tile(chain, all_blocks_resident);
  const u64 first = tile * scan_tile<T> + (warp * rows * warp_size + lane_id()) * pack_size<T>;

  Pack<T> pack[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    pack[k] = load_pack<T>(task.input, first + k * warp_size * pack_size<T>, task.n, task.input_in_words);
  }
  T left[rows];
  const T warp_sum = scan_rows_of_warp(pack, left, task.op);
  if (lane_id() == 0) warp_sums[warp] = warp_sum;
  __syncthreads();

  // The first warp joins the tile to the chain, and gives each warp its prefix.
  const bool has_before_tile = has_init || tile > 0;
  if (warp == 0) {
    const T sum = warp_inclusive_scan(warp_sums[smaller(lane_id(), scan_warps - 1)], task.op);
    const T tile_sum = shuffle_from(sum, scan_warps - 1);
    const T below = shuffle_up(sum, 1);
    T before = task.init;
    if (tile > 0) {
      before = join_chain(chain, tile, tile_sum, task.op);
    } else {
      open_chain(chain, has_init ? task.op(before, tile_sum) : tile_sum);
    }
    const T before_warp = !has_before_tile ? below : (lane_id() == 0 ? before : task.op(before, below));
    __syncwarp();
    if (lane_id() < scan_warps) warp_sums[lane_id()] = before_warp;
  }
  __syncthreads();

  const u32 earlier = warp == 0 ? sign_off(chain) : 0;
  store_rows_of_warp<inclusive>(task, first, pack, left, has_before_tile || warp > 0, warp_sums[warp]);
  if (warp == 0) clear_chain(chain, earlier);
}

}  // namespace copse::cuda::detail
