#pragma once

// Count, scan, emit (Harris, "Data-Parallel Primitives", GTC 2010). Load-balancing search (Baxter, moderngpu,
// 2013) distributes the slots: it merges elements and slots by place, each element before its slots. Every tile of
// the merged order is the same amount of work, whether it holds a part of a million elements without slots or a
// part of the million slots of one element.

#include "primitives/cuda/block.cuh"
#include "primitives/cuda/scan.cuh"
#include "primitives/select/slots.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 emit_threads = 256;
inline constexpr u32 emit_rows = 8;  // elements and slots together, per thread
inline constexpr u32 emit_tile = emit_threads * emit_rows;
inline constexpr u64 emit_blocks = 8;  // at once, per multiprocessor

struct SlotPlaces {
  const u64* offsets;
  u64 n;
  u64 slot_count;

  /// Returns the first slot of an element, or slot_count if there is no room for that slot.
  __device__ u64 first_slot(u64 i) const { return smaller(offsets[i], slot_count); }

  /// Returns the number of elements among the first `place` places of the merged order. In that order, element i
  /// stands at i + first_slot(i). A whole warp searches, in 32 parts.
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

struct EmitShared {
  u64 marks[emit_threads];     // one byte per place of the tile's merged order, 1 if an element stands there
  u16 first_slots[emit_tile];  // of the tile's elements, relative to the tile's first slot
  u16 owners[emit_tile];       // of the tile's slots: the number of the tile's elements before each slot
  bool has_more;
  BlockStorage<u32, emit_threads> sums;
};

/// A part of the merged order, of `size` places. `first_element` is the first element in the part or after it, and
/// `first_slot` is the first such slot.
struct EmitTile {
  u64 first_element, first_slot;
  u32 size;
};

/// Marks the places of the tile's elements, from row `first_row` on, for half of the elements that a tile can
/// have. Returns whether the thread's last element is in the tile. If the last thread returns true, all of them
/// are.
__device__ inline bool mark_elements(const SlotPlaces& places, const EmitTile& tile, u32 first_row,
                                     EmitShared& shared) {
  constexpr u32 half = emit_rows / 2;
  const u32 first = threadIdx.x + first_row * emit_threads;
  u64 starts[half];
  bool is_in_tile = false;
#pragma unroll
  for (u32 r = 0; r < half; ++r) {
    const u64 i = tile.first_element + first + r * emit_threads;
    starts[r] = i < places.n ? places.first_slot(i) - tile.first_slot : tile.size;
  }
#pragma unroll
  for (u32 r = 0; r < half; ++r) {
    const u32 k = first + r * emit_threads;
    is_in_tile = k + starts[r] < tile.size;
    if (is_in_tile) {
      reinterpret_cast<u8*>(shared.marks)[k + u32(starts[r])] = 1;
      shared.first_slots[k] = u16(starts[r]);
    }
  }
  return is_in_tile;
}

/// Stores the owners of the slots of the tile, and clears the marks. Returns the number of elements of the tile.
/// Ends with a barrier.
__device__ inline u32 find_owners(EmitShared& shared) {
  static_assert(emit_rows == sizeof(u64));
  const u64 marks = shared.marks[threadIdx.x];
  shared.marks[threadIdx.x] = 0;
  const BlockSum elements = block_exclusive_sum<emit_threads>(u32(__popcll(marks)), shared.sums);
  u32 before = elements.before, slot = threadIdx.x * emit_rows - before;
#pragma unroll
  for (u32 place = 0; place < emit_rows; ++place) {
    const bool is_element = (marks >> (8 * place) & 1) != 0;
    if (!is_element) shared.owners[slot] = u16(before);
    before += is_element ? 1 : 0;
    slot += is_element ? 0 : 1;
  }
  __syncthreads();
  return elements.total;
}

/// Emits all slots. Each block takes a run of tiles, so that each tile begins where the previous one ended.
template <class Emit>
__global__ void __launch_bounds__(emit_threads)
    emit_kernel(u64 n, const u64* offsets, const u64* total, u64 capacity, const Emit emit) {
  __shared__ EmitShared shared;
  const SlotPlaces places{offsets, n, smaller(*total, capacity)};
  const u64 work = n + places.slot_count;
  const u64 run = divide_rounding_up(divide_rounding_up(work, emit_tile), gridDim.x) * emit_tile;
  const u64 run_begin = smaller(blockIdx.x * run, work), run_end = smaller(run_begin + run, work);
  if (run_begin == run_end) return;
  shared.marks[threadIdx.x] = 0;
  u64 first_element = places.elements_before(run_begin);
  for (u64 begin = run_begin; begin < run_end; begin += emit_tile) {
    __syncthreads();
    const EmitTile tile{first_element, begin - first_element, u32(smaller(run_end - begin, u64{emit_tile}))};
    const bool all_in_tile = mark_elements(places, tile, 0, shared);
    if (threadIdx.x == emit_threads - 1) shared.has_more = all_in_tile;
    __syncthreads();
    if (shared.has_more) {
      mark_elements(places, tile, emit_rows / 2, shared);
      __syncthreads();
    }
    const u32 element_count = find_owners(shared);
    // Slots before the first element of the tile belong to the element before it.
    for (u32 j = threadIdx.x; j < tile.size - element_count; j += emit_threads) {
      const u32 before = shared.owners[j];
      const u64 i = first_element + before - 1, slot = tile.first_slot + j;
      const u64 first = before > 0 ? tile.first_slot + shared.first_slots[before - 1] : offsets[i];
      emit(i, slot - first, slot);
    }
    first_element += element_count;
  }
}

}  // namespace detail

inline u64 expand_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n) + scan_scratch_bytes<u64>(ex, n);
}

/// Contract: primitives/expand.h.
template <class Counts, class Emit>
void expand(const Executor& ex, const char* label, u64 n, Counts counts, Emit emit, u64 capacity, u64* offsets,
            u64* total) {
  ScratchArena::Frame frame(ex.scratch);
  if (offsets == nullptr) offsets = frame.allocate<u64>(n);
  exclusive_scan(ex, label, n, copse::detail::SlotCounts<Counts>{counts}, u64{0}, Plus{}, offsets, total);
  if (n == 0 || capacity == 0) return;
  const u64 max_blocks = detail::emit_blocks * ex.multiprocessor_count;
  const u64 max_tiles = divide_rounding_up(n, detail::emit_tile) + divide_rounding_up(capacity, detail::emit_tile);
  launch(ex, label, detail::emit_kernel<Emit>, {smaller(max_tiles, max_blocks), detail::emit_threads}, n, offsets,
         total, capacity, emit);
}

// Deprecated names, until 0.2.
template <class... Arguments>
[[deprecated("use expand")]] void allocate(const Executor& ex, const Arguments&... arguments) {
  expand(ex, arguments...);
}
[[deprecated("use expand_scratch_bytes")]] inline u64 allocate_scratch_bytes(const Executor& ex, u64 n) {
  return expand_scratch_bytes(ex, n);
}

}  // namespace copse::cuda
