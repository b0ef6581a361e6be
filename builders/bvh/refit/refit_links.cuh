#pragma once

// The boxes of a tree by the links between its nodes, in any order, on CUDA.
//
// A warp fits a row of sibling pairs, and all nodes whose leaves are in the row. A block then fits the nodes over
// several of its rows in shared memory (pair_window.cuh). A second launch fits the nodes that reach beyond a
// block, by walks in global memory. It is a launch of its own because the fences of walks would empty the caches
// from which the first launch reads triangles. How much each step fits depends on the order of the nodes; the
// boxes do not. Measured by copse bench.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/build/join_subtrees.cuh"
#include "builders/bvh/refit/pair_window.cuh"
#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/tree_walk.h"

namespace copse::cuda::detail {

using copse::detail::BvhArrays;

inline constexpr u32 fit_threads = 256;
inline constexpr u32 fit_blocks = 6;  // on a multiprocessor
inline constexpr u32 fit_climb_threads = 128;

/// The starts of the walks above the windows.
struct FitStarts {
  u32* nodes;     // [pair]: where walks start, at most one per pair; those of a window from its first pair on
  u32* counts;    // [window]
  u32* arrivals;  // [pair]: 0 for pairs that no window fitted; walks read no others

  /// Adds the starts of all threads of a block; 0 is none.
  __device__ void add(u32 start) const {
    __shared__ u32 count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const u32 starting = __ballot_sync(all_lanes, start != 0);
    u32 first = 0;
    if (lane_id() == 0 && starting != 0) first = atomicAdd(&count, u32(__popc(starting)));
    first = shuffle_from(first, 0) + u32(__popc(starting & lower_lanes()));
    if (start != 0) nodes[blockIdx.x * fit_threads + first] = start;
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
  }
};

template <class Boxes>
struct FitLeaf {
  Boxes boxes;
  BvhArrays bvh;
  __device__ Aabb operator()(u32 node, u32 first, u32 count) const {
    const Aabb box = copse::detail::box_of_slots(boxes, bvh.primitive_ids, first, count);
    bvh.nodes[node] = BvhNode::leaf(box, first, count);
    return box;
  }
};

template <class Fit>
__global__ void __launch_bounds__(fit_threads, fit_blocks)
    fit_windows_kernel(const Fit fit_leaf, const BvhArrays bvh, const FitStarts starts, const u32* is_wanted) {
  __shared__ PairWindow<fit_threads> window;
  overlap_launches();
  if (is_wanted != nullptr && *is_wanted == 0) return;
  const u32 node_count = bvh.counts->node_count, pair_count = node_count / 2;
  const u32 first_pair = blockIdx.x * fit_threads, pair = first_pair + threadIdx.x;
  if (node_count == 1 && pair == 0) fit_leaf(0, bvh.nodes[0].first, bvh.nodes[0].count);
  const u32 first_of_row = pair - lane_id();
  const u32 row_count = first_of_row < pair_count ? smaller(pair_count - first_of_row, warp_size) : 0;

  // Fit the leaves of the row, and the parents of pairs that have all below them in the row.
  const SiblingLinks links = window.load(bvh.nodes, bvh.parents, first_of_row, row_count);
  const u32 parent = window.parent(threadIdx.x);
  Aabb box = window.fit_leaves(links, first_of_row, fit_leaf);
  const PairsBelow below(links, first_of_row, row_count);
  const Aabb box_below = box_of_lanes(box, below.last, below.are_here ? below.size() : 0);
  if (below.are_here) {
    box = box_below;
    bvh.nodes[parent] = BvhNode::inner(box, SiblingPairs::first_of(pair));
  }

  // Fit the parents over several rows.
  const bool is_fitted = window.join(bvh.nodes, links, first_pair, below.are_here, box);

  // List the fitted nodes, leaves too, whose parents are not fitted. The parent of two leaves always is.
  u32 start = 0;
  if (is_fitted) {
    const u32 above = sibling_pair(parent) - first_pair;
    start = above < fit_threads && window.is_fitted(above) ? 0 : parent;
  } else if (links.is_leaf(0) || links.is_leaf(1)) {
    start = SiblingPairs::first_of(pair) + u32(!links.is_leaf(0));
  }
  if (pair < pair_count && !is_fitted) starts.arrivals[pair] = 0;
  starts.add(start);
}

// Two children meet at their parent, and the second to arrive goes on with it. A child first reads whether the
// other one has arrived, and announces its own arrival only if it has not. So the longest path, on which each
// child arrives second, never waits for its own writes.

/// Returns whether the sibling arrived before. If so, its writes are visible, and the arrival is 0 again.
///   arrival: 0 before the first of both arrives
__device__ inline bool sibling_was_here(u32* arrival) {
  if (load_acquire(arrival) == 0) return false;
  store_relaxed(arrival, 0u);
  return true;
}

/// Leaves the parent to the sibling, which will see all writes up to here. Returns false if the sibling has
/// arrived meanwhile; then as sibling_was_here().
__device__ inline bool leave_to_sibling(u32* arrival) {
  return fetch_increment_wrapping_acq_rel(arrival, 1u) == 0;
}

/// Walks up from a fitted node, as long as it arrives second.
__device__ inline void climb_with_box(const BvhArrays& bvh, u32 node, u32* arrivals) {
  Aabb box = bvh.nodes[node].box();
  while (node != 0) {
    const u32 pair = sibling_pair(node), parent = bvh.parents[pair];
    if (!sibling_was_here(&arrivals[pair]) && leave_to_sibling(&arrivals[pair])) return;
    box = merge(box, bvh.nodes[sibling(node)].box());
    bvh.nodes[parent] = BvhNode::inner(box, SiblingPairs::first_of(pair));
    node = parent;
  }
}

/// Walks up; a warp takes the starts of one window.
__global__ static void __launch_bounds__(fit_climb_threads)
    fit_by_climbing_kernel(const BvhArrays bvh, const FitStarts starts, u64 window_count, const u32* is_wanted) {
  overlap_launches();
  if (is_wanted != nullptr && *is_wanted == 0) return;
  const u64 window = (u64(blockIdx.x) * fit_climb_threads + threadIdx.x) / warp_size;
  if (window >= window_count) return;
  const u32 count = starts.counts[window];
  for (u32 k = lane_id(); k < count; k += warp_size) {
    climb_with_box(bvh, starts.nodes[window * fit_threads + k], starts.arrivals);
  }
}

inline u64 fit_window_count(u64 n) {
  return larger(u64{1}, divide_rounding_up(pair_capacity(n), fit_threads));
}

/// Fits the inner nodes of a tree of at most `n` leaves.
///   fit_leaf: Aabb operator()(u32 node, u32 first, u32 count) const, device: returns a leaf's box; may store it
///   is_wanted: null, or a word in the memory of the executor; if that is 0, nothing changes
template <class Fit>
void fit_by_links(const Executor& ex, const Fit& fit_leaf, u64 n, const BvhArrays& bvh,
                  const u32* is_wanted = nullptr) {
  const u64 windows = fit_window_count(n);
  ScratchArena::Frame frame(ex.scratch);
  const FitStarts starts{frame.allocate<u32>(windows * fit_threads), frame.allocate<u32>(windows),
                         frame.allocate<u32>(pair_capacity(n))};
  launch(ex, "refit: boxes", fit_windows_kernel<Fit>,
         {.blocks = windows, .threads = fit_threads, .overlaps_earlier_launch = true}, fit_leaf, bvh, starts,
         is_wanted);
  launch(ex, "refit: upper boxes", fit_by_climbing_kernel,
         {.blocks = divide_rounding_up(windows * warp_size, fit_climb_threads),
          .threads = fit_climb_threads,
          .overlaps_earlier_launch = true},
         bvh, starts, windows, is_wanted);
}

inline u64 fit_by_links_scratch_bytes(u64 n) {
  const u64 windows = fit_window_count(n);
  return ScratchArena::bytes_for<u32>(windows * fit_threads) + ScratchArena::bytes_for<u32>(windows) +
         ScratchArena::bytes_for<u32>(pair_capacity(n));
}

}  // namespace copse::cuda::detail
