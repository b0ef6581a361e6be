#include "cli/bench/bench_shards.h"

#include <algorithm>
#include <chrono>

#include "accel/accel_rays.h"
#include "cli/options/scene.h"
#include "copse/shards.h"

namespace copse::cli {

namespace {

/// Returns the elements of a rank: consecutive ones, and equally many for each rank.
template <class T>
std::span<const T> share_of(const std::vector<T>& all, const Communicator& comm) {
  const u64 begin = all.size() * comm.rank() / comm.size(), end = all.size() * (comm.rank() + 1) / comm.size();
  return std::span(all).subspan(begin, end - begin);
}

bool is_hit_of(u8 occluded) {
  return occluded != 0;
}
bool is_hit_of(const Hit& hit) {
  return is_hit(hit);
}

/// One of the ranks that measure together.
class RankBench {
 public:
  RankBench(Communicator& comm, Context& context, u32 repeats)
      : comm_(comm), context_(context), repeats_(repeats) {}

  /// Returns the times of the slowest rank. A call is long enough for the clock, because the ranks wait for each other.
  template <class Work>
  Timing time(const Work& work) const {
    std::vector<double> samples;
    for (u32 repeat = 0; repeat < repeats_ + 1; ++repeat) {
      comm_.agree([&] { context_.wait(); });
      const auto begin = std::chrono::steady_clock::now();
      work();
      comm_.agree([&] { context_.wait(); });
      const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
      const std::vector<double> of_ranks = comm_.all_gather(spent.count());
      if (repeat > 0) samples.push_back(*std::max_element(of_ranks.begin(), of_ranks.end()));
    }
    return quartiles_of(std::move(samples));
  }

  /// Result: Hit for closest hits, u8 for any hits.
  ///   all: the rays of all ranks, the same on every rank
  ///   own: those of this rank
  ///   trace(rays, results): on every rank
  template <class Result, class Trace>
  RayTimes trace(const std::vector<Ray>& all, std::span<const Ray> own, const Trace& trace) const {
    RayTimes times;
    times.ray_count = all.size();
    if (all.empty()) return times;
    Buffer<Ray> rays;
    Buffer<Result> results;
    comm_.agree([&] {
      rays = Buffer<Ray>(context_, own);
      results = Buffer<Result>(context_, own.size());
    });
    times.time = time([&] { trace(rays.span(), results.span()); });
    std::vector<u64> hit_count(1);
    comm_.agree([&] {
      const std::vector<Result> found = results.download();
      hit_count[0] = u64(std::count_if(found.begin(), found.end(), [](const Result& r) { return is_hit_of(r); }));
    });
    comm_.sum(hit_count);
    times.hit_count = hit_count[0];
    return times;
  }

 private:
  Communicator& comm_;
  Context& context_;
  u32 repeats_;
};

}  // namespace

ShardedTimes measure_shards(Communicator& comm, Context& context, const Mesh& mesh, const FrameRays& rays,
                            u32 repeats) {
  const RankBench bench(comm, context, repeats);
  Buffer<vec3> positions;
  Buffer<uvec3> triangles;
  comm.agree([&] {
    positions = Buffer<vec3>(context, mesh.positions);
    triangles = Buffer<uvec3>(context, share_of(mesh.triangles, comm));
  });
  const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  ShardedBvh shard;
  ShardedAccel accel;
  const auto closest = [&](BufferSpan<const Ray> span, BufferSpan<Hit> hits) {
    closest_hits(comm, context, accel, span, hits);
  };
  const auto any = [&](BufferSpan<const Ray> span, BufferSpan<u8> occluded) {
    any_hits(comm, context, accel, span, occluded);
  };
  ShardedTimes times;
  times.count = comm.size();
  times.build = bench.time([&] { shard = build_sharded(comm, context, view); });
  times.accel = bench.time([&] { accel = make_accel(comm, context, shard); });
  times.primary = bench.trace<Hit>(rays.primary, share_of(rays.primary, comm), closest);
  times.diffuse = bench.trace<Hit>(rays.diffuse, share_of(rays.diffuse, comm), closest);
  times.shadow = bench.trace<u8>(rays.shadow, share_of(rays.shadow, comm), any);
  return times;
}

ShardedTimes measure_shards(Devices& devices, const Mesh& mesh, const FrameRays& rays, u32 repeats) {
  std::vector<Communicator> ranks = Communicator::of_devices(devices);
  ShardedTimes times;
  devices.run([&](Context& context, u32 rank) {
    Communicator comm = std::move(ranks[rank]);
    const ShardedTimes of_rank = measure_shards(comm, context, mesh, rays, repeats);
    if (rank == 0) times = of_rank;
  });
  return times;
}

std::vector<GpuTimes> measure_replicas(Communicator& comm, Context& context, const TriangleView& triangles,
                                       const FrameRays& rays, u32 repeats) {
  const RankBench bench(comm, context, repeats);
  Accel accel;
  comm.agree([&] { accel = build(context, triangles); });
  const auto closest = [&](BufferSpan<const Ray> span, BufferSpan<Hit> hits) {
    comm.agree([&] { closest_hits(context, accel, span, hits); });
  };
  const auto any = [&](BufferSpan<const Ray> span, BufferSpan<u8> occluded) {
    comm.agree([&] { any_hits(context, accel, span, occluded); });
  };
  std::vector<GpuTimes> results;
  for (const bool shared : {false, true}) {
    const auto own = [&](const std::vector<Ray>& all) {
      return shared ? share_of(all, comm) : std::span(all).first(comm.rank() == 0 ? all.size() : 0);
    };
    results.push_back({.count = shared ? comm.size() : 1,
                       .primary = bench.trace<Hit>(rays.primary, own(rays.primary), closest),
                       .diffuse = bench.trace<Hit>(rays.diffuse, own(rays.diffuse), closest),
                       .shadow = bench.trace<u8>(rays.shadow, own(rays.shadow), any)});
  }
  results.back().replicate = bench.time([&] { comm.agree([&] { rebuild(context, accel, triangles); }); });
  return results;
}

}  // namespace copse::cli
