#pragma once

// One level of sample sort: splitters cut every bucket into 2^bits smaller ones. They are taken from a sorted
// random sample of the bucket (Leischner, Osipov, Sanders, "GPU Sample Sort", IPDPS 2010). Keys descend an
// implicit binary search tree without branches, several at a time (Sanders, Winkel, "Super Scalar Sample Sort",
// ESA 2004). Tiles count their buckets, one scan of all counts gives every tile its places, and tiles scatter.
//
// Where we differ: of equal keys the earlier one counts as smaller. So splitters also cut among equal keys, and no
// input has buckets that cannot be cut; that also makes the sort stable. The places of the splitters are read only
// if a key equals a splitter.

#include "primitives/cuda/block.cuh"
#include "primitives/cuda/merge_tile.cuh"
#include "primitives/inputs.h"

namespace copse::cuda::detail::samples {

using copse::detail::sample_position;
using copse::detail::SamplePlan;
using copse::detail::samples_per_bucket;

inline constexpr u32 max_buckets = 1u << SamplePlan::max_bits;

/// The sizes with which a block distributes a tile.
template <class Key, class Value>
struct LevelShape {
  static constexpr bool with_values = MergeShape<Key, Value>::with_values;
  static constexpr u32 widest = larger(u32(sizeof(Key)), u32(sizeof(Value)));
  static constexpr u32 threads = 512;
  static constexpr u32 warps = threads / warp_size;
  static constexpr u32 max_bytes = 32u << 10;
  static constexpr u32 rows = smaller(12u, max_bytes / (threads * widest));
  static constexpr u32 tile = threads * rows;
  static_assert(threads >= max_buckets);  // one thread per bucket
};

/// A tile of a level. Its count for bucket j is at column + j * stride, so that the counts of the tiles of one
/// parent follow each other, in the order of their places.
struct LevelTile {
  u64 begin;
  u64 column, stride;
  u32 count;
  u32 parent;
};

/// The input of a level. The buckets that it cuts are its parents; if there is only one, nothing is stored about
/// it.
struct Level {
  u64 n;
  u32 parent_count;
  u32 bits;
  const u64* begins;       // of the parents, followed by n
  const u64* first_tiles;  // of the parents, followed by the number of tiles
  const LevelTile* tiles;
  u32 tile;

  COPSE_HD u32 bucket_count() const { return 1u << bits; }

  /// Returns the largest possible number of tiles: each parent may end in one that is not full.
  COPSE_HD u64 max_tiles() const { return divide_rounding_up(n, tile) + (parent_count - 1); }

  __device__ u64 begin_of(u32 parent) const { return parent_count == 1 ? (parent == 0 ? 0 : n) : begins[parent]; }
  __device__ LevelTile tile_at(u32 id) const {
    if (parent_count > 1) return tiles[id];
    const u64 begin = u64{id} * tile;
    return {begin, id, divide_rounding_up(n, tile), u32(smaller(n - begin, u64{tile})), 0};
  }
};

/// Returns the number of tiles of each parent. One more entry makes room for the total of their exclusive scan.
struct CountTiles {
  const u64* begins;
  u32 parent_count;
  u32 tile;

  __device__ u64 operator()(u64 parent) const {
    return parent < parent_count ? divide_rounding_up(begins[parent + 1] - begins[parent], tile) : 0;
  }
};

/// Describes every tile. Tiles past the last are empty; their counts are at the end of all, and become zero.
struct DescribeTiles {
  Level level;
  LevelTile* tiles;

  __device__ void operator()(u64 id) const {
    const u64 tile_count = level.first_tiles[level.parent_count];
    if (id >= tile_count) {
      tiles[id] = {0, id << level.bits, 1, 0, 0};
      return;
    }
    // Find the last parent whose first tile is not after this one. Empty parents before it have no tiles.
    u32 lo = 0, hi = level.parent_count - 1;
    while (lo < hi) {
      const u32 middle = lo + (hi - lo + 1) / 2;
      if (level.first_tiles[middle] <= id) {
        lo = middle;
      } else {
        hi = middle - 1;
      }
    }
    const u64 first = level.first_tiles[lo], stride = level.first_tiles[lo + 1] - first;
    const u64 begin = level.begins[lo] + (id - first) * level.tile;
    tiles[id] = {begin, (first << level.bits) + (id - first), stride,
                 u32(smaller(level.begins[lo + 1] - begin, u64{level.tile})), lo};
  }
};

/// Finds where the buckets that the level has made begin. The last entry is n.
struct BucketBegins {
  Level level;
  const u64* places;  // the counts, scanned
  u64* begins;

