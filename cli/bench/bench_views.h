#pragma once

#include <vector>

#include "accel/accel.h"
#include "cli/bench/bench_measure.h"
#include "cli/bench/bench_scenes.h"

namespace copse::cli {

/// The rays of one view by one kernel.
struct ViewKernelTimes {
  TraceKernel kernel = TraceKernel::automatic;
  RayTimes primary, diffuse;              // closest hits of 20 bytes
  RayTimes primary_short, diffuse_short;  // the same rays with short hits, of 8 bytes
  RayTimes ambient;                       // the diffuse rays as any hits
  RayTimes shadow;                        // any hits
};

struct ViewTimes {
  vec3 eye{0};
  std::vector<ViewKernelTimes> kernels;  // the automatic choice first
};

/// Times the rays of every view through `accel`, in the order of the pixels: primary rays, one diffuse and one
/// shadow ray for each of their hits.
///   all_kernels: also by each fixed kernel; on the CPU there is the automatic one alone
std::vector<ViewTimes> measure_views(Context& context, const Accel& accel, const Mesh& mesh,
                                     const std::vector<BenchView>& views, u32 rays_size, u32 repeats,
                                     bool all_kernels);

}  // namespace copse::cli
