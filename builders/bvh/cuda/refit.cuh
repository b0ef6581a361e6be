#pragma once

// The boxes of a tree on CUDA. Contract: builders/bvh/refit.inl.
//
// A warp fits a row of pairs of siblings, and at once all nodes whose leaves are in the row (pair_row.cuh). The
// rest is fitted by walks from there up: the second child to arrive at a parent goes on with it. How much the rows
// fit depends on the order of the nodes, the boxes do not. Measured by copse bench.

#include "builders/bvh/bvh_arrays.h"
#include "builders/bvh/cuda/lane_boxes.cuh"
#include "builders/bvh/cuda/pair_row.cuh"
#include "builders/bvh/leaf_box.h"
#include "primitives/cuda/tree_walk.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::BvhArrays;

inline constexpr u32 fit_threads = 128;

/// Gives an inner node the box around its children. Only the box: another thread may be reading the count.
struct FitInnerNode {
  BvhNode* nodes;
  __device__ void operator()(u32 node, u32 pair) const {
    const u32 first_child = SiblingPairs::first_of(pair);
    const Aabb box = merge(nodes[first_child].box(), nodes[first_child + 1].box());
    nodes[node].lo = box.lo;
    nodes[node].hi = box.hi;
  }
};

template <class Boxes>
__device__ Aabb fit_leaf(const Boxes& boxes, const BvhArrays& bvh, u32 node, u32 first, u32 count) {
  const Aabb box = copse::detail::box_of_slots(boxes, bvh.primitive_ids, first, count);
  bvh.nodes[node] = BvhNode::leaf(box, first, count);
  return box;
}

template <class Boxes>
__global__ void __launch_bounds__(fit_threads)
    fit_rows_kernel(const Boxes boxes, const BvhArrays bvh, u32* arrivals) {
  __shared__ SiblingLinks words[fit_threads];
  overlap_launches();
  const u32 node_count = bvh.counts->node_count, thread = blockIdx.x * fit_threads + threadIdx.x;
  if (node_count == 1 && thread == 0) fit_leaf(boxes, bvh, 0, bvh.nodes[0].first, bvh.nodes[0].count);
  const u32 pair = thread, first_pair = pair - lane_id();
  if (first_pair >= node_count / 2) return;
  const u32 count = smaller(node_count / 2 - first_pair, warp_size);
  const bool is_pair = lane_id() < count;

  // Fit the leaves of the row.
  const SiblingLinks links = load_links(bvh.nodes, first_pair, count, words + threadIdx.x - lane_id());
  const u32 parent = is_pair ? bvh.parents[pair] : 0;
  Aabb leaves = Aabb::empty();
#pragma unroll
  for (u32 side = 0; side < 2; ++side) {
    if (!is_pair || !links.is_leaf(side)) continue;
    const u32 node = SiblingPairs::first_of(pair) + side;
    leaves = merge(leaves, fit_leaf(boxes, bvh, node, links.first(side), links.count(side)));
  }

  // Fit the parents of pairs that have all below them in the row.
  const PairsBelow below(links, first_pair, count);
  const u32 fitted = __ballot_sync(all_lanes, below.are_here);
  const Aabb box = box_of_lanes(leaves, below.last, below.are_here ? below.size() : 0);
  if (below.are_here) bvh.nodes[parent] = BvhNode::inner(box, SiblingPairs::first_of(pair));

  // Walk up from nodes whose pair is not among them. A pair of two leaves always is.
  const u32 parent_lane = sibling_pair(parent) - first_pair;
  const bool row_goes_on = parent != 0 && parent_lane < warp_size && (fitted >> parent_lane & 1) != 0;
  u32 start = 0;
  if (below.are_here) {
    start = row_goes_on ? 0 : parent;
  } else if (links.is_leaf(0) || links.is_leaf(1)) {
    start = SiblingPairs::first_of(pair) + u32(!links.is_leaf(0));
  }
  if (start != 0) walk_up(SiblingPairs{bvh.parents}, start, arrivals, FitInnerNode{bvh.nodes});
}

}  // namespace detail

/// Contract: builders/bvh/refit.inl.
template <class Boxes>
void fit_boxes(const Executor& ex, const Boxes& boxes, u64 n, const copse::detail::BvhArrays& bvh) {
  if (n == 0) return;
  const u64 pairs = pair_capacity(n);
  with_zeroed_words(ex, "refit: boxes", pairs, [&](u32* arrivals) {
    launch(ex, "refit: boxes", detail::fit_rows_kernel<Boxes>,
           {.blocks = larger(u64{1}, divide_rounding_up(pairs, detail::fit_threads)),
            .threads = detail::fit_threads,
            .overlaps_earlier_launch = true},
           boxes, bvh, arrivals);
  });
}

inline u64 fit_boxes_scratch_bytes(const Executor& ex, u64 n) {
  return zeroed_words_scratch_bytes(ex, pair_capacity(n));
}

}  // namespace copse::cuda
