#pragma once

// A window of neighbouring sibling pairs of a tree, one per thread of a block, in shared memory. It finds the
// pairs whose whole subtrees lie in the window, and computes the boxes of these subtrees.
//
// A warp has a row of 32 pairs, one per lane. In an LBVH, pair s are the children of the node that splits after
// leaf s. So the pairs below a node stand side by side: from the end of its chain of left children to the end of
// its chain of right children. Other builders keep this order as long as they merge neighbours. A row does not
// rely on it: it follows both chains from every pair, and checks that the chains of the children meet at their
// parent. If they do for every pair between two ends, these pairs are the whole subtree, and its box is the union
// of the boxes of their leaves.
//
// The block then fits further pairs in rounds: a round adds the pairs whose children were fitted before it.

#include "builders/bvh/node.h"
#include "builders/geometry/aabb.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// The links of the nodes of a pair, those of the left node first.
struct alignas(16) SiblingLinks {
  u32 left_first, left_count, right_first, right_count;

  __device__ u32 first(u32 side) const { return side == 0 ? left_first : right_first; }
  __device__ u32 count(u32 side) const { return side == 0 ? left_count : right_count; }
  __device__ bool is_leaf(u32 side) const { return count(side) > 0; }
};
static_assert(sizeof(SiblingLinks) == 16 && sizeof(BvhNode) == 32);

/// Loads the links of `count` pairs; all lanes of a warp. Neighbouring lanes read neighbouring words. If each lane
/// read its own pair, the loads would touch four times as many cache lines.
///   words: 32 in shared memory, for this warp alone
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

/// The subtree of a lane's pair: the pairs of the lanes `first` to `last`, if all of them are in the row.
struct PairsBelow {
  u32 first, last;
  bool are_here;

  /// Finds them for the lowest `count` lanes; all lanes of a warp.
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

  /// Returns the lane of a child's pair; the lane itself for a leaf.
  __device__ static u32 child(const SiblingLinks& links, u32 side, u32 first_pair, u32 count) {
    if (links.is_leaf(side)) return lane_id();
    const u32 lane = sibling_pair(links.first(side)) - first_pair;
    return lane < count ? lane : elsewhere;
  }
  /// Follows the links `next` from lane to lane. Returns the lane that links to itself.
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

template <u32 threads>
class PairWindow {
 public:
  /// Loads the pairs of a warp's row; all lanes. Returns the links of the lane's pair.
  __device__ SiblingLinks load(const BvhNode* nodes, const u32* parents, u32 first_of_row, u32 row_count) {
    parents_[threadIdx.x] = lane_id() < row_count ? parents[first_of_row + lane_id()] : 0;
    return load_links(nodes, first_of_row, row_count, links_ + row_begin());
  }
  __device__ u32 parent(u32 i) const { return parents_[i]; }

  /// Calls fit(node, first, count) for each leaf of the row, one leaf per lane, and returns the box around the
  /// leaves of the lane's pair; all lanes. Lane k takes the k-th leaf, whichever pair and side it is on: the time
  /// of a gather depends on the cache lines that it touches, and neighbouring leaves share lines.
  template <class Fit>
  __device__ Aabb fit_leaves(const SiblingLinks& links, u32 first_of_row, const Fit& fit) {
    const u32 left = __ballot_sync(all_lanes, links.is_leaf(0)),
              right = __ballot_sync(all_lanes, links.is_leaf(1));
    const u32 before = u32(__popc(left & lower_lanes()) + __popc(right & lower_lanes()));
    const u32 behind_left = before + u32(links.is_leaf(0)), end = behind_left + u32(links.is_leaf(1));
    u8* const leaves = leaves_ + 2 * row_begin();
    if (links.is_leaf(0)) leaves[before] = u8(2 * lane_id());
    if (links.is_leaf(1)) leaves[behind_left] = u8(2 * lane_id() + 1);
    __syncwarp();
    const u32 leaf_count = u32(__popc(left) + __popc(right));
    for (u32 k = lane_id(); k < leaf_count; k += warp_size) {
      const u32 leaf = leaves[k];
      const SiblingLinks& of_leaf = links_[row_begin() + leaf / 2];
      put_at(2 * row_begin() + k,
             fit(2 * first_of_row + 1 + leaf, of_leaf.first(leaf % 2), of_leaf.count(leaf % 2)));
    }
    __syncwarp();
    Aabb box = Aabb::empty();
    for (u32 k = before; k < end; ++k) box = merge(box, box_at(2 * row_begin() + k));
    __syncwarp();
    return box;
  }

  /// Fits the parents of further pairs; all threads of the block. Returns whether the parent of the thread's pair
  /// is fitted then.
  ///   box: of everything below the pair, if its parent is `fitted` already; else of the pair's leaves
  __device__ bool join(BvhNode* nodes, const SiblingLinks& links, u32 first_pair, bool fitted, Aabb box) {
    const u32 i = threadIdx.x, left = child(links, 0, first_pair), right = child(links, 1, first_pair);
    __syncwarp();
    put_at(place(i), box);
    fitted_[i] = fitted ? 1 : 0;
    __syncthreads();
    for (;;) {
      const bool follows = !fitted && is_known(left) && is_known(right);
      if (__syncthreads_or(follows) == 0) return fitted;
      if (follows) {
        fitted = true;
        if (left != i) box = merge(box, box_at(place(left)));
        if (right != i) box = merge(box, box_at(place(right)));
        put_at(place(i), box);
        fitted_[i] = 1;
        nodes[parents_[i]] = BvhNode::inner(box, 2 * (first_pair + i) + 1);
      }
      __syncthreads();
    }
  }

  /// After join().
  __device__ bool is_fitted(u32 i) const { return fitted_[i] != 0; }

 private:
  /// Returns the pair of a child's children, counted from the first of the window; the thread's own for a leaf.
  __device__ static u32 child(const SiblingLinks& links, u32 side, u32 first_pair) {
    return links.is_leaf(side) ? threadIdx.x : sibling_pair(links.first(side)) - first_pair;
  }
  __device__ bool is_known(u32 child) const {
    return child == threadIdx.x || (child < threads && fitted_[child] != 0);
  }

  __device__ static u32 row_begin() { return threadIdx.x - lane_id(); }

  /// A row has room for two boxes per pair; the boxes of its pairs take the first half.
  __device__ static u32 place(u32 i) { return 2 * i - i % warp_size; }
  __device__ void put_at(u32 at, const Aabb& box) {
    lo_[at] = box.lo;
    hi_[at] = box.hi;
  }
  __device__ Aabb box_at(u32 at) const { return {lo_[at], hi_[at]}; }

  SiblingLinks links_[threads];
  vec3 lo_[2 * threads], hi_[2 * threads];
  u32 parents_[threads];
  u8 fitted_[threads];
  u8 leaves_[2 * threads];
};

}  // namespace copse::cuda::detail
