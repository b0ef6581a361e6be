#pragma once

#include <optional>
#include <vector>

#include "accel/accel.h"
#include "cli/bench/bench_measure.h"

namespace copse::cli {

/// What a user of Accel pays and gets at one quality.
struct AccelTimes {
  Quality quality = Quality::balanced;
  BuildTimes times;                   // of rebuild and refit
  Timing frame;                       // rebuild, primary, diffuse and shadow rays
  std::optional<Timing> frame_graph;  // the same as a captured CUDA graph; none on the CPU
  BuildSizes sizes;
  u64 compact_bytes = 0;
  double sah_cost = 0;
  RayTimes primary;
  RayTimes diffuse;
  RayTimes shadow;  // any hits
};

/// The rays of a frame.
struct FrameRays {
  const std::vector<Ray>& primary;
  const std::vector<Ray>& diffuse;
  const std::vector<Ray>& shadow;
};

/// Measures an Accel of each quality over `triangles`.
std::vector<AccelTimes> measure_accels(Context& context, const TriangleView& triangles, float splits,
                                       const FrameRays& rays, u32 repeats);

}  // namespace copse::cli