  __device__ void operator()(u64 i) const {
    const u32 parent = u32(i >> level.bits), bucket = u32(i) & (level.bucket_count() - 1);
    if (parent == level.parent_count) {
      begins[i] = level.n;
    } else if (level.parent_count == 1) {
      begins[i] = places[bucket * divide_rounding_up(level.n, level.tile)];
    } else {
      const u64 first = level.first_tiles[parent], stride = level.first_tiles[parent + 1] - first;
      begins[i] = stride == 0 ? level.begins[parent] : places[(first << level.bits) + bucket * stride];
    }
  }
};

/// The splitters of each parent as a search tree. The root is node 1; the children of node k are 2k and 2k + 1.
template <class Key>
struct Splitters {
  Key* keys;       // [parent][node]
  u64* positions;  // of the elements that are the splitters
};

/// Returns the rank among the splitters of a node of the tree over 2^bits buckets.
__device__ inline u32 rank_of_node(u32 node, u32 bits) {
  const u32 depth = 31 - leading_zeros(node);
  return ((2 * (node - (1u << depth)) + 1) << (bits - 1 - depth)) - 1;
}

/// Returns the node of a splitter from its rank plus one.
__device__ inline u32 node_of_rank(u32 rank_plus_one, u32 bits) {
  const u32 height = u32(__ffs(int(rank_plus_one))) - 1;
  return (1u << (bits - 1 - height)) + (rank_plus_one >> (height + 1));
}

/// Sorts a sample of each parent, one block per parent, and takes splitters at equal distances.
template <class Key, class KeyInput, class Less>
__global__ void __launch_bounds__(MergeShape<Key, u32>::threads, 2)
    choose_splitters_kernel(Level level, KeyInput key_input, Less less, Splitters<Key> splitters) {
  using Shape = MergeShape<Key, u32>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  const auto sample = SharedTile<Key, u32>::at(shared_memory);
  const u32 parent = blockIdx.x;
  const u64 begin = level.begin_of(parent), size = level.begin_of(parent + 1) - begin;
  if (size == 0) return;
  const u32 oversampling = samples_per_bucket(level.bits, Shape::tile);
  const u32 sample_count = oversampling << level.bits;
#pragma unroll
  for (u32 k = 0; k < Shape::items; ++k) {
    const u32 j = threadIdx.x + k * Shape::threads;
    if (j < sample_count) {
      sample.keys[j] = key_input(begin + sample_position(j, sample_count, size));
      sample.values[j] = j;
    }
  }
  sort_shared_tile(sample, sample_count, less);
  for (u32 node = threadIdx.x + 1; node < level.bucket_count(); node += Shape::threads) {
    const u32 j = (rank_of_node(node, level.bits) + 1) * oversampling;
    const u64 slot = (u64{parent} << level.bits) + node;
    splitters.keys[slot] = sample.keys[j];
    splitters.positions[slot] = begin + sample_position(sample.values[j], sample_count, size);
  }
}

/// Returns the bucket of a key that equals a splitter: the number of splitters that are smaller, or equal and not
/// after it.
template <class Key, class Less>
__device__ u32 descend_with_position(const Key* tree, const u64* positions, u32 bits, const Key& key, u64 position,
                                     const Less& less) {
  u32 node = 1;
  for (u32 depth = 0; depth < bits; ++depth) {
    bool right = !less(key, tree[node]);
    if (right && !less(tree[node], key)) right = positions[node] <= position;
    node = 2 * node + (right ? 1 : 0);
  }
  return node - (1u << bits);
}

/// Adds one to the counter of each lane that counts. Often all lanes have the same counter, as in sorted input;
/// then one lane adds for all, since separate additions would wait for each other.
__device__ inline void count_bucket(u32* counts, u32 bucket, bool counts_me) {
  const u32 voters = __ballot_sync(all_lanes, counts_me);
  if (voters == 0) return;
  const u32 leader = u32(__ffs(int(voters))) - 1;
  const u32 first = __shfl_sync(all_lanes, bucket, int(leader));
  if (__all_sync(all_lanes, !counts_me || bucket == first)) {
    if (lane_id() == leader) atomicAdd(counts + first, u32(__popc(voters)));
  } else if (counts_me) {
    atomicAdd(counts + bucket, 1u);
  }
}

/// Finds the bucket of every element of a tile, and counts the elements of each bucket.
template <class Key, class Value, class KeyInput, class Less>
__global__ void __launch_bounds__(LevelShape<Key, Value>::threads, 3)
    classify_kernel(Level level, KeyInput key_input, Less less, Splitters<Key> splitters, u8* buckets,
                    u64* counts) {
  using Shape = LevelShape<Key, Value>;
  __shared__ __align__(16) unsigned char tree_memory[max_buckets * sizeof(Key)];
  __shared__ u32 local_counts[max_buckets];
  Key* tree = reinterpret_cast<Key*>(tree_memory);
  const u32 thread = threadIdx.x, bits = level.bits, bucket_count = level.bucket_count();
  const LevelTile tile = level.tile_at(blockIdx.x);
  const u64* positions = splitters.positions + (u64{tile.parent} << bits);

  if (thread < bucket_count) {
    local_counts[thread] = 0;
    if (thread > 0 && tile.count > 0) tree[thread] = splitters.keys[(u64{tile.parent} << bits) + thread];
  }
  __syncthreads();

  if (tile.count > 0) {
    Key keys[Shape::rows];
    u32 nodes[Shape::rows];
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 i = thread + k * Shape::threads;
      keys[k] = i < tile.count ? key_input(tile.begin + i) : tree[1];
      nodes[k] = 1;
    }
    // All rows descend together, so that their loads overlap. A row goes right if the splitter is not larger.
    for (u32 depth = 0; depth < bits; ++depth) {
#pragma unroll
      for (u32 k = 0; k < Shape::rows; ++k) {
        nodes[k] = 2 * nodes[k] + (less(keys[k], tree[nodes[k]]) ? 0 : 1);
      }
    }
    u32 ties = 0;  // rows whose key equals a splitter
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 i = thread + k * Shape::threads, bucket = nodes[k] - bucket_count;
      const bool tie = bucket > 0 && !less(tree[node_of_rank(bucket, bits)], keys[k]);
      ties |= tie && i < tile.count ? 1u << k : 0u;
      if (i < tile.count && !tie) buckets[tile.begin + i] = u8(bucket);
      count_bucket(local_counts, bucket, i < tile.count && !tie);
    }
    // Ties are rare, so they are not part of the loop above: their keys are read once more.
#pragma unroll 1
    for (u32 k = 0; k < Shape::rows; ++k) {
      const bool tie = (ties >> k & 1) != 0;
      if (!__any_sync(all_lanes, tie)) continue;
      const u64 position = tile.begin + thread + k * Shape::threads;
      u32 bucket = 0;
      if (tie) {
        bucket = descend_with_position(tree, positions, bits, key_input(position), position, less);
        buckets[position] = u8(bucket);
      }
      count_bucket(local_counts, bucket, tie);
    }
  }
  __syncthreads();
  if (thread < bucket_count) counts[tile.column + thread * tile.stride] = local_counts[thread];
}

