#pragma once

// Distributes items into buckets, in no order within a bucket (split8ns of Patidar, Narayanan 2009). Threads take
// their ranks by an atomic operation in shared memory, and a tile takes places for a bucket by one in device
// memory. So it needs no votes, and no thread waits.

#include "primitives/cuda/for_each.cuh"
#include "primitives/sort/distribute.cuh"

namespace copse::cuda::detail {

/// Turns the totals of the buckets into their first places, and stores these for the caller.
static __global__ void bucket_cursor_kernel(u64* totals, u64* offsets, u32 offset_count) {
  __shared__ BlockStorage<u64, bucket_limit> storage;
  const u64 total = totals[threadIdx.x];
  const u64 first = block_inclusive_scan<bucket_limit>(total, Plus{}, storage).inclusive - total;
  totals[threadIdx.x] = first;
  if (threadIdx.x < offset_count) offsets[threadIdx.x] = first;
}

template <class Item>
struct UnorderedShared {
  u64 offsets[bucket_limit];  // place in the output minus place in the tile
  u32 counts[bucket_limit], begins[bucket_limit];
  BlockStorage<u32, distribute_threads<Item, TileSize::large>> storage;
  alignas(16) Item items[staged_items<Item, TileSize::large>];
};

template <class Item, class Source, class BucketOf, class Sink>
__global__ void __launch_bounds__(distribute_threads<Item, TileSize::large>, distribute_blocks<TileSize::large>)
    distribute_unordered_kernel(u64 n, Source source, BucketOf bucket_of, Sink sink, u64* cursors) {
  constexpr u32 rows = distribute_rows<Item, TileSize::large>;
  static_assert(sizeof(UnorderedShared<Item>) <= shared_bytes_everywhere);
  extern __shared__ uint4 unordered_memory[];
  auto& shared = *reinterpret_cast<UnorderedShared<Item>*>(unordered_memory);
  const u32 thread = threadIdx.x;
  const u64 tile_begin = u64(blockIdx.x) * distribute_tile<Item, TileSize::large>;
  const u32 tile_size = u32(smaller(n - tile_begin, u64{distribute_tile<Item, TileSize::large>}));
  if (thread < bucket_limit) shared.counts[thread] = 0;
  __syncthreads();

  Item items[rows];
  u32 ranks[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 i = thread + k * distribute_threads<Item, TileSize::large>;
    if (i < tile_size) items[k] = source(tile_begin + i);
  }
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 i = thread + k * distribute_threads<Item, TileSize::large>;
    if (i < tile_size) ranks[k] = atomicAdd(&shared.counts[bucket_of(items[k])], 1u);
  }
  __syncthreads();

  const u32 count = thread < bucket_limit ? shared.counts[thread] : 0;
  const u32 begin = block_exclusive_sum<distribute_threads<Item, TileSize::large>>(count, shared.storage).before;
  if (thread < bucket_limit) {
    shared.begins[thread] = begin;
    shared.offsets[thread] = (count > 0 ? fetch_add_relaxed(cursors + thread, u64{count}) : 0) - begin;
  }
  __syncthreads();
  if constexpr (moves_in_rounds<Item, TileSize::large>) {
    const auto place_of = [&](u32 k) {
      const bool is_item = thread + k * distribute_threads<Item, TileSize::large> < tile_size;
      return is_item ? shared.begins[bucket_of(items[k])] + ranks[k] : ~0u;
    };
    write_in_rounds<TileSize::large>(shared.items, items, tile_size, shared.offsets, place_of, bucket_of, sink);
  } else {
#pragma unroll
    for (u32 k = 0; k < rows; ++k) {
      if (thread + k * distribute_threads<Item, TileSize::large> < tile_size) {
        shared.items[shared.begins[bucket_of(items[k])] + ranks[k]] = items[k];
      }
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < rows; ++k) {
      const u32 i = thread + k * distribute_threads<Item, TileSize::large>;
      if (i >= tile_size) break;
      const Item item = shared.items[i];
      sink(shared.offsets[bucket_of(item)] + i, item);
    }
  }
}

/// Distributes n items. `totals` holds the number of items of each bucket; it is left zero.
template <class Item, class Source, class BucketOf, class Sink>
void distribute_unordered(const Executor& ex, const char* label, u64 n, const Source& source,
                          const BucketOf& bucket_of, const Sink& sink, u64* totals, u64* offsets,
                          u32 offset_count) {
  launch(ex, label, bucket_cursor_kernel, {1, bucket_limit}, totals, offsets, offset_count);
  launch(ex, label, distribute_unordered_kernel<Item, Source, BucketOf, Sink>,
         {divide_rounding_up(n, distribute_tile<Item, TileSize::large>), distribute_threads<Item, TileSize::large>,
          available_shared_bytes(ex, sizeof(UnorderedShared<Item>))},
         n, source, bucket_of, sink, totals);
  fill_bytes(ex, label, totals, bucket_limit, 0);
}

}  // namespace copse::cuda::detail
