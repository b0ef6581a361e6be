#pragma once

// Neighbouring pairs of siblings of a tree, one a thread of a block, in shared memory: which of them have all that
// is below them among these pairs, and the boxes around it. What is known of the rows of the warps grows by
// rounds: in each, pairs follow whose children were known before.

#include "builders/bvh/refit/pair_row.cuh"
#include "builders/geometry/aabb.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

template <u32 threads>
class PairWindow {
 public:
  /// Loads the pairs of a warp's row; all lanes. Returns the lane's own.
  __device__ SiblingLinks load(const BvhNode* nodes, const u32* parents, u32 first_of_row, u32 row_count) {
    parents_[threadIdx.x] = lane_id() < row_count ? parents[first_of_row + lane_id()] : 0;
    return load_links(nodes, first_of_row, row_count, links_ + row_begin());
  }
  __device__ u32 parent(u32 i) const { return parents_[i]; }

  /// Calls fit(node, first, count) for each leaf of the row, a leaf a lane, and returns the box around those of
  /// the lane's pair; all lanes. A leaf each, however they are spread over pairs and sides: gathers pay for the
  /// lines that they touch, and neighbouring leaves share them.
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

  /// Fits the parents of further pairs, from the thread's pair, of whose leaves or of all below which `box` is the
  /// box; all threads of the block. Returns whether the own one is fitted then.
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
  /// The pair of a child's children, counted from the window's first; the thread's own for a leaf.
  __device__ static u32 child(const SiblingLinks& links, u32 side, u32 first_pair) {
    return links.is_leaf(side) ? threadIdx.x : sibling_pair(links.first(side)) - first_pair;
  }
  __device__ bool is_known(u32 child) const {
    return child == threadIdx.x || (child < threads && fitted_[child] != 0);
  }

  __device__ static u32 row_begin() { return threadIdx.x - lane_id(); }

  /// Rows have room for two boxes a pair, of which those of pairs take the first half.
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
