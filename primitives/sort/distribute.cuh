#pragma once

// Distributes items into up to 256 buckets. It is stable, with one read and one write per item. This is one pass
// of "Onesweep" (Adinets, Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", arXiv
// 2206.01784, 2022), with any function of an item in place of the digit of a key. A tile ranks its items in shared
// memory, finds the places of its buckets by decoupled look-back, and writes runs.
//
// Where we differ: warps count in 16 bits, written by one lane per bucket in place of atomics. The words of the
// look-back hold the parity of the pass, so that one table serves all passes of a sort and is initialised once.
// And the first tile turns the totals of the buckets into their places.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda::detail {

inline constexpr u32 bucket_bits = 8;
inline constexpr u32 bucket_limit = 1u << bucket_bits;

/// With few items tiles are small, so that all multiprocessors have some.
enum class TileSize { small, large };

/// Items that one instruction can load need fewer registers, which leaves room for more threads.
template <class Item>
inline constexpr bool loads_at_once = sizeof(Item) <= 8 && alignof(Item) == sizeof(Item);

template <class Item, TileSize size>
inline constexpr u32 distribute_threads = size == TileSize::large&& loads_at_once<Item> ? 512 : 384;
template <TileSize size>
inline constexpr u32 distribute_blocks = size == TileSize::small ? 3 : 2;  // on a multiprocessor at once

/// Returns the items per thread, so that the tiles fit the shared memory and the registers of a multiprocessor.
template <class Item, TileSize size>
constexpr u32 rows_for_tile() {
  if (size == TileSize::small) return smaller<u32>(8, larger<u32>(1, 96 / sizeof(Item)));
  if (loads_at_once<Item>) return sizeof(Item) <= 4 ? 20 : 16;
  return smaller<u32>(20, larger<u32>(1, 168 / sizeof(Item)));
}
template <class Item, TileSize size>
inline constexpr u32 distribute_rows = rows_for_tile<Item, size>();

template <class Item, TileSize size>
inline constexpr u32 distribute_tile = distribute_threads<Item, size>* distribute_rows<Item, size>;

/// True if it is faster to look back before the items move in shared memory, as with small items. With larger
/// items it is faster to look back while they move.
template <class Item>
inline constexpr bool looks_back_early = sizeof(Item) <= 4;

/// The largest number of items of one launch: counts in the look-back table have 30 bits.
inline constexpr u64 max_items_at_once = (u64{1} << 30) - 1;

// A look-back word. Two of them, for two neighbouring buckets, form one word of 64 bits. The parity is that of the
// pass: in a table of all ones, no word belongs to an even pass.
//
//   31      | 30         | 29 .. 0
//   parity  | is prefix  | count, or prefix

/// The memory that the tiles of a distribution share.
struct DistributeTables {
  u32* ticket;       // zero before and after
  u64* totals;       // [bucket] items of all launches; the first tile reads them and leaves zero. Or null:
  const u64* bases;  // [bucket] first places for this launch, if there are several,
  u64* next_bases;   // and for the next one
  u64* words;        // [tile][pair of buckets]
  u32 parity;
  bool all_blocks_resident = false;
  u64* offsets = nullptr;  // where the first tile stores the places of the first `offset_count` buckets
  u32 offset_count = 0;
};

template <u32 warp_count>
struct BucketShared {
  static constexpr u32 warps = warp_count;

  u64 offsets[bucket_limit];                 // place in the output minus place in the tile
  u32 counts[warp_count][bucket_limit / 2];  // of 16 bits, two buckets in a word
  u32 warp_sums[warp_count];
  u32 tile;
};

template <class Item, TileSize size>
struct DistributeShared {
  BucketShared<distribute_threads<Item, size> / warp_size> buckets;
  alignas(16) Item items[distribute_tile<Item, size>];
};

/// Returns the lanes that have the same bucket as this lane, by one vote per bit.
__device__ inline u32 lanes_of_bucket(u32 bucket) {
  u32 lanes = all_lanes;
#pragma unroll
  for (u32 bit = 0; bit < bucket_bits; ++bit) {
    asm("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 t, p, "
        "0xffffffff; "
        "@!p not.b32 t, t; and.b32 %0, %0, t; }"
        : "+r"(lanes)
        : "r"(bucket), "r"(1u << bit));
  }
  return lanes;
}

