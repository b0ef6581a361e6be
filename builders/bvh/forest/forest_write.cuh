#pragma once

// The wide nodes of a forest on CUDA. Four lanes write a node, one per slot, in shared memory, and store it as
// four words of 16 bytes.

#include "builders/bvh/forest/forest_collapse.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 forest_write_threads = 256;

__global__ static void __launch_bounds__(forest_write_threads)
    write_forest_nodes_kernel(const copse::detail::WriteForestNode write) {
  constexpr u32 width = copse::detail::forest_width;
  // Nodes are a word apart, so that lanes with neighbouring nodes write to different banks.
  constexpr u32 words = sizeof(CompressedBvh4Node) / sizeof(uint4), words_apart = words + 1;
  static_assert(words == width);
  __shared__ uint4 made[forest_write_threads / width * words_apart];
  overlap_launches();
  const u64 i = (u64{blockIdx.x} * forest_write_threads + threadIdx.x) / width;
  const u32 slot = threadIdx.x % width;
  uint4* const own = made + threadIdx.x / width * words_apart;
  const bool is_there = i < write.build.shape.primitive_count && write.has_node(i);
  if (is_there) write.write_slot(i, slot, *reinterpret_cast<CompressedBvh4Node*>(own));
  __syncwarp();
  if (is_there) reinterpret_cast<uint4*>(write.out.nodes + i)[slot] = own[slot];
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline void write_forest_nodes(const Executor& ex, const copse::detail::WriteForestNode& write) {
  constexpr u32 nodes = detail::forest_write_threads / copse::detail::forest_width;
  launch(ex, "forest: write nodes", detail::write_forest_nodes_kernel,
         {.blocks = divide_rounding_up(u64{write.build.shape.primitive_count}, u64{nodes}),
          .threads = detail::forest_write_threads,
          .overlaps_earlier_launch = true},
         write);
}

}  // namespace copse::cuda
