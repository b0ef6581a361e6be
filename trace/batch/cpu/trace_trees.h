#pragma once

#include "trace/batch/cpu/trace_rays.h"
#include "trace/trace_trees.h"

namespace copse::cpu {

/// Contract: trace/batch/trace_trees.inl.
template <class Binary, class Wide>
void trace_by_sample(const Executor& ex, const char* label, const Binary& binary, const Wide& wide, u64 n,
                     u32* chosen) {
  const auto ray_at = [&](u64 i) -> const Ray& { return binary.rays[i]; };
  const bool together = stay_together(ray_at, n, binary.tree.bounds());
  if (together) {
    trace_batch(ex, label, TraceKernel::packets, binary, n, chosen);
  } else {
    trace_batch(ex, label, TraceKernel::thread_per_ray, wide, n, chosen);
  }
  if (chosen == nullptr || n == 0) return;
  *chosen = TraceChoice{together ? TraceLayout::binary : TraceLayout::wide, TraceKernel(*chosen)}.word();
}

}  // namespace copse::cpu
