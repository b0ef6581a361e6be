#pragma once

// The shared memory in which a block builds a small tree (tree_by_block.cuh).

#include "builders/bvh/forest/forest_collapse.h"
#include "builders/bvh/hploc/hploc.cuh"
#include "builders/bvh/wide/collapse.cuh"

namespace copse::cuda {

namespace detail {

/// Blocks of `warps` warps for trees of up to `most` primitives.
template <u32 most, u32 warp_count>
struct SmallTreeShape {
  static constexpr u32 capacity = most, warps = warp_count, threads = warps * warp_size;
  static constexpr u32 per_thread = capacity / threads;
  /// On a multiprocessor. With more, fewer of the nodes would stay in the cache.
  static constexpr u32 blocks = 28 / warps;

  /// A warp clusters a tile of leaves. Its last leaves may be left to the next warp.
  using Tile = ClusterTileShape<warps == 1 ? per_thread : per_thread + 1, warp_size>;
  static_assert(warps == 1 || Tile::stride * warps >= capacity);
};

/// Boxes by places, each as a leaf's cluster. ClusterMemory begins with the same arrays. Halves go as whole words: by parts,
/// lanes would meet in the banks of shared memory.
template <u32 capacity>
struct BoxesAtPlaces {
  HalfCluster lo[capacity], hi[capacity];

  __device__ void put(u32 place, const Aabb& box) {
    store_whole(HalfCluster{box.lo, 0}, &lo[place]);
    store_whole(HalfCluster{box.hi, place}, &hi[place]);
  }
  __device__ Aabb box(u32 place) const { return {load_whole(&lo[place]).corner, load_whole(&hi[place]).corner}; }
};

/// The boxes of the primitives by their numbers, while they are put in order.
template <u32 capacity>
struct OrderedBoxes : BoxesAtPlaces<capacity> {
  u64 words[capacity];
};

/// Where the walks of an LBVH meet. The box of a left child is at its last leaf, that of a right child at its first one.
/// Of the nodes with the same place, each is below the next, which is made after the box of the first was read.
template <u32 capacity>
struct MeetingChildren : BoxesAtPlaces<capacity> {
  u32 ends[capacity];  // [split]: the far end plus one of the child that came first; 0 if none came

  /// Returns the far end of the other child, whose box may then be read, or invalid_id if it has not come.
  __device__ u32 meet(u32 split, u32 far_end) {
    __threadfence_block();
    const u32 other = atomicExch(&ends[split], far_end + 1);
    __threadfence_block();
    return other - 1;
  }
};

/// The room that wide nodes of one tree take, in a word: inner children in the low half, primitives in the high half.
struct PackedParts {
  __device__ static u32 pack(u64 parts) { return u32(parts >> 32) << 16 | u32(parts); }
  __device__ static u64 unpack(u32 parts) { return u64(parts >> 16) << 32 | (parts & 0xffffu); }
};

/// A wide node before it is written.
struct alignas(16) SmallRecord {
  u16 children[copse::detail::forest_width];  // nodes of the binary tree; undefined in empty slots
  SlotKinds<copse::detail::forest_width> kinds;
  u32 first_parts;  // PackedParts: the places of its first inner child and leaf primitive, without the root
};

template <u32 capacity, u32 threads>
struct WritingTree {
  static constexpr u32 width = copse::detail::forest_width, words_apart = width + 1;
  static constexpr u32 level_count = 3;  // one to read, one to count, one to empty for the next level

  SmallRecord records[capacity];  // [pair]: without children if its parent becomes no wide node
  u16 pair_at[capacity];          // first of the wide nodes that are found, in any order; later [place]
  u32 found[level_count];         // how many, on a level of the wide tree
  uint4 made[threads / width * words_apart];
  BlockStorage<u32, threads> sums;
};

/// The memory of a block.
template <class Shape>
struct SmallTreeMemory {
  static constexpr u32 capacity = Shape::capacity, width = copse::detail::forest_width;

  /// From the choice of slots on.
  struct Collapse {
    PairLinks links[capacity];
    PairChoice<width> choices[capacity];
    union {
      SlotsWindow<width, capacity, Shape::threads> window;
      WritingTree<capacity, Shape::threads> writing;
    };
  };

  u32 parents[capacity];
  u32 ids[capacity];
  u8 deltas[capacity];
  BvhCounts counts;
  u32 valid_count, tree;
  u64 parts;
  union {
    OrderedBoxes<capacity> order;  // these three have the boxes in the same place
    ClusterMemory<capacity, Shape::warps> clusters;
    MeetingChildren<capacity> meetings;
    Collapse collapse;
  };
};

}  // namespace detail

}  // namespace copse::cuda
