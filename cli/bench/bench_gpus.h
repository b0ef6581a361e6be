#pragma once

#include <vector>

#include "cli/bench/bench_accel.h"
#include "scale/devices.h"

namespace copse::cli {

/// Rays through a balanced Accel by the first device alone, or shared by all.
struct GpuTimes {
  u32 count = 1;          // of devices
  Timing replicate = {};  // to copy the Accel to the others
  RayTimes primary, diffuse;
  RayTimes shadow;  // any hits
};

/// Measures the rays by the first device alone, and then by all. Rays and results are in the memory of the first.
std::vector<GpuTimes> measure_gpus(Devices& devices, const TriangleView& triangles, const FrameRays& rays,
                                   u32 repeats);

}  // namespace copse::cli
