#pragma once

#include "cli/bench/bench_measure.h"
#include "trace/trace_options.h"

namespace copse::cli {

/// Rays through a tree in one layout, by one kernel, over packed triangles.
struct KernelTimes {
  Layout layout = Layout::bvh2;
  TraceKernel kernel = TraceKernel::automatic;
  RayTimes primary;
  RayTimes diffuse;
};

/// Times all kernels on the tree and on the wide trees collapsed from it into `layouts`.
std::vector<KernelTimes> measure_kernels(Context& context, const Bvh& bvh, const TriangleView& triangles,
                                         const std::vector<Layout>& layouts, const std::vector<Ray>& primary,
                                         const std::vector<Ray>& diffuse, u32 repeats);

}  // namespace copse::cli
