#pragma once

// The stages of a forest on CUDA. Contract: builders/bvh/forest/forest.inl.
//
// A warp takes 32 primitives in a row, which are of one tree or of a few. The lanes of each tree reduce their
// boxes together, and one of them merges the result into the bounds of the tree by atomics. For these, the sides
// of a box are integers in the order of the floats.

#include "builders/bvh/forest/forest_choose.cuh"
#include "builders/bvh/forest/forest_fit.cuh"
#include "builders/bvh/forest/forest_order.h"
#include "builders/bvh/forest/forest_small.cuh"
#include "builders/bvh/forest/forest_write.cuh"
#include "builders/bvh/forest/small_trees.cuh"
#include "builders/bvh/hploc/hploc.cuh"
#include "primitives/cuda/for_each.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::ForestBuild;

inline constexpr u32 bound_threads = 256;

/// The six sides of a box as numbers in the order of floats.
struct OrderedSides {
  u32 of[6];  // lo, then hi

  __device__ static u32 ordered(float x) {
    const u32 bits = __float_as_uint(x);
    return bits ^ (bits >> 31 != 0 ? ~0u : 1u << 31);
  }
  __device__ static float number(u32 ordered) {
    return __uint_as_float(ordered ^ (ordered >> 31 != 0 ? 1u << 31 : ~0u));
  }
  __device__ static OrderedSides of_box(const Aabb& box) {
    return {{ordered(box.lo.x), ordered(box.lo.y), ordered(box.lo.z), ordered(box.hi.x), ordered(box.hi.y),
             ordered(box.hi.z)}};
  }
  __device__ Aabb box() const {
    return {vec3(number(of[0]), number(of[1]), number(of[2])), vec3(number(of[3]), number(of[4]), number(of[5]))};
  }
};

struct ClearBounds {
  OrderedSides* bounds;
  __device__ void operator()(u64 tree) const { bounds[tree] = OrderedSides::of_box(Aabb::empty()); }
};

struct StoreBounds {
  Aabb* bounds;
  __device__ void operator()(u64 tree) const {
    const OrderedSides sides = reinterpret_cast<const OrderedSides*>(bounds)[tree];
    bounds[tree] = sides.box();
  }
};
static_assert(sizeof(OrderedSides) == sizeof(Aabb));

__global__ static void __launch_bounds__(bound_threads)
    bound_trees_kernel(const ForestBuild build, OrderedSides* bounds) {
  overlap_launches();
  const u32 i = blockIdx.x * bound_threads + threadIdx.x;
  const u32 present = __ballot_sync(all_lanes, i < build.shape.primitive_count);
  if (i >= build.shape.primitive_count) return;
  const u32 tree = build.shape.tree_of[i];
  const OrderedSides own = OrderedSides::of_box(build.boxes[i]);
  const u32 together = __match_any_sync(present, tree);
  const bool is_first = u32(__ffs(int(together))) - 1 == lane_id();
#pragma unroll
  for (u32 side = 0; side < 6; ++side) {
    if (side < 3) {
      const u32 least = warp_min(together, own.of[side]);
      if (is_first) atomicMin(&bounds[tree].of[side], least);
    } else {
      const u32 most = warp_max(together, own.of[side]);
      if (is_first) atomicMax(&bounds[tree].of[side], most);
    }
  }
}

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl.
inline void bound_trees(const Executor& ex, const copse::detail::ForestBuild& build, Aabb* bounds) {
  auto* const sides = reinterpret_cast<detail::OrderedSides*>(bounds);
  for_each(ex, "forest: clear bounds", build.shape.tree_count, detail::ClearBounds{sides});
  launch(ex, "forest: bounds", detail::bound_trees_kernel,
         {.blocks = divide_rounding_up(u64{build.shape.primitive_count}, u64{detail::bound_threads}),
          .threads = detail::bound_threads,
          .overlaps_earlier_launch = true},
         build, sides);
  for_each(ex, "forest: bounds", build.shape.tree_count, detail::StoreBounds{bounds});
}

/// Contract: builders/bvh/forest/forest.inl.
inline void cluster_forest(const Executor& ex, const copse::detail::ForestBuild& build,
                           copse::detail::Cluster* clusters, u32* arrivals) {
  constexpr u32 radius = HplocOptions{}.radius;
  using Input = detail::HplocInput<copse::detail::ForestBoxes, copse::detail::ForestLeaves>;
  detail::launch_hploc<radius>(
      ex, build.shape.primitive_count,
      Input{{build.boxes}, {}, {}, build.deltas, radius, clusters, arrivals, build.binary});
}

}  // namespace copse::cuda