/// Ranks the items of a thread among the items of the same bucket in the part of the tile that its warp has. A
/// word holds two ranks of 16 bits.
template <u32 rows, class BucketOfRow>
__device__ void rank_rows(BucketOfRow bucket_of_row, u16* counts, u32 (&ranks)[(rows + 1) / 2]) {
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 bucket = bucket_of_row(k);
    const u32 lanes = lanes_of_bucket(bucket);
    const u32 lower = u32(__popc(lanes & lower_lanes()));
    const u32 before = counts[bucket];
    __syncwarp();
    if (lower == 0) counts[bucket] = u16(before + u32(__popc(lanes)));
    __syncwarp();
    const u32 rank = before + lower;
    ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
  }
}

/// Returns the exclusive sum over the threads below `bucket_limit / 2`; the other threads pass 0. All threads must
/// call it.
__device__ inline u32 scan_pairs(u32 value, u32* warp_sums) {
  const u32 warp = threadIdx.x / warp_size;
  u32 sum = value;
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const u32 below = __shfl_up_sync(all_lanes, sum, distance);
    if (lane_id() >= distance) sum += below;
  }
  if (lane_id() == warp_size - 1) warp_sums[warp] = sum;
  __syncthreads();
  u32 before = 0;
#pragma unroll
  for (u32 k = 0; k < bucket_limit / 2 / warp_size; ++k) before += k < warp ? warp_sums[k] : 0;
  return before + sum - value;
}

/// Two neighbouring buckets.
struct BucketPair {
  u32 first, second;
};

__device__ inline void publish_pair(const DistributeTables& tables, u32 tile, bool is_prefix, BucketPair count) {
  const u32 status = tables.parity << 31 | u32(is_prefix) << 30;
  store_relaxed(tables.words + u64(tile) * (bucket_limit / 2) + threadIdx.x,
                u64(status | count.second) << 32 | (status | count.first));
}

/// Returns the number of items of the two buckets of the thread in all tiles before this one, which is not the
/// first.
__device__ inline BucketPair look_back_pair(const DistributeTables& tables, u32 tile) {
  constexpr u32 window = 4;
  constexpr u32 count_mask = (1u << 30) - 1;
  const u64* column = tables.words + threadIdx.x;
  BucketPair sum{0, 0};
  for (i64 newest = i64(tile) - 1;;) {
    u64 words[window];
#pragma unroll
    for (u32 k = 0; k < window; ++k) {
      const i64 id = newest - k;
      words[k] = id >= 0 ? load_relaxed(column + u64(id) * (bucket_limit / 2)) : ~u64{0} * (1 - tables.parity);
    }
#pragma unroll
    for (u32 k = 0; k < window; ++k) {
      const u32 first = u32(words[k]), second = u32(words[k] >> 32);
      if (first >> 31 != tables.parity || second >> 31 != tables.parity) break;
      sum.first += first & count_mask;
      sum.second += second & count_mask;
      if ((first >> 30 & 1) != 0) return sum;
      --newest;
    }
  }
}

/// Turns the totals of all buckets into first places, stores these for the caller, and leaves the totals zero.
template <u32 warp_count>
__device__ BucketPair take_totals(const DistributeTables& tables, BucketShared<warp_count>& shared) {
  BucketPair total{0, 0};
  const u32 thread = threadIdx.x;
  if (thread < bucket_limit / 2) {
    total = {u32(tables.totals[2 * thread]), u32(tables.totals[2 * thread + 1])};
    tables.totals[2 * thread] = tables.totals[2 * thread + 1] = 0;
  }
  const u32 first = scan_pairs(total.first + total.second, shared.warp_sums);
  __syncthreads();
  if (2 * thread < tables.offset_count) tables.offsets[2 * thread] = first;
  if (2 * thread + 1 < tables.offset_count) tables.offsets[2 * thread + 1] = first + total.first;
  return {first, first + total.first};
}

