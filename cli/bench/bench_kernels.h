#pragma once

#include "cli/bench/bench_measure.h"
#include "trace/trace_options.h"

namespace copse::cli {

/// Rays through one structure, by one kernel, with packed triangles.
struct KernelTimes {
  std::string structure;  // the name of a layout, or "ray trees"
  TraceKernel kernel = TraceKernel::automatic;
  RayTimes primary;
  RayTimes diffuse;
};

/// Times all kernels on the tree and on the wide trees collapsed from it into `layouts`, and the ray trees made of
/// it.
std::vector<KernelTimes> measure_kernels(Context& context, const Bvh& bvh, const TriangleView& triangles,
                                         const std::vector<Layout>& layouts, const std::vector<Ray>& primary,
                                         const std::vector<Ray>& diffuse, u32 repeats);

}  // namespace copse::cli
