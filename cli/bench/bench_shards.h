#pragma once

#include "builders/geometry/mesh.h"
#include "cli/bench/bench_accel.h"
#include "cli/bench/bench_gpus.h"
#include "scale/communicator.h"
#include "scale/devices.h"

namespace copse::cli {

/// One tree whose parts are on several devices, each with a range of the triangles and of the rays.
struct ShardedTimes {
  u32 count = 0;        // of ranks
  Timing build, accel;  // build_sharded and make_accel
  RayTimes primary, diffuse;
  RayTimes shadow;  // any hits
};

/// Measures a sharded build, and rays that travel between the ranks. A time is that of the last rank, from the moment
/// when all are ready. Collective; all ranks get the same times.
///   rays: the same on every rank
ShardedTimes measure_shards(Communicator& comm, Context& context, const Mesh& mesh, const FrameRays& rays,
                            u32 repeats);

/// The same for devices of this process.
ShardedTimes measure_shards(Devices& devices, const Mesh& mesh, const FrameRays& rays, u32 repeats);

/// Measures rays through a balanced Accel that each rank has: all rays by the first rank alone, and then by all ranks,
/// each with a range of them. `replicate` is the time in which all ranks rebuild it. Collective; all ranks get the same
/// times.
std::vector<GpuTimes> measure_replicas(Communicator& comm, Context& context, const TriangleView& triangles,
                                       const FrameRays& rays, u32 repeats);

}  // namespace copse::cli
