#pragma once

// The contract stands in trace/trace_trees.inl. Both kernels are launched; the one that was not chosen ends at
// once.

#include "trace/cuda/trace_rays.cuh"
#include "trace/trace_trees.h"

namespace copse::cuda {

namespace detail {

struct StoreTraceChoice {
  const u32* kernel;
  u32* chosen;
  __device__ void operator()(u64) const {
    const TraceKernel by = TraceKernel(*kernel);
    const TraceLayout layout = by == TraceKernel::persistent ? TraceLayout::wide : TraceLayout::binary;
    *chosen = TraceChoice{layout, by}.word();
  }
};

}  // namespace detail

template <class Binary, class Wide>
void trace_by_sample(const Executor& ex, const char* label, Binary binary, Wide wide, u64 n, u32* chosen) {
  constexpr u64 most_at_once = u64{1} << 31;
  ScratchArena::Frame frame(ex.scratch);
  u32* choice = frame.allocate<u32>(1);
  u32* const nowhere = nullptr;
  for (u64 begin = 0; begin < n; begin += most_at_once) {
    const u32 count = u32(smaller(n - begin, most_at_once));
    choose_trace_kernel(ex, binary.rays, count, choice, nowhere);
    trace_in_groups<detail::AloneWay<Binary>>(ex, label, binary, count, choice);
    trace_persistent(ex, label, wide, count, choice);
    binary.rays = wide.rays += count;
    binary.results = wide.results += count;
  }
  if (chosen != nullptr && n > 0) for_each(ex, "trace: chosen", 1, detail::StoreTraceChoice{choice, chosen});
}

}  // namespace copse::cuda
