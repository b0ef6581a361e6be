#pragma once

// One level of sample sort: splitters cut every bucket into 2^bits smaller ones. They are taken from a sorted
// random sample of the bucket (Leischner, Osipov, Sanders, "GPU Sample Sort", IPDPS 2010). Keys descend an
// implicit binary search tree without branches, several at a time (Sanders, Winkel, "Super Scalar Sample Sort",
// ESA 2004). Tiles count their buckets, one scan of all counts gives every tile its places, and tiles scatter.
// sample_scatter.cuh has the last of these steps.
//
// Where we differ: of equal keys the earlier one counts as smaller. So splitters also cut among equal keys, and no
// input has buckets that cannot be cut; that also makes the sort stable. The places of the splitters are read only
// if a key equals a splitter.

#include "primitives/sort/sample_tiles.cuh"

namespace copse::cuda::detail::samples {

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

/// Lets the rows of a thread descend the tree of splitters together, so that their loads overlap. A row goes right if
/// the splitter is not larger. Adds the buckets of rows that equal no splitter to `counts` and stores them. Returns
/// the other rows, a bit per row.
template <class Shape, class Key, class KeyInput, class Less>
__device__ __forceinline__ u32 classify_rows(const LevelTile& tile, u32 bits, const KeyInput& key_input,
                                             const Less& less, const Key* tree, u8* buckets, u32* counts) {
  Key keys[Shape::rows];
  u32 nodes[Shape::rows];
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 i = threadIdx.x + k * Shape::threads;
    keys[k] = i < tile.count ? key_input(tile.begin + i) : tree[1];
    nodes[k] = 1;
  }
  for (u32 depth = 0; depth < bits; ++depth) {
#pragma unroll
    for (u32 k = 0; k < Shape::rows; ++k) nodes[k] = 2 * nodes[k] + (less(keys[k], tree[nodes[k]]) ? 0 : 1);
  }
  u32 ties = 0;
#pragma unroll
  for (u32 k = 0; k < Shape::rows; ++k) {
    const u32 i = threadIdx.x + k * Shape::threads, bucket = nodes[k] - (1u << bits);
    const bool tie = bucket > 0 && !less(tree[node_of_rank(bucket, bits)], keys[k]);
    ties |= tie && i < tile.count ? 1u << k : 0u;
    if (i < tile.count && !tie) buckets[tile.begin + i] = u8(bucket);
    count_bucket(counts, bucket, i < tile.count && !tie);
  }
  return ties;
}

/// The same for rows whose key equals a splitter: the place of the element decides. Such rows are rare, so their keys
/// are read once more.
template <class Shape, class Key, class KeyInput, class Less>
__device__ __forceinline__ void classify_ties(u32 ties, const LevelTile& tile, u32 bits, const KeyInput& key_input,
                                              const Less& less, const Key* tree, const u64* positions, u8* buckets,
                                              u32* counts) {
#pragma unroll 1
  for (u32 k = 0; k < Shape::rows; ++k) {
    const bool tie = (ties >> k & 1) != 0;
    if (!__any_sync(all_lanes, tie)) continue;
    const u64 position = tile.begin + threadIdx.x + k * Shape::threads;
    u32 bucket = 0;
    if (tie) {
      bucket = descend_with_position(tree, positions, bits, key_input(position), position, less);
      buckets[position] = u8(bucket);
    }
    count_bucket(counts, bucket, tie);
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
    const u32 ties = classify_rows<Shape>(tile, bits, key_input, less, tree, buckets, local_counts);
    classify_ties<Shape>(ties, tile, bits, key_input, less, tree, positions, buckets, local_counts);
  }
  __syncthreads();
  if (thread < bucket_count) counts[tile.column + thread * tile.stride] = local_counts[thread];
}

}  // namespace copse::cuda::detail::samples