/// Sums the counts of all warps for the two buckets of the thread, and replaces each by the sum of the warps
/// before it.
template <u32 warp_count>
__device__ BucketPair sum_warp_counts(BucketShared<warp_count>& shared) {
  u32 sum = 0;
#pragma unroll
  for (u32 w = 0; w < warp_count; ++w) {
    const u32 count = shared.counts[w][threadIdx.x];
    shared.counts[w][threadIdx.x] = sum;
    sum += count;
  }
  return {sum & 0xffff, sum >> 16};
}

/// Finds the places of the two buckets of the thread in the output, and publishes them for later tiles.
template <u32 warp_count>
__device__ void find_places(const DistributeTables& tables, u32 tile, u32 tile_count, BucketPair base,
                            BucketPair count, BucketPair begin, BucketShared<warp_count>& shared) {
  BucketPair before = base;
  if (tile > 0) {
    before = look_back_pair(tables, tile);
    if (tile + 1 < tile_count) {
      publish_pair(tables, tile, true, {before.first + count.first, before.second + count.second});
    }
  }
  u64 first = before.first, second = before.second;
  if (tables.bases != nullptr) {
    first += tables.bases[2 * threadIdx.x];
    second += tables.bases[2 * threadIdx.x + 1];
    if (tile + 1 == tile_count) {
      tables.next_bases[2 * threadIdx.x] = first + count.first;
      tables.next_bases[2 * threadIdx.x + 1] = second + count.second;
    }
  }
  shared.offsets[2 * threadIdx.x] = first - begin.first;
  shared.offsets[2 * threadIdx.x + 1] = second - begin.second;
}

/// Distributes items. `source(i)` returns item i of n; `bucket_of(item)` returns its bucket, below 256;
/// `sink(place, item)` stores it.
template <TileSize size, class Item, class Source, class BucketOf, class Sink>
__global__ void __launch_bounds__(distribute_threads<Item, size>, distribute_blocks<size>)
    distribute_kernel(u64 begin, u64 n, Source source, BucketOf bucket_of, Sink sink, DistributeTables tables) {
  constexpr u32 rows = distribute_rows<Item, size>;
  extern __shared__ uint4 distribute_memory[];
  auto& memory = *reinterpret_cast<DistributeShared<Item, size>*>(distribute_memory);
  auto& shared = memory.buckets;
  const u32 thread = threadIdx.x, warp = thread / warp_size;
  const bool has_buckets = thread < bucket_limit / 2;

  for (u32 k = lane_id(); k < bucket_limit / 2; k += warp_size) shared.counts[warp][k] = 0;
  __syncwarp();
  let_next_launch_start();
  wait_for_earlier_launch();
  u32 tile = blockIdx.x;
  if (!tables.all_blocks_resident) {
    if (thread == 0) {
      shared.tile = fetch_add_relaxed(tables.ticket, 1u);
      if (shared.tile == gridDim.x - 1) *tables.ticket = 0;
    }
    __syncthreads();
    tile = shared.tile;
  }
  const u64 tile_begin = u64(tile) * distribute_tile<Item, size>;
  const u32 tile_size = u32(smaller(n - tile_begin, u64{distribute_tile<Item, size>}));
  const BucketPair base = tile == 0 && tables.totals != nullptr ? take_totals(tables, shared) : BucketPair{0, 0};

  // Load the items of a warp in rows. Past the end, repeat the last item: it counts for the last bucket, behind
  // all real items, and is not written.
  const u32 place_in_tile = warp * (warp_size * rows) + lane_id();
  const bool is_whole = size == TileSize::large && tile_size == distribute_tile<Item, size>;
  const u64 first = begin + tile_begin + place_in_tile;
  Item items[rows];
  if (is_whole) {
#pragma unroll
    for (u32 k = 0; k < rows; ++k) items[k] = source(first + k * warp_size);
  } else {
#pragma unroll
    for (u32 k = 0; k < rows; ++k) {
      items[k] = source(begin + tile_begin + smaller(place_in_tile + k * warp_size, tile_size - 1));
    }
  }
  const auto bucket_of_row = [&](u32 k) {
    return is_whole || place_in_tile + k * warp_size < tile_size ? bucket_of(items[k]) : bucket_limit - 1;
  };
  u32 ranks[(rows + 1) / 2];
  rank_rows<rows>(bucket_of_row, reinterpret_cast<u16*>(shared.counts[warp]), ranks);
  __syncthreads();

  // Sum the counts of the warps, with one thread for two buckets. Publish those of the tile, and scan them over
  // the buckets.
  BucketPair count{0, 0};
  if (has_buckets) {
    count = sum_warp_counts(shared);
    const bool is_prefix = tile == 0;
    publish_pair(tables, tile, is_prefix, {base.first + count.first, base.second + count.second});
  }
  const u32 pair_begin = scan_pairs(count.first + count.second, shared.warp_sums);
  const BucketPair begins{pair_begin, pair_begin + count.first};
  if (has_buckets) {
#pragma unroll
    for (u32 w = 0; w < shared.warps; ++w) shared.counts[w][thread] += begins.second << 16 | begins.first;
  }
  __syncthreads();

  // Put the items into the order of their buckets in shared memory, and write runs of them.
  if (looks_back_early<Item> && has_buckets) find_places(tables, tile, gridDim.x, base, count, begins, shared);
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 rank = k % 2 == 0 ? ranks[k / 2] & 0xffff : ranks[k / 2] >> 16;
    memory.items[rank + reinterpret_cast<const u16*>(shared.counts[warp])[bucket_of_row(k)]] = items[k];
  }
  if (!looks_back_early<Item> && has_buckets) find_places(tables, tile, gridDim.x, base, count, begins, shared);
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 i = thread + k * distribute_threads<Item, size>;
    if (i >= tile_size) break;
    const Item item = memory.items[i];
    sink(shared.offsets[bucket_of(item)] + i, item);
  }
}

