#pragma once

// Which kernel traces a batch. The contract stands in trace/trace_rays.inl.

#include <type_traits>

#include "trace/cuda/choose_kernel.cuh"
#include "trace/cuda/ray_kernels.cuh"
#include "trace/cuda/ray_packets.cuh"

namespace copse::cuda {

namespace detail {

struct WriteChosen {
  u32 kernel;
  u32* chosen;
  __device__ void operator()(u64) const { *chosen = kernel; }
};

template <class Query>
inline constexpr bool walks_binary_tree = std::is_same_v<typename Query::Tree, copse::detail::BinaryTree>;

}  // namespace detail

template <class Query>
void trace_batch(const Executor& ex, const char* label, TraceKernel kernel, const Query& query, u64 n,
                 u32* chosen) {
  if (n == 0) return;
  constexpr bool has_packets = detail::walks_binary_tree<Query>;
  if constexpr (has_packets) {
    if (kernel == TraceKernel::automatic) {
      ScratchArena::Frame frame(ex.scratch);
      u32* choice = frame.allocate<u32>(1);
      choose_trace_kernel(ex, query.rays, n, choice, chosen);
      trace_packets(ex, label, query, n, choice);
      trace_persistent(ex, label, query, n, choice);
      return;
    }
    if (kernel == TraceKernel::packets) trace_packets(ex, label, query, n, nullptr);
  }
  if (!has_packets && kernel != TraceKernel::one_ray_a_thread) kernel = TraceKernel::persistent;
  if (kernel == TraceKernel::persistent) trace_persistent(ex, label, query, n, nullptr);
  if (kernel == TraceKernel::one_ray_a_thread) trace_one_ray_a_thread(ex, label, query, n);
  if (chosen != nullptr) for_each(ex, "trace: chosen", 1, detail::WriteChosen{u32(kernel), chosen});
}

}  // namespace copse::cuda
