#pragma once

// The splitters of few samples on CUDA. Contract: builders/bvh/morton/last_order.cuh.
//
// A radix sort of some thousand samples takes four passes, and each waits for the one before. Here a warp per
// sample compares it with all others and counts those that come before it: more work, but one launch.

#include "builders/bvh/morton/last_order.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::BucketShape;
using copse::detail::KeyBuckets;

struct alignas(16) FourSamples {
  u32 of[4];
};

/// Returns how many samples come before one of them; equal samples are in the order of their numbers. All lanes of the
/// warp call it.
///   sample_count: a multiple of 4
__device__ inline u32 rank_of_sample(const u32* samples, u32 sample_count, u32 own) {
  const u32 sample = samples[own], own_group = own / 4;
  const auto* const groups = reinterpret_cast<const FourSamples*>(samples);
  u32 rank = 0;
#pragma unroll 4
  for (u32 group = lane_id(); group < sample_count / 4; group += warp_size) {
    const FourSamples others = groups[group];
    // The sum cannot overflow: no key has its highest two bits set.
    const u32 above = sample + (group < own_group ? 1 : 0);
#pragma unroll
    for (u32 k = 0; k < 4; ++k) rank += others.of[k] < above ? 1 : 0;
  }
  const u32 own_first = own_group * 4;
  if (lane_id() < own - own_first && samples[own_first + lane_id()] == sample) ++rank;
  return warp_add(all_lanes, rank);
}

inline constexpr u32 rank_threads = 128;

__global__ static void __launch_bounds__(rank_threads)
    rank_samples_kernel(const KeyBuckets buckets, const u32* samples) {
  overlap_launches();
  const u32 sample_count = buckets.shape.sample_count();
  const u32 own = (blockIdx.x * rank_threads + threadIdx.x) / warp_size;
  if (own >= sample_count) return;
  const u32 rank = rank_of_sample(samples, sample_count, own);
  if (lane_id() != 0) return;
  constexpr u32 stride = BucketShape::samples_per_bucket;
  if (rank % stride == 0) buckets.splitters[rank / stride] = samples[own];
  if (own % stride == 0) check_sample(buckets, samples, own / stride);
}

}  // namespace detail

/// Contract: builders/bvh/morton/last_order.cuh.
inline void rank_samples(const Executor& ex, const copse::detail::KeyBuckets& buckets, const u32* samples) {
  launch(ex, "last order: rank samples", detail::rank_samples_kernel,
         {.blocks = divide_rounding_up(u64{buckets.shape.sample_count()} * warp_size, u64{detail::rank_threads}),
          .threads = detail::rank_threads,
          .overlaps_earlier_launch = true},
         buckets, samples);
}

}  // namespace copse::cuda
