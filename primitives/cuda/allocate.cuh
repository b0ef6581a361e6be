#pragma once

// Count, scan, emit (Harris, "Data-Parallel Primitives", GTC 2010). The slots are shared out by load-balancing
// search (Baxter, moderngpu, 2013): elements and slots are merged by place, each element before its slots, and
// every tile of the merged order is the same work, whether it holds a million elements without slots or a part
// of the million slots of one.

#include "primitives/cuda/scan.cuh"
#include "primitives/slots.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 emit_threads = 256;
inline constexpr u32 emit_tile = 2048;  // elements and slots together
inline constexpr u64 emit_blocks = 8;   // on a multiprocessor at once

struct SlotPlaces {
  const u64* offsets;
  u64 n;
  u64 slot_count;

  /// The first slot of an element, or the end of the slots that there is room for.
  __device__ u64 first_slot(u64 i) const { return smaller(offsets[i], slot_count); }

  /// The elements among the first `place` of the merged order, in which element i stands at i + first_slot(i).
  /// A search by a whole warp, in 32 parts.
  __device__ u64 elements_before(u64 place) const {
    u64 lo = 0, hi = smaller(n, place);
    while (lo < hi) {
      const u64 part = (hi - lo + warp_size - 1) / warp_size;
      const u64 i = lo + (lane_id() + 1) * part - 1;
      const u32 yes = u32(__popc(__ballot_sync(all_lanes, i < hi && i + first_slot(i) < place)));
      lo += yes * part;
      hi = smaller(hi, lo + part - 1);
    }
    return lo;
  }
};

/// How many of `count` ascending numbers are at most `value`.
__device__ inline u32 count_up_to(const u32* numbers, u32 count, u32 value) {
  u32 lo = 0, hi = count;
  while (lo < hi) {
    const u32 middle = (lo + hi) / 2;
    if (numbers[middle] <= value) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo;
}

template <class Emit>
__global__ void __launch_bounds__(emit_threads)
    emit_kernel(u64 n, const u64* offsets, const u64* total, u64 capacity, const Emit emit) {
  __shared__ u32 first_slots[emit_tile];  // of the tile's elements, from its first slot on
  __shared__ u64 cuts[2];
  const SlotPlaces places{offsets, n, smaller(*total, capacity)};
  const u64 work = n + places.slot_count;
  for (u64 begin = u64(blockIdx.x) * emit_tile; begin < work; begin += u64(gridDim.x) * emit_tile) {
    // Find the tile's elements and slots.
    const u64 end = smaller(begin + emit_tile, work);
    const u32 warp = threadIdx.x / warp_size;
    if (warp < 2) {
      const u64 cut = places.elements_before(warp == 0 ? begin : end);
      if (lane_id() == 0) cuts[warp] = cut;
    }
    __syncthreads();
    const u64 first_element = cuts[0], first_slot = begin - first_element;
    const u32 element_count = u32(cuts[1] - first_element);
    const u32 slot_count = u32(end - begin) - element_count;
    for (u32 k = threadIdx.x; k < element_count; k += emit_threads) {
      first_slots[k] = u32(places.first_slot(first_element + k) - first_slot);
    }
    __syncthreads();

    // Slots before the first of the tile's elements belong to the element before those.
    for (u32 j = threadIdx.x; j < slot_count; j += emit_threads) {
      const u32 started = count_up_to(first_slots, element_count, j);
      const u64 i = first_element + started - 1;
      const u64 first = started > 0 ? first_slot + first_slots[started - 1] : offsets[i];
      emit(i, first_slot + j - first, first_slot + j);
    }
    __syncthreads();
  }
}

}  // namespace detail

inline u64 allocate_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n) + scan_scratch_bytes<u64>(ex, n);
}

/// Contract: primitives/allocate.h.
template <class Counts, class Emit>
void allocate(const Executor& ex, const char* label, u64 n, Counts counts, Emit emit, u64 capacity, u64* offsets,
              u64* total) {
  ScratchArena::Frame frame(ex.scratch);
  if (offsets == nullptr) offsets = frame.allocate<u64>(n);
  exclusive_scan(ex, label, n, copse::detail::SlotCounts<Counts>{counts}, u64{0}, Plus{}, offsets, total);
  if (n == 0 || capacity == 0) return;
  const u64 most_blocks = detail::emit_blocks * ex.multiprocessor_count;
  const u64 most_tiles =
      divide_rounding_up(n, detail::emit_tile) + divide_rounding_up(capacity, detail::emit_tile);
  launch(ex, label, detail::emit_kernel<Emit>, {smaller(most_tiles, most_blocks), detail::emit_threads}, n,
         offsets, total, capacity, emit);
}

}  // namespace copse::cuda
