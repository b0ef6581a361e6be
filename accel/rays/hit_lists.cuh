#pragma once

#include "accel/rays/first_hits_query.h"
#include "accel/rays/gathered_rays.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "trace/batch/cuda/trace_rays.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 hit_list_threads = 128, hit_list_blocks = 6;  // 80 registers per thread

template <class F>
__global__ void __launch_bounds__(hit_list_threads, hit_list_blocks) for_each_ray_kernel(u64 n, const F f) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * hit_list_threads + threadIdx.x;
  if (i < n) f(i);
}

}  // namespace detail

/// Contract: accel/rays/hit_lists.inl.
template <class F>
void for_each_ray(const Executor& ex, const char* label, u64 n, F f) {
  launch(ex, label, detail::for_each_ray_kernel<F>,
         {.blocks = divide_rounding_up(n, detail::hit_list_threads),
          .threads = detail::hit_list_threads,
          .overlaps_earlier_launch = true},
         n, f);
}

namespace detail {

/// The first hits of a ray have no order that a packet could share.
template <bool sees_all>
inline constexpr bool has_packets<copse::detail::FirstHitsQuery<sees_all>> = false;

}  // namespace detail

/// Contract: accel/rays/hit_lists.inl. It uses the kernels of batches for one hit.
inline void trace_first_hits(const Executor& ex, const char* label,
                             const copse::detail::HitBatch<AccelView>& batch, u32 k, Hit* hits, u32* counts) {
  const auto trace = [&](const Ray* rays, u64 first, u64 count) {
    copse::detail::HitBatch<AccelView> part = batch;
    if (part.masks != nullptr) part.masks += first;
    const auto trace_query = [&]<bool sees_all>() {
      using Query = copse::detail::FirstHitsQuery<sees_all>;
      trace_batch(ex, label, TraceKernel::automatic, Query(part, rays, k, hits + first * k, counts + first), count,
                  nullptr);
    };
    if (batch.hides_nothing() && batch.view.masks == nullptr) return trace_query.template operator()<true>();
    trace_query.template operator()<false>();
  };
  const u64 n = batch.rays.size();
  if (const Ray* records = copse::detail::records_of(batch.rays)) return trace(records, 0, n);
  ScratchArena::Frame frame(ex.scratch);
  const u64 at_once = smaller(n, copse::detail::rays_at_once(Backend::cuda));
  Ray* const gathered = frame.allocate<Ray>(at_once);
  for (u64 first = 0; first < n; first += at_once) {
    const u64 count = smaller(at_once, n - first);
    copse::detail::gather_rays(ex, batch.rays, first, count, gathered);
    trace(gathered, first, count);
  }
}

}  // namespace copse::cuda