/// Returns true if the multiprocessors can run all small tiles at once.
template <class Item>
bool takes_small_tiles(const Executor& ex, u64 n) {
  constexpr u64 items_per_round = u64{distribute_tile<Item, TileSize::small>} * distribute_blocks<TileSize::small>;
  return n <= items_per_round * ex.multiprocessor_count;
}

template <class Item>
u64 distribute_tile_count(const Executor& ex, u64 n) {
  return divide_rounding_up(n, takes_small_tiles<Item>(ex, n) ? distribute_tile<Item, TileSize::small>
                                                              : distribute_tile<Item, TileSize::large>);
}

/// Returns the number of words of the look-back table for n items.
template <class Item>
u64 distribute_word_count(const Executor& ex, u64 n) {
  return distribute_tile_count<Item>(ex, n) * (bucket_limit / 2);
}

template <TileSize size, class Item, class Source, class BucketOf, class Sink>
void launch_distribution(const Executor& ex, const char* label, u64 begin, u64 n, const Source& source,
                         const BucketOf& bucket_of, const Sink& sink, DistributeTables tables) {
  const u64 tile_count = divide_rounding_up(n, distribute_tile<Item, size>);
  tables.all_blocks_resident = tile_count <= u64{distribute_blocks<size>} * ex.multiprocessor_count;
  launch(ex, label, distribute_kernel<size, Item, Source, BucketOf, Sink>,
         {tile_count, distribute_threads<Item, size>, sizeof(DistributeShared<Item, size>), true}, begin, n,
         source, bucket_of, sink, tables);
}

/// Distributes the items [begin, begin + n), at most `max_items_at_once`.
template <class Item, class Source, class BucketOf, class Sink>
void distribute(const Executor& ex, const char* label, u64 begin, u64 n, const Source& source,
                const BucketOf& bucket_of, const Sink& sink, const DistributeTables& tables) {
  if (takes_small_tiles<Item>(ex, n)) {
    launch_distribution<TileSize::small, Item>(ex, label, begin, n, source, bucket_of, sink, tables);
  } else {
    launch_distribution<TileSize::large, Item>(ex, label, begin, n, source, bucket_of, sink, tables);
  }
}

}  // namespace copse::cuda::detail
