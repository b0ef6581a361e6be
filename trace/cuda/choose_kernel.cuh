#pragma once

// Looks at a sample of a batch and says whether its rays stay together.

#include "builders/geometry/aabb.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "trace/ray.h"
#include "trace/trace_options.h"

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

/// True in all lanes where the directions of the warp's rays differ by less than a twentieth in each component,
/// for directions of length 1: a tile of 8 x 4 pixels of a picture of 160 across, or of a finer one.
__device__ inline bool warp_stays_together(const vec3& direction) {
  constexpr float most_spread = 0.05f;
  const float scale = rsqrtf(direction.x * direction.x + direction.y * direction.y + direction.z * direction.z);
  const float x = spread_of_warp(direction.x * scale), y = spread_of_warp(direction.y * scale);
  const float z = spread_of_warp(direction.z * scale);
  return x < most_spread && y < most_spread && z < most_spread;
}

/// One block, a warp for each group of 32 neighbouring rays, which lie at equal distances in the batch.
template <u32 groups>
__global__ void __launch_bounds__(groups* warp_size)
    choose_kernel_kernel(const Ray* rays, u64 n, u32* choice, u32* chosen) {
  overlap_launches();
  const u64 group = n / warp_size * (threadIdx.x / warp_size) / groups;
  const Ray ray = rays[smaller(group * warp_size + lane_id(), n - 1)];
  const u32 together = u32(__syncthreads_count(warp_stays_together(ray.direction))) / warp_size;
  if (threadIdx.x != 0) return;
  const TraceKernel kernel = 4 * together >= 3 * groups ? TraceKernel::one_ray_a_thread : TraceKernel::persistent;
  *choice = u32(kernel);
  if (chosen != nullptr) *chosen = u32(kernel);
}

}  // namespace detail

/// Writes one_ray_a_thread or persistent to `choice`, and to `chosen` where that is not null. `n` above 0.
inline void choose_trace_kernel(const Executor& ex, const Ray* rays, u64 n, u32* choice, u32* chosen) {
  launch(ex, "trace: choose", detail::choose_kernel_kernel<detail::sampled_groups>,
         {.blocks = 1, .threads = detail::sampled_groups * warp_size, .overlaps_earlier_launch = true}, rays, n,
         choice, chosen);
}

}  // namespace copse::cuda
