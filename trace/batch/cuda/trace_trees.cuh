#pragma once

// Contract: trace/batch/trace_trees.inl.

#include "trace/batch/cuda/trace_rays.cuh"
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

/// Rays that stay together traverse the binary tree, unless persistent warps through the wide tree are faster for
/// them.
template <class Binary, class Wide>
KernelTable kernels_for(const Binary& binary, const Wide& wide, u64 n) {
  const KernelTable of_binary = kernels_for(binary, n), of_wide = kernels_for(wide, n);
  const auto better = [](TraceKernel by_binary, TraceKernel by_wide) {
    return by_wide == TraceKernel::persistent ? by_wide : by_binary;
  };
  return {better(of_binary.from_outside, of_wide.from_outside), better(of_binary.from_inside, of_wide.from_inside),
          TraceKernel::persistent};
}

}  // namespace detail

template <class Binary, class Wide>
void trace_by_sample(const Executor& ex, const char* label, Binary binary, Wide wide, u64 n, u32* chosen) {
  constexpr u64 max_at_once = u64{1} << 31;
  ScratchArena::Frame frame(ex.scratch);
  u32* choice = frame.allocate<u32>(1);
  for (u64 begin = 0; begin < n; begin += max_at_once) {
    const u32 count = u32(smaller(n - begin, max_at_once));
    const bool tells = chosen != nullptr && n - begin <= max_at_once;
    detail::trace_by_table(ex, label, detail::kernels_for(binary, wide, count), binary, wide, count, choice,
                           tells);
    binary.skip(count);
    wide.skip(count);
  }
  if (chosen != nullptr && n > 0) for_each(ex, "trace: chosen", 1, detail::StoreTraceChoice{choice, chosen});
}

}  // namespace copse::cuda
