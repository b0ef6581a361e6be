#pragma once

// Forests of small trees on CUDA: blocks take the trees by tickets, and build each as a whole.

#include "builders/bvh/forest/tree_by_block.cuh"
#include "primitives/cuda/persistent.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::ForestArrays;
using copse::detail::ForestOptions;
using copse::detail::ForestShape;

/// Packs the primitives in the order of the leaves.
template <u32 threads, class Primitives>
__device__ void pack_places(const Primitives& primitives, const u32* ids, u32 count) {
#pragma unroll 2
  for (u32 place = threadIdx.x; place < count; place += threads) {
    primitives.store(primitives.pack(ids[place]), place);
  }
}

/// Writes the root that all trees without primitives share.
__device__ inline void write_shared_root(const ForestArrays& out, u32 primitive_count) {
  const BvhCounts counts{0, 0, 0, 0};
  const u64 parts = 1;
  WideBvhCounts unused;
  const copse::detail::WriteCounts<CompressedBvh4Node> write{
      nullptr, nullptr, &counts,
      &parts,  0,       {out.nodes + primitive_count, out.parents + primitive_count, nullptr, &unused}};
  write(0, 1);
}

///   nodes: room for two per primitive that the blocks have room for
template <class Shape, ForestBuilder builder, class Primitives>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    build_small_trees_kernel(const ForestShape shape, const Primitives primitives, const CollapseCosts costs,
                             BvhNode* nodes, const ForestArrays out, GridCounters* counters) {
  extern __shared__ uint4 small_tree_memory[];
  auto& memory = *reinterpret_cast<SmallTreeMemory<Shape>*>(small_tree_memory);
  overlap_launches();
  SmallTreeBuilder<Shape> tree_builder(memory, nodes + 2 * u64{blockIdx.x} * Shape::capacity);
  if (blockIdx.x == 0 && threadIdx.x == 0) write_shared_root(out, shape.primitive_count);
  for (;;) {
    if (threadIdx.x == 0) memory.tree = atomicAdd(reinterpret_cast<u32*>(&counters->ticket), 1u);
    __syncthreads();
    const u32 tree = memory.tree;
    if (tree >= shape.tree_count) break;
    const u32 begin = shape.begins[tree], n = shape.size(tree);
    if (n == 0) {
      if (threadIdx.x == 0) out.counts[tree] = {0, 0, 0};
    } else {
      const auto of_tree = primitives.of_tree(tree, begin);
      const u32 valid = tree_builder.template build<builder>(
          of_tree, n, costs,
          {out.nodes + begin, out.parents + begin, out.primitive_ids + begin, out.counts + tree});
      if constexpr (Primitives::are_packed) {
        __syncthreads();
        pack_places<Shape::threads>(of_tree, out.primitive_ids + begin, valid);
      }
    }
    __syncthreads();
  }
  leave_grid(counters);
}

/// Calls run.operator()<Shape, builder>() with the shape for the largest tree of a forest.
template <class Run>
auto with_small_tree_builder(const ForestShape& shape, const ForestOptions& options, const Run& run) {
  const auto with_shape = [&]<class Shape>() {
    if (options.builder == ForestBuilder::lbvh) return run.template operator()<Shape, ForestBuilder::lbvh>();
    return run.template operator()<Shape, ForestBuilder::hploc>();
  };
  if (shape.max_tree_size <= 64) return with_shape.template operator()<SmallTreeShape<64, 1>>();
  if (shape.max_tree_size <= 256) return with_shape.template operator()<SmallTreeShape<256, 2>>();
  if (shape.max_tree_size <= 512) return with_shape.template operator()<SmallTreeShape<512, 4>>();
  return with_shape.template operator()<SmallTreeShape<max_small_tree, 8>>();
}

/// Returns how many blocks build the trees at once, or 0 if their memory does not fit the GPU.
template <class Shape, ForestBuilder builder, class Primitives>
u64 small_tree_blocks(const Executor& ex, u32 tree_count) {
  constexpr u32 bytes = sizeof(SmallTreeMemory<Shape>);
  if (bytes + static_shared_bytes > ex.max_shared_bytes) return 0;
  const auto kernel = build_small_trees_kernel<Shape, builder, Primitives>;
  return smaller(resident_blocks(ex, "forest: small trees", kernel, Shape::threads, bytes),
                 u64{larger(tree_count, 1u)});
}

inline bool are_small_trees(const ForestShape& shape, const ForestOptions& options) {
  return options.reinsertion.passes == 0 && shape.max_tree_size <= max_small_tree;
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
template <class Primitives>
u64 small_trees_scratch_bytes(const Executor& ex, const copse::detail::ForestShape& shape,
                              const copse::detail::ForestOptions& options) {
  if (!detail::are_small_trees(shape, options)) return 0;
  return detail::with_small_tree_builder(
      shape, options, [&]<class Shape, auto builder>() {
        const u64 blocks = detail::small_tree_blocks<Shape, builder, Primitives>(ex, shape.tree_count);
        return blocks == 0 ? 0 : ScratchArena::bytes_for<BvhNode>(blocks * 2 * Shape::capacity);
      });
}

/// Contract: builders/bvh/forest/forest.inl.
template <class Primitives>
bool build_small_trees(const Executor& ex, const copse::detail::ForestShape& shape,
                       const copse::detail::ForestOptions& options, const Primitives& primitives,
                       u32 max_leaf_size, const copse::detail::ForestArrays& out) {
  if (!detail::are_small_trees(shape, options)) return false;
  return detail::with_small_tree_builder(
      shape, options, [&]<class Shape, auto builder>() {
        const u64 blocks = detail::small_tree_blocks<Shape, builder, Primitives>(ex, shape.tree_count);
        if (blocks == 0) return false;
        ScratchArena::Frame frame(ex.scratch);
        auto* const nodes = frame.allocate<BvhNode>(blocks * 2 * Shape::capacity);
        with_grid_counters(ex, [&](GridCounters* counters) {
          launch(ex, "forest: small trees", detail::build_small_trees_kernel<Shape, builder, Primitives>,
                 {.blocks = blocks,
                  .threads = Shape::threads,
                  .shared_bytes = u32(sizeof(detail::SmallTreeMemory<Shape>)),
                  .overlaps_earlier_launch = true},
                 shape, primitives, copse::detail::forest_costs(max_leaf_size), nodes, out, counters);
        });
        return true;
      });
}

}  // namespace copse::cuda
