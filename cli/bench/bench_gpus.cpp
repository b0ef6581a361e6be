#include "cli/bench/bench_gpus.h"

#include "accel/accel_rays.h"
#include "scale/replicated_rays.h"

namespace copse::cli {

namespace {

/// Rays in the memory of the first device, and the devices that trace them.
struct GpuBench {
  Devices& devices;
  const ReplicatedAccel& accel;
  bool shared;
  u32 repeats;

  RayTimes closest(const std::vector<Ray>& rays) const {
    const Buffer<Ray> buffer(devices.first(), rays);
    const auto trace = [&](BufferSpan<const Ray> span, BufferSpan<Hit> hits) {
      shared ? closest_hits(devices, accel, span, hits) : closest_hits(devices.first(), accel.on(0), span, hits);
    };
    return measure_batch<Hit>(devices.first(), buffer.span(), repeats, warm_ups_of(devices.first().backend()),
                              trace, [](const Hit& hit) { return is_hit(hit); });
  }

  RayTimes any(const std::vector<Ray>& rays) const {
    const Buffer<Ray> buffer(devices.first(), rays);
    const auto trace = [&](BufferSpan<const Ray> span, BufferSpan<u8> occluded) {
      shared ? any_hits(devices, accel, span, occluded) : any_hits(devices.first(), accel.on(0), span, occluded);
    };
    return measure_batch<u8>(devices.first(), buffer.span(), repeats, warm_ups_of(devices.first().backend()),
                             trace, [](u8 occluded) { return occluded != 0; });
  }
};

}  // namespace

std::vector<GpuTimes> measure_gpus(Devices& devices, const TriangleView& triangles, const FrameRays& rays,
                                   u32 repeats) {
  ReplicatedAccel accel = replicate(devices, build(devices.first(), triangles));
  std::vector<GpuTimes> results;
  for (const bool shared : {false, true}) {
    const GpuBench bench{devices, accel, shared, repeats};
    results.push_back({.count = shared ? devices.count() : 1,
                       .primary = bench.closest(rays.primary),
                       .diffuse = bench.closest(rays.diffuse),
                       .shadow = bench.any(rays.shadow)});
  }
  results.back().replicate = time_calls(devices.first(), repeats, [&] { update(devices, accel); });
  return results;
}

}  // namespace copse::cli
