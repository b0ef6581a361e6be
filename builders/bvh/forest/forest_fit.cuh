#pragma once

// New boxes of a forest on CUDA. A block fits a tree of at most 1024 wide nodes in shared memory, by walks up from
// the lowest nodes, each by four lanes: a lane has a child of the node. Larger trees are fitted by walks in global memory.

#include "builders/bvh/forest/forest_refit.h"
#include "builders/bvh/wide_bvh.h"
#include "primitives/bottom_up.h"
#include "primitives/core/words.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::load_whole;

inline constexpr u32 max_fit_nodes = 1024, max_fit_threads = 256;

/// The shared memory of a block that fits a tree.
struct FitMemory {
  static constexpr u32 width = copse::detail::forest_width, words_apart = width + 1;

  static u32 bytes(u32 capacity, u32 threads) {
    return threads / width * words_apart * u32(sizeof(uint4)) +
           capacity * u32(sizeof(Aabb) + sizeof(u32) + sizeof(u16));
  }

  uint4* made;   // [walk][words_apart]: its node
  Aabb* exact;   // [node]
  u32* missing;  // [node]: inner children that are not fitted yet
  u16* lowest;   // the nodes without inner children, in any order

  __device__ FitMemory(void* memory, u32 capacity, u32 threads)
      : made(static_cast<uint4*>(memory)),
        exact(reinterpret_cast<Aabb*>(made + threads / width * words_apart)),
        missing(reinterpret_cast<u32*>(exact + capacity)),
        lowest(reinterpret_cast<u16*>(missing + capacity)) {}
};

/// Returns the box around those of four lanes.
__device__ inline Aabb box_of_four_lanes(Aabb box) {
#pragma unroll
  for (u32 distance = 1; distance < FitMemory::width; distance *= 2) {
    box = merge(box, shuffle_from(box, lane_id() ^ distance));
  }
  return box;
}

/// Fits a node to its children by four lanes, if `is_there`. All lanes of a warp call it.
///   made: shared memory of the four lanes
__device__ inline void fit_by_lanes(const copse::detail::FitForestNode& fit, bool is_there, u32 begin, u32 node,
                                    uint4* made, Aabb* exact) {
  const u32 slot = lane_id() % FitMemory::width;
  uint4* const place = reinterpret_cast<uint4*>(fit.trees.nodes + begin + node);
  if (is_there) made[slot] = place[slot];
  __syncwarp();
  CompressedBvh4Node& fitted = *reinterpret_cast<CompressedBvh4Node*>(made);
  const Aabb box = is_there ? fit.child_box(fitted.child(slot), begin, exact) : Aabb::empty();
  const Aabb all = box_of_four_lanes(box);
  const copse::detail::NodeGrid grid(all);
  encode_box(fitted, slot, grid, box);
  if (slot == 0) encode_grid(fitted, grid);
  __syncwarp();
  if (!is_there) return;
  place[slot] = made[slot];
  if (slot == 0) exact[node] = all;
}

///   first:    block k fits tree first + k
///   capacity: nodes that the shared memory has room for; blocks of larger trees do nothing
__global__ static void __launch_bounds__(max_fit_threads)
    fit_trees_kernel(const copse::detail::FitForestNode fit, u32 first, const u32* moved, u32 capacity) {
  extern __shared__ uint4 fit_memory[];
  __shared__ u32 lowest_count;
  const FitMemory memory(fit_memory, capacity, blockDim.x);
  overlap_launches();
  const u32 tree = first + blockIdx.x, begin = fit.shape.begins[tree], count = fit.trees.counts[tree].node_count;
  if (count > capacity || (moved != nullptr && moved[tree] == 0)) return;
  if (threadIdx.x == 0) lowest_count = 0;
  __syncthreads();
  for (u32 node = threadIdx.x; node < count; node += blockDim.x) {
    memory.missing[node] = copse::detail::inner_child_count(load_whole(fit.trees.nodes + begin + node));
    if (memory.missing[node] == 0) memory.lowest[atomicAdd(&lowest_count, 1u)] = u16(node);
  }
  __syncthreads();

  constexpr u32 width = FitMemory::width;
  const u32 start_count = lowest_count;
  const u32 walk = threadIdx.x / width, lead = lane_id() / width * width;
  u32 node = 0;
  bool is_going = false;
  for (u32 next = walk; __any_sync(all_lanes, is_going || next < start_count);) {
    if (!is_going && next < start_count) {
      node = memory.lowest[next];
      next += blockDim.x / width;
      is_going = true;
    }
    fit_by_lanes(fit, is_going, begin, node, memory.made + walk * FitMemory::words_apart, memory.exact);

    // The last child to arrive goes on, and sees the boxes of the others.
    u32 parent = invalid_id;
    if (is_going && lane_id() == lead) {
      parent = fit.trees.parents[begin + node];
      __threadfence_block();
      if (parent != invalid_id && atomicSub(&memory.missing[parent], 1u) > 1) parent = invalid_id;
      __threadfence_block();
    }
    node = shuffle_from(parent, lead);
    is_going = node != invalid_id;
  }
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline void fit_forest_nodes(const Executor& ex, const copse::detail::FitForestNode& fit, const u32* moved) {
  fit.shape.for_each_class([&](u32 first, u32 end, u32 max_tree_size) {
    const u32 capacity = u32(smaller(wide_node_capacity(max_tree_size), u64{detail::max_fit_nodes}));
    const u32 threads = capacity <= 64 ? 32 : capacity <= 256 ? 128 : detail::max_fit_threads;
    launch(ex, "forest: refit", detail::fit_trees_kernel,
           {.blocks = end - first,
            .threads = threads,
            .shared_bytes = detail::FitMemory::bytes(capacity, threads),
            .overlaps_earlier_launch = true},
           fit, first, moved, capacity);
  });
  if (wide_node_capacity(fit.shape.max_tree_size) <= detail::max_fit_nodes) return;
  const copse::detail::ForestShape large = fit.shape.large();
  bottom_up(ex, "forest: refit large trees", large.primitive_count, large.primitive_count,
            copse::detail::ForestFamilies{large, fit.trees},
            copse::detail::FitLowestForestNode{fit, moved, detail::max_fit_nodes}, fit);
}

}  // namespace copse::cuda
