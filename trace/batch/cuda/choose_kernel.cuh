#pragma once

// Looks at a sample of a batch and chooses the kernel for its rays.

#include "trace/batch/cuda/ray_batch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 sampled_groups = 32;

/// The difference between the largest and the smallest of the warp's values.
__device__ inline float spread_of_warp(float value) {
  float lo = value, hi = value;
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) {
    lo = fminf(lo, __shfl_xor_sync(all_lanes, lo, int(distance)));
    hi = fmaxf(hi, __shfl_xor_sync(all_lanes, hi, int(distance)));
  }
  return hi - lo;
}

/// True in all lanes if the directions of the warp's rays, at length 1, differ by less than a twentieth in each
/// component. Tiles of 8 x 4 pixels do so in pictures at least 160 pixels wide.
__device__ inline bool warp_stays_together(const vec3& direction) {
  constexpr float max_spread = 0.05f;
  const float scale = rsqrtf(direction.x * direction.x + direction.y * direction.y + direction.z * direction.z);
  const float x = spread_of_warp(direction.x * scale), y = spread_of_warp(direction.y * scale);
  const float z = spread_of_warp(direction.z * scale);
  return x < max_spread && y < max_spread && z < max_spread;
}

/// The kernel for each kind of batch that a sample can find.
struct KernelTable {
  TraceKernel from_outside;  // neighbours stay together, and start outside the tree's bounds
  TraceKernel from_inside;   // neighbours stay together, and start inside
  TraceKernel apart;         // neighbours go apart

  bool names(TraceKernel kernel) const {
    return from_outside == kernel || from_inside == kernel || apart == kernel;
  }
  bool is_one() const { return from_outside == apart && from_inside == apart; }
};

/// One block, with a warp per group of 32 neighbouring rays. The groups lie at equal distances in the batch.
template <u32 groups, class Tree, class Rays>
__global__ void __launch_bounds__(groups* warp_size)
    choose_kernel_kernel(const __grid_constant__ Tree tree, const __grid_constant__ Rays rays, u64 n,
                         KernelTable table, u32* choice) {
  overlap_launches();
  const SharedReach<Tree> reach(tree);
  const u64 group = n / warp_size * (threadIdx.x / warp_size) / groups;
  const Ray ray = rays[smaller(group * warp_size + lane_id(), n - 1)];
  const u32 together = u32(__syncthreads_count(warp_stays_together(ray.direction))) / warp_size;
  const u32 inside = u32(__syncthreads_count(is_in(reach().bounds, ray.origin)));
  if (threadIdx.x != 0) return;
  const bool is_outside = 2 * inside < groups * warp_size;
  *choice = u32(4 * together < 3 * groups ? table.apart : is_outside ? table.from_outside : table.from_inside);
}

}  // namespace detail

/// Writes a kernel of the table to `choice`. `n` must be above 0.
template <class Tree, class Rays>
void choose_trace_kernel(const Executor& ex, const Tree& tree, const Rays& rays, u64 n,
                         const detail::KernelTable& table, u32* choice) {
  launch(ex, "trace: choose", detail::choose_kernel_kernel<detail::sampled_groups, Tree, Rays>,
         {.blocks = 1, .threads = detail::sampled_groups * warp_size, .overlaps_earlier_launch = true}, tree, rays,
         n, table, choice);
}

}  // namespace copse::cuda
