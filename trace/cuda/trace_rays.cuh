#pragma once

// Which kernel traces a batch. The contract stands in trace/trace_rays.inl.

#include "trace/cuda/alone_rays.cuh"
#include "trace/cuda/choose_kernel.cuh"
#include "trace/cuda/persistent_rays.cuh"
#include "trace/cuda/ray_packets.cuh"

namespace copse::cuda {

namespace detail {

struct WriteChosen {
  u32 kernel;
  u32* chosen;
  __device__ void operator()(u64) const { *chosen = kernel; }
};

/// At most 2^31 rays.
template <class Query>
void trace_by(const Executor& ex, const char* label, TraceKernel kernel, const Query& query, u32 n, u32* chosen) {
  if (kernel == TraceKernel::automatic) {
    ScratchArena::Frame frame(ex.scratch);
    u32* choice = frame.allocate<u32>(1);
    choose_trace_kernel(ex, query.rays, n, choice, chosen);
    trace_in_groups<AloneWay<Query>>(ex, label, query, n, choice);
    trace_persistent(ex, label, query, n, choice);
    return;
  }
  if (kernel == TraceKernel::packets && !WalksBinaryTree<Query>) kernel = TraceKernel::persistent;
  if constexpr (WalksBinaryTree<Query>) {
    if (kernel == TraceKernel::packets) trace_in_groups<PacketWay<Query>>(ex, label, query, n, nullptr);
  }
  if (kernel == TraceKernel::persistent) trace_persistent(ex, label, query, n, nullptr);
  if (kernel == TraceKernel::one_ray_a_thread) trace_in_groups<AloneWay<Query>>(ex, label, query, n, nullptr);
  if (chosen != nullptr) for_each(ex, "trace: chosen", 1, WriteChosen{u32(kernel), chosen});
}

}  // namespace detail

template <class Query>
void trace_batch(const Executor& ex, const char* label, TraceKernel kernel, Query query, u64 n, u32* chosen) {
  constexpr u64 most_at_once = u64{1} << 31;
  for (u64 begin = 0; begin < n; begin += most_at_once) {
    const u32 count = u32(smaller(n - begin, most_at_once));
    detail::trace_by(ex, label, kernel, query, count, chosen);
    query.rays += count;
    query.results += count;
  }
}

}  // namespace copse::cuda
