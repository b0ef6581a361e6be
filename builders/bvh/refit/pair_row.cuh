#pragma once

// Thirty-two neighbouring pairs of siblings of a tree, one a lane, and which of them have all that is below them
// in the row.
//
// In an LBVH pair s are the children of the node that splits behind leaf s, so that the pairs below a node stand
// side by side: from those at the end of its chain of left children to those at the end of its chain of right
// ones. Other builders keep to it as long as they join neighbours. A row relies on nothing: it follows both chains
// from every pair, and checks that those of the children meet at their parent. Where they do for every pair
// between two ends, no others are below, and the box of all is that around the leaves of these pairs.

#include "builders/bvh/node.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// What the nodes of a pair refer to, the left one's first.
struct alignas(16) SiblingLinks {
  u32 left_first, left_count, right_first, right_count;

  __device__ u32 first(u32 side) const { return side == 0 ? left_first : right_first; }
  __device__ u32 count(u32 side) const { return side == 0 ? left_count : right_count; }
  __device__ bool is_leaf(u32 side) const { return count(side) > 0; }
};
static_assert(sizeof(SiblingLinks) == 16 && sizeof(BvhNode) == 32);

/// Loads the links of `count` pairs; all lanes of a warp. Neighbouring lanes read neighbouring words, where each
/// reading its own pair would touch four times as many lines of the cache.
///   words: 32 in shared memory, the warp's own
__device__ inline SiblingLinks load_links(const BvhNode* nodes, u32 first_pair, u32 count, SiblingLinks* words) {
  // The last words of each 16 bytes: first and count of the left node, first and count of the right one.
  const u32* const from = reinterpret_cast<const u32*>(nodes + 2 * u64{first_pair} + 1) + 3;
  u32* const to = reinterpret_cast<u32*>(words);
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    const u32 i = k * warp_size + lane_id();
    to[i] = i < 4 * count ? from[4 * i] : 0;
  }
  __syncwarp();
  return words[lane_id()];
}

/// The pairs below a lane's pair, and itself: those of the lanes `first` to `last`, if all are in the row.
struct PairsBelow {
  u32 first, last;
  bool are_here;

  /// For the lowest `count` lanes; all lanes of a warp.
  __device__ PairsBelow(const SiblingLinks& links, u32 first_pair, u32 count) {
    const u32 lane = lane_id();
    const bool is_pair = lane < count;
    const u32 left = is_pair ? child(links, 0, first_pair, count) : elsewhere;
    const u32 right = is_pair ? child(links, 1, first_pair, count) : elsewhere;
    first = end_of_chain(left);
    last = end_of_chain(right);
    const u32 left_last = __shfl_sync(all_lanes, last, int(left)),
              right_first = __shfl_sync(all_lanes, first, int(right));
    const bool left_meets = left == lane || (first <= left && left < lane && left_last + 1 == lane);
    const bool right_meets = right == lane || (lane < right && right <= last && right_first == lane + 1);
    const bool meets = first <= lane && lane <= last && last < warp_size && left_meets && right_meets;
    const u32 meeting = __ballot_sync(all_lanes, meets);
    are_here = meets && (~meeting & lanes_between()) == 0;
  }
  __device__ u32 size() const { return last - first + 1; }

 private:
  static constexpr u32 elsewhere = warp_size;

  /// The lane of a child's pair; the own lane for a leaf.
  __device__ static u32 child(const SiblingLinks& links, u32 side, u32 first_pair, u32 count) {
    if (links.is_leaf(side)) return lane_id();
    const u32 lane = sibling_pair(links.first(side)) - first_pair;
    return lane < count ? lane : elsewhere;
  }
  /// Follows `next` from lane to lane, to one that leads to itself.
  __device__ static u32 end_of_chain(u32 next) {
#pragma unroll
    for (u32 k = 0; k < 5; ++k) {
      const u32 after_next = __shfl_sync(all_lanes, next, int(next));
      if (next != elsewhere) next = after_next;
    }
    return next;
  }
  __device__ u32 lanes_between() const {
    return (2u << last) - (1u << first);
  }
};

}  // namespace copse::cuda::detail
