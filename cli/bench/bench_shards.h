#pragma once

#include "builders/geometry/mesh.h"
#include "cli/bench/bench_accel.h"
#include "scale/devices.h"

namespace copse::cli {

/// One tree whose parts are on several devices, each with a range of the triangles and of the rays.
struct ShardedTimes {
  u32 count = 0;        // of ranks
  Timing build, accel;  // build_sharded and make_accel
  RayTimes primary, diffuse;
  RayTimes shadow;  // any hits
};

/// Measures a sharded build, and rays that travel between the devices. A time is that of the last rank, from the moment
/// when all are ready.
ShardedTimes measure_shards(Devices& devices, const Mesh& mesh, const FrameRays& rays, u32 repeats);

}  // namespace copse::cli
