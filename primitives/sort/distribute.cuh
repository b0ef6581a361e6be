#pragma once

// Distributes items into up to 256 buckets. It is stable, with one read and one write per item. This is one pass
// of "Onesweep" (Adinets, Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", arXiv
// 2206.01784, 2022), with any function of an item in place of the digit of a key. A tile ranks its items in shared
// memory, finds the places of its buckets by decoupled look-back, and writes runs.
//
// Where we differ: warps count in 16 bits, written by one lane per bucket in place of atomics. The words of the
// look-back hold the parity of the pass, so that one table serves all passes of a sort and is initialised once.
// And the first tile turns the totals of the buckets into their places.

#include "primitives/cuda/launch.cuh"
#include "primitives/sort/distribute_places.cuh"

namespace copse::cuda::detail {

/// With few items tiles are small, so that all multiprocessors have some.
enum class TileSize { small, large };

/// Items that one instruction can load need fewer registers, which leaves room for more threads.
template <class Item>
inline constexpr bool loads_at_once = sizeof(Item) <= 8 && alignof(Item) == sizeof(Item);

template <class Item, TileSize size>
inline constexpr u32 distribute_threads = size == TileSize::small || !loads_at_once<Item> ? 384 : 512;

/// Blocks on a multiprocessor at once. That of Turing runs 1024 threads.
template <TileSize size>
inline constexpr u32 distribute_blocks = size == TileSize::small && !COPSE_TURING_CODE ? 3 : 2;

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
inline constexpr u32 distribute_tile = u32{distribute_threads<Item, size>} * distribute_rows<Item, size>;

/// Items of a tile that shared memory has room for: all of them, except in code for Turing.
template <class Item, TileSize size>
inline constexpr u32 staged_items = COPSE_TURING_CODE
                                        ? smaller<u32>(distribute_tile<Item, size>, (50u << 10) / sizeof(Item))
                                        : distribute_tile<Item, size>;
template <class Item, TileSize size>
inline constexpr bool moves_in_rounds = staged_items<Item, size> < distribute_tile<Item, size>;

/// True if it is faster to look back before the items move in shared memory, as with small items. With larger
/// items it is faster to look back while they move.
template <class Item>
inline constexpr bool looks_back_early = sizeof(Item) <= 4;

/// The largest number of items of one launch: counts in the look-back table have 30 bits.
inline constexpr u64 max_items_at_once = (u64{1} << 30) - 1;

template <class Item, TileSize size>
struct DistributeShared {
  BucketShared<distribute_threads<Item, size> / warp_size> buckets;
  alignas(16) Item items[staged_items<Item, size>];
};

/// Puts the items of a tile into the order of their buckets and writes runs of them, as many at a time as shared memory
/// has room for. All threads of the block call it, after a barrier.
///   offsets:     per bucket: place in the output minus place in the tile
///   place_of(k): place in the tile of the thread's item k; not below the tile's size if there is no such item
template <TileSize size, class Item, u32 rows, class PlaceOf, class BucketOf, class Sink>
__device__ void write_in_rounds(Item* staged, const Item (&items)[rows], u32 tile_size, const u64* offsets,
                                const PlaceOf& place_of, const BucketOf& bucket_of, const Sink& sink) {
  constexpr u32 round_size = staged_items<Item, size>;
  for (u32 begin = 0; begin < tile_size; begin += round_size) {
#pragma unroll
    for (u32 k = 0; k < rows; ++k) {
      const u32 place = place_of(k) - begin;  // wraps around for places before the round
      if (place < round_size) staged[place] = items[k];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < smaller(round_size, tile_size - begin); i += distribute_threads<Item, size>) {
      const Item item = staged[i];
      sink(offsets[bucket_of(item)] + begin + i, item);
    }
    __syncthreads();
  }
}

/// Distributes items. `source(i)` returns item i of n; `bucket_of(item)` returns its bucket, below 256;
/// `sink(place, item)` stores it.
template <TileSize size, class Item, class Source, class BucketOf, class Sink>
__global__ void __launch_bounds__(distribute_threads<Item, size>, distribute_blocks<size>)
    distribute_kernel(u64 begin, u64 n, Source source, BucketOf bucket_of, Sink sink, DistributeTables tables) {
  constexpr u32 rows = distribute_rows<Item, size>;
  static_assert(sizeof(DistributeShared<Item, size>) <= shared_bytes_everywhere);
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

  if constexpr (moves_in_rounds<Item, size>) {
    if (has_buckets) find_places(tables, tile, gridDim.x, base, count, begins, shared);
    __syncthreads();
    const auto place_of = [&](u32 k) {
      const u32 rank = k % 2 == 0 ? ranks[k / 2] & 0xffff : ranks[k / 2] >> 16;
      return rank + reinterpret_cast<const u16*>(shared.counts[warp])[bucket_of_row(k)];
    };
    write_in_rounds<size>(memory.items, items, tile_size, shared.offsets, place_of, bucket_of, sink);
    return;
  }

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

/// Returns how many blocks of a kernel a multiprocessor surely runs at once.
template <TileSize size, class Item, class Kernel>
u64 resident_distributions(const Executor& ex, const char* label, Kernel kernel) {
  if (architecture_of(ex, label, kernel) < ampere) return 1;
  return smaller(u64{distribute_blocks<size>}, blocks_by_memory(ex, sizeof(DistributeShared<Item, size>)));
}

template <TileSize size, class Item, class Source, class BucketOf, class Sink>
void launch_distribution(const Executor& ex, const char* label, u64 begin, u64 n, const Source& source,
                         const BucketOf& bucket_of, const Sink& sink, DistributeTables tables) {
  const u64 tile_count = divide_rounding_up(n, distribute_tile<Item, size>);
  const auto kernel = distribute_kernel<size, Item, Source, BucketOf, Sink>;
  const u32 shared_bytes = available_shared_bytes(ex, sizeof(DistributeShared<Item, size>));
  const u64 blocks = resident_distributions<size, Item>(ex, label, kernel);
  tables.all_blocks_resident = tile_count <= blocks * ex.multiprocessor_count;
  launch(ex, label, kernel, {tile_count, distribute_threads<Item, size>, shared_bytes, true}, begin, n, source,
         bucket_of, sink, tables);
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