/// Returns the lanes that have the same bucket as this one.
__device__ inline u32 lanes_of_bucket(u32 bucket, u32 bits) {
  u32 lanes = all_lanes;
#pragma unroll
  for (u32 bit = 0; bit < SamplePlan::max_bits; ++bit) {
    if (bit < bits) {
      const bool set = (bucket >> bit & 1) != 0;
      const u32 setting = __ballot_sync(all_lanes, set);
      lanes &= set ? setting : ~setting;
    }
  }
  return lanes;
}

template <class Key, class Value>
struct ScatterMemory {
  using Shape = LevelShape<Key, Value>;
  alignas(16) unsigned char elements[Shape::tile * Shape::widest];  // keys, then values
  alignas(16) u64 offsets[max_buckets];                             // place in the output minus place in the tile
  u16 counts[Shape::warps][max_buckets];
  u8 buckets[Shape::tile];
  BlockStorage<u32, Shape::threads> sums;
};

/// Moves the elements of a tile to the places that the scan of the counts gives. It is stable.
template <class Key, class Value, class KeyInput, class ValueInput>
__global__ void __launch_bounds__(LevelShape<Key, Value>::threads, 2)
    scatter_kernel(Level level, KeyInput key_input, ValueInput value_input, const u8* buckets, const u64* places,
                   Key* keys_out, Value* values_out) {
  using Shape = LevelShape<Key, Value>;
  __shared__ ScatterMemory<Key, Value> shared;
  const u32 thread = threadIdx.x, warp = thread / warp_size;
  const LevelTile tile = level.tile_at(blockIdx.x);
  if (tile.count == 0) return;
  const u32 bucket_count = level.bucket_count();
  const u64 place = thread < bucket_count ? places[tile.column + thread * tile.stride] : 0;

  // A warp holds neighbouring rows of neighbouring elements. Places past the end count for the last bucket, behind
  // all others.
  const u32 first = warp * (warp_size * Shape::rows) + lane_id();
  Key keys[Shape::rows];
  u32 targets[Shape::rows];  // the bucket, and above it the rank among the warp's elements of the bucket
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 i = first + k * warp_size;
    targets[k] = bucket_count - 1;
    if (i < tile.count) {
      keys[k] = key_input(tile.begin + i);
      targets[k] = buckets[tile.begin + i];
    }
  }
  for (u32 k = lane_id(); k < max_buckets; k += warp_size) shared.counts[warp][k] = 0;
  __syncwarp();
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 bucket = targets[k];
    const u32 lanes = lanes_of_bucket(bucket, level.bits);
    const u32 lower = lanes & lower_lanes();
    const u32 before = shared.counts[warp][bucket];
    __syncwarp();
    if (lower == 0) shared.counts[warp][bucket] = u16(before + u32(__popc(lanes)));
    __syncwarp();
    targets[k] = bucket | (before + u32(__popc(lower))) << SamplePlan::max_bits;
  }
  __syncthreads();

  // One thread per bucket: find where the elements of each warp begin in the tile.
  u32 count = 0;
  if (thread < max_buckets) {
#pragma unroll
    for (u32 w = 0; w < Shape::warps; ++w) {
      const u32 warp_count = shared.counts[w][thread];
      shared.counts[w][thread] = u16(count);
      count += warp_count;
    }
  }
  const u32 begin = block_exclusive_sum<Shape::threads>(count, shared.sums).before;
  if (thread < max_buckets) {
    shared.offsets[thread] = place - begin;
#pragma unroll
    for (u32 w = 0; w < Shape::warps; ++w) shared.counts[w][thread] = u16(shared.counts[w][thread] + begin);
  }
  __syncthreads();

  // Order the elements in shared memory, and write runs of them.
  Key* tile_keys = reinterpret_cast<Key*>(shared.elements);
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 bucket = targets[k] & (max_buckets - 1);
    targets[k] = shared.counts[warp][bucket] + (targets[k] >> SamplePlan::max_bits);
    if (first + k * warp_size < tile.count) {
      tile_keys[targets[k]] = keys[k];
      shared.buckets[targets[k]] = u8(bucket);
    }
  }
  __syncthreads();
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 i = thread + k * Shape::threads;
    if (i < tile.count) keys_out[shared.offsets[shared.buckets[i]] + i] = tile_keys[i];
  }
  if constexpr (Shape::with_values) {
    Value* tile_values = reinterpret_cast<Value*>(shared.elements);
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 i = first + k * warp_size;
      if (i < tile.count) tile_values[targets[k]] = value_input(tile.begin + i);
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) {
      const u32 i = thread + k * Shape::threads;
      if (i < tile.count) values_out[shared.offsets[shared.buckets[i]] + i] = tile_values[i];
    }
  }
}

}  // namespace copse::cuda::detail::samples
