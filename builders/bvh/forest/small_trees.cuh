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
#pragma unroll 1
  for (u32 place = threadIdx.x; place < count; place += threads) primitives.pack(ids[place], place);
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

///   first, end: builds the trees from `first` to `end` - 1
///   nodes:      room for two per primitive that the blocks have room for
template <class Shape, ForestBuilder builder, class Primitives>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    build_small_trees_kernel(const ForestShape shape, u32 first, u32 end, const Primitives primitives,
                             const CollapseCosts costs, BvhNode* nodes, const ForestArrays out,
                             GridCounters* counters) {
  extern __shared__ uint4 small_tree_memory[];
  auto& memory = *reinterpret_cast<SmallTreeMemory<Shape>*>(small_tree_memory);
  overlap_launches();
  SmallTreeBuilder<Shape> tree_builder(memory, nodes + 2 * u64{blockIdx.x} * Shape::capacity);
  if (blockIdx.x == 0 && threadIdx.x == 0) write_shared_root(out, shape.empty_root);
  for (;;) {
    if (threadIdx.x == 0) memory.tree = first + atomicAdd(reinterpret_cast<u32*>(&counters->ticket), 1u);
    __syncthreads();
    const u32 tree = memory.tree;
    if (tree >= end) break;
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

/// Calls run.operator()<Shape, builder>() with the shape for trees of at most max_tree_size primitives.
template <class Run>
void with_small_tree_builder(u32 max_tree_size, const ForestOptions& options, const Run& run) {
  const auto with_shape = [&]<class Shape>() {
    if (options.builder == ForestBuilder::lbvh) {
      run.template operator()<Shape, ForestBuilder::lbvh>();
    } else {
      run.template operator()<Shape, ForestBuilder::hploc>();
    }
  };
  constexpr auto& sizes = copse::detail::forest_class_sizes;
  if (max_tree_size <= sizes[3]) return with_shape.template operator()<SmallTreeShape<sizes[3], 1>>();
  if (max_tree_size <= sizes[2]) return with_shape.template operator()<SmallTreeShape<sizes[2], 2>>();
  if (max_tree_size <= sizes[1]) return with_shape.template operator()<SmallTreeShape<sizes[1], 4>>();
  return with_shape.template operator()<SmallTreeShape<max_small_tree, 8>>();
}

/// Returns how many blocks build `tree_count` trees at once.
template <class Shape, ForestBuilder builder, class Primitives>
u64 small_tree_blocks(const Executor& ex, u32 tree_count) {
  const auto kernel = build_small_trees_kernel<Shape, builder, Primitives>;
  constexpr u32 bytes = sizeof(SmallTreeMemory<Shape>);
  return smaller(resident_blocks(ex, "forest: small trees", kernel, Shape::threads, bytes), u64{tree_count});
}

/// False if the memory for a block of the largest small trees does not fit the GPU, or if no trees are built by blocks.
inline bool builds_small_trees(const Executor& ex, const ForestOptions& options) {
  constexpr u32 bytes = sizeof(SmallTreeMemory<SmallTreeShape<max_small_tree, 8>>);
  return options.reinsertion.passes == 0 && bytes + static_shared_bytes <= ex.max_shared_bytes;
}

/// Calls run.operator()<Shape, builder>(first, end) for each class of trees that blocks build.
template <class Run>
void for_each_small_class(const ForestShape& shape, const ForestOptions& options, const Run& run) {
  shape.for_each_class([&](u32 first, u32 end, u32 max_tree_size) {
    if (max_tree_size > max_small_tree) return;
    with_small_tree_builder(
        max_tree_size,
        options, [&]<class Shape, auto builder>() { run.template operator()<Shape, builder>(first, end); });
  });
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline copse::detail::ForestShape trees_left(const Executor& ex, const copse::detail::ForestShape& shape,
                                             const copse::detail::ForestOptions& options) {
  return detail::builds_small_trees(ex, options) ? shape.large() : shape;
}

/// Contract: builders/bvh/forest/forest.inl.
template <class Primitives>
u64 small_trees_scratch_bytes(const Executor& ex, const copse::detail::ForestShape& shape,
                              const copse::detail::ForestOptions& options) {
  u64 most = 0;
  if (!detail::builds_small_trees(ex, options)) return most;
  detail::for_each_small_class(
      shape, options, [&]<class Shape, auto builder>(u32 first, u32 end) {
        const u64 blocks = detail::small_tree_blocks<Shape, builder, Primitives>(ex, end - first);
        most = larger(most, ScratchArena::bytes_for<BvhNode>(blocks * 2 * Shape::capacity));
      });
  return most;
}

/// Contract: builders/bvh/forest/forest.inl.
template <class Primitives>
void build_small_trees(const Executor& ex, const copse::detail::ForestShape& shape,
                       const copse::detail::ForestOptions& options, const Primitives& primitives,
                       u32 max_leaf_size, const copse::detail::ForestArrays& out) {
  if (!detail::builds_small_trees(ex, options)) return;
  detail::for_each_small_class(
      shape, options, [&]<class Shape, auto builder>(u32 first, u32 end) {
        const u64 blocks = detail::small_tree_blocks<Shape, builder, Primitives>(ex, end - first);
        ScratchArena::Frame frame(ex.scratch);
        auto* const nodes = frame.allocate<BvhNode>(blocks * 2 * Shape::capacity);
        with_grid_counters(ex, [&](GridCounters* counters) {
          launch(ex, "forest: small trees", detail::build_small_trees_kernel<Shape, builder, Primitives>,
                 {.blocks = blocks,
                  .threads = Shape::threads,
                  .shared_bytes = u32(sizeof(detail::SmallTreeMemory<Shape>)),
                  .overlaps_earlier_launch = true},
                 shape, first, end, primitives, copse::detail::forest_costs(max_leaf_size), nodes, out, counters);
        });
      });
}

}  // namespace copse::cuda
