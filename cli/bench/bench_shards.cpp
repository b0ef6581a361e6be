#include "cli/bench/bench_shards.h"

#include <algorithm>
#include <chrono>

#include "cli/options/scene.h"
#include "copse/shards.h"

namespace copse::cli {

namespace {

/// Returns the elements of a rank: consecutive ones, and equally many for each rank.
template <class T>
std::span<const T> share_of(const std::vector<T>& all, u32 rank, u32 count) {
  const u64 begin = all.size() * rank / count, end = all.size() * (rank + 1) / count;
  return std::span(all).subspan(begin, end - begin);
}

/// The ranks, and what they have between the calls that are measured.
class ShardBench {
 public:
  ShardBench(Devices& devices, u32 repeats)
      : devices_(devices),
        repeats_(repeats),
        ranks_(Communicator::of_devices(devices)),
        positions_(ranks_.size()),
        triangles_(ranks_.size()),
        shards_(ranks_.size()),
        accels_(ranks_.size()) {}

  void load(const Mesh& mesh) {
    run([&](Communicator& comm, Context& context) {
      comm.agree([&] {
        positions_[comm.rank()] = Buffer<vec3>(context, mesh.positions);
        triangles_[comm.rank()] = Buffer<uvec3>(context, share_of(mesh.triangles, comm.rank(), comm.size()));
      });
    });
  }

  Timing time_build() {
    return time([&](Communicator& comm, Context& context) {
      const TriangleView view{.positions = positions_[comm.rank()].span(),
                              .triangles = triangles_[comm.rank()].span()};
      shards_[comm.rank()] = build_sharded(comm, context, view);
    });
  }

  Timing time_accel() {
    return time([&](Communicator& comm, Context& context) {
      accels_[comm.rank()] = make_accel(comm, context, shards_[comm.rank()]);
    });
  }

  /// Result: Hit for closest hits, u8 for any hits.
  template <class Result>
  RayTimes trace(const std::vector<Ray>& rays) {
    RayTimes times;
    times.ray_count = rays.size();
    if (rays.empty()) return times;
    std::vector<Buffer<Ray>> own(ranks_.size());
    std::vector<Buffer<Result>> results(ranks_.size());
    run([&](Communicator& comm, Context& context) {
      comm.agree([&] {
        own[comm.rank()] = Buffer<Ray>(context, share_of(rays, comm.rank(), comm.size()));
        results[comm.rank()] = Buffer<Result>(context, own[comm.rank()].size());
      });
    });
    times.time = time([&](Communicator& comm, Context& context) {
      const ShardedAccel& accel = accels_[comm.rank()];
      if constexpr (std::is_same_v<Result, u8>) {
        any_hits(comm, context, accel, own[comm.rank()].span(), results[comm.rank()].span());
      } else {
        closest_hits(comm, context, accel, own[comm.rank()].span(), results[comm.rank()].span());
      }
    });
    for (const Buffer<Result>& of_rank : results) {
      const std::vector<Result> found = of_rank.download();
      times.hit_count += u64(std::count_if(found.begin(), found.end(), [](const Result& result) {
        if constexpr (std::is_same_v<Result, u8>)
          return result != 0;
        else
          return is_hit(result);
      }));
    }
    return times;
  }

 private:
  template <class Work>
  void run(const Work& work) {
    devices_.run([&](Context& context, u32 rank) { work(ranks_[rank], context); });
  }

  /// A call is long enough for the clock, because the ranks wait for each other several times.
  template <class Work>
  Timing time(const Work& work) {
    std::vector<double> samples;
    for (u32 repeat = 0; repeat < repeats_ + 1; ++repeat) {
      std::vector<double> of_ranks(ranks_.size());
      run([&](Communicator& comm, Context& context) {
        context.wait();
        comm.agree([] {});
        const auto begin = std::chrono::steady_clock::now();
        work(comm, context);
        context.wait();
        of_ranks[comm.rank()] =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      });
      if (repeat > 0) samples.push_back(*std::max_element(of_ranks.begin(), of_ranks.end()));
    }
    return quartiles_of(std::move(samples));
  }

  Devices& devices_;
  u32 repeats_;
  std::vector<Communicator> ranks_;
  std::vector<Buffer<vec3>> positions_;
  std::vector<Buffer<uvec3>> triangles_;
  std::vector<ShardedBvh> shards_;
  std::vector<ShardedAccel> accels_;
};

}  // namespace

ShardedTimes measure_shards(Devices& devices, const Mesh& mesh, const FrameRays& rays, u32 repeats) {
  ShardBench bench(devices, repeats);
  bench.load(mesh);
  ShardedTimes times;
  times.count = devices.count();
  times.build = bench.time_build();
  times.accel = bench.time_accel();
  times.primary = bench.trace<Hit>(rays.primary);
  times.diffuse = bench.trace<Hit>(rays.diffuse);
  times.shadow = bench.trace<u8>(rays.shadow);
  return times;
}

}  // namespace copse::cli
