// Measures rays and queries that several GPUs share, through an Accel that is replicated on them.
//
//   copse-bench-several-gpus MESH|hairball [SUBDIVISIONS] [--benchmark_...]
//
// Rows: rays/KIND/RESULT/SIZE/HOW/GPUS: SIZE x SIZE primary rays in tiles of 8 x 8, or the diffuse rays of their hits.
//       RESULT is hits, short or any. HOW is
//         shared: rays and results are in the memory of the first GPU;
//         copied: the same without peer access, so pieces are copied;
//         own:    each GPU has its part of the rays, and keeps the results: the bound of what sharing can reach;
//         plain:  one GPU, by the call without devices;
//       nearest/HOW/GPUS: a million points beside the surface;
//       replicate/GPUS: the copies of an Accel, into memory that is there.

#include <memory>

#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "copse.h"
#include "copse/scale.h"

namespace copse::bench {
namespace {

/// Some GPUs, an Accel on each of them, and rays.
struct SharedScene {
  Devices devices;
  Buffer<vec3> positions;
  Buffer<uvec3> triangles;
  ReplicatedAccel accel;
  Buffer<Ray> primary, diffuse;

  SharedScene(const Mesh& mesh, u32 gpus, bool peer_access, u32 size)
      : devices({.backend = Backend::cuda, .count = gpus, .peer_access = peer_access}),
        positions(devices.first(), mesh.positions),
        triangles(devices.first(), mesh.triangles),
        accel(replicate(devices, build(devices.first(), TriangleView{.positions = positions.span(),
                                                                     .triangles = triangles.span()}))) {
    const Aabb box = bounds(mesh);
    const std::vector<Ray> rays = make_primary_rays(default_eye(box, false), size);
    primary = Buffer<Ray>(devices.first(), rays);
    Buffer<Hit> hits(devices.first(), rays.size());
    closest_hits(devices, accel, primary.span(), hits.span());
    diffuse = Buffer<Ray>(devices.first(), make_diffuse_rays(mesh, box, rays, hits.download()));
  }
};

/// What a row measures.
struct Row {
  bool diffuse;
  std::string result, how;
  u32 size, gpus;

  std::string name() const {
    return std::string("rays/") + (diffuse ? "diffuse/" : "primary/") + result + "/" + std::to_string(size) + "/" +
           how + "/" + std::to_string(gpus);
  }
};

/// The automatic choice of a kernel is learned in so many batches.
constexpr u32 warm_ups = 80;

template <class Work>
void measure(benchmark::State& state, Devices& devices, const Work& work) {
  for (u32 i = 0; i < warm_ups; ++i) work();
  devices.wait();
  for (auto _ : state) {
    Stopwatch stopwatch(devices.first());
    work();
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3);
  }
}

template <class Place, class Structure, class Result>
void trace(Place& place, const Structure& accel, BufferSpan<const Ray> rays, BufferSpan<Result> results) {
  if constexpr (std::is_same_v<Result, u8>) {
    any_hits(place, accel, rays, results);
  } else {
    closest_hits(place, accel, rays, results);
  }
}

/// Every GPU traces its part of the rays, which is in its own memory.
template <class Result>
void measure_own(benchmark::State& state, SharedScene& scene, const Buffer<Ray>& rays) {
  const u32 count = scene.devices.count();
  const std::vector<Ray> host = rays.download();
  std::vector<Buffer<Ray>> parts(count);
  std::vector<Buffer<Result>> results(count);
  scene.devices.run([&](Context& context, u32 device) {
    const u64 first = host.size() * device / count, end = host.size() * (device + 1) / count;
    parts[device] = Buffer<Ray>(context, std::span(host).subspan(first, end - first));
    results[device] = Buffer<Result>(context, end - first);
  });
  measure(state, scene.devices, [&] {
    detail::share_work("own rays", scene.devices, [&](Context& context, u32 device) {
      trace(context, scene.accel.on(device), parts[device].span(), results[device].span());
    });
  });
}

template <class Result>
void measure_rays(benchmark::State& state, SharedScene& scene, const Row& row) {
  const Buffer<Ray>& rays = row.diffuse ? scene.diffuse : scene.primary;
  state.counters["rays"] = benchmark::Counter(double(rays.size()), benchmark::Counter::kIsIterationInvariantRate);
  if (row.how == "own") return measure_own<Result>(state, scene, rays);
  Buffer<Result> results(scene.devices.first(), rays.size());
  if (row.how == "plain") {
    return measure(state, scene.devices,
                   [&] { trace(scene.devices.first(), scene.accel.first(), rays.span(), results.span()); });
  }
  measure(state, scene.devices, [&] { trace(scene.devices, scene.accel, rays.span(), results.span()); });
}

void measure_row(benchmark::State& state, SharedScene& scene, const Row& row) {
  if (row.result == "any") return measure_rays<u8>(state, scene, row);
  if (row.result == "short") return measure_rays<ShortHit>(state, scene, row);
  measure_rays<Hit>(state, scene, row);
}

void measure_nearest(benchmark::State& state, SharedScene& scene, bool plain) {
  const std::vector<Ray> rays = scene.diffuse.download(std::min<u64>(scene.diffuse.size(), 1 << 20));
  std::vector<vec3> points;
  for (const Ray& ray : rays) points.push_back(ray.origin + 0.01f * ray.direction);
  const Buffer<vec3> device_points(scene.devices.first(), points);
  Buffer<NearestPoint> nearest(scene.devices.first(), points.size());
  measure(state, scene.devices, [&] {
    if (plain) {
      nearest_points(scene.devices.first(), scene.accel.first(), device_points.span(), nearest.span());
    } else {
      nearest_points(scene.devices, scene.accel, device_points.span(), nearest.span());
    }
  });
}

template <class Function>
void add(const std::string& name, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// Makes a scene at its first use, and forgets the one before.
class SceneKeeper {
 public:
  explicit SceneKeeper(const Mesh& mesh) : mesh_(mesh) {}

  SharedScene& get(u32 gpus, bool peer_access, u32 size) {
    const std::string key = std::to_string(gpus) + (peer_access ? "p" : "c") + std::to_string(size);
    if (key != key_) {
      scene_.reset();
      scene_ = std::make_unique<SharedScene>(mesh_, gpus, peer_access, size);
      key_ = key;
    }
    return *scene_;
  }

 private:
  const Mesh& mesh_;
  std::string key_;
  std::unique_ptr<SharedScene> scene_;
};

void add_benchmarks(const Mesh& mesh) {
  if (!gpu_answers()) return run_benchmarks();
  const u32 available = gpu_count();
  const auto keeper = std::make_shared<SceneKeeper>(mesh);
  for (const u32 size : {2048u, 4096u, 8192u}) {
    for (u32 gpus = 1; gpus <= available; gpus = gpus < available ? std::min(2 * gpus, available) : gpus + 1) {
      for (const std::string how : {"plain", "shared", "own", "copied"}) {
        if ((how == "plain") != (gpus == 1) && !(how == "shared" && gpus == 1)) continue;
        for (const bool diffuse : {false, true}) {
          for (const std::string result : {"hits", "short", "any"}) {
            const Row row{diffuse, result, how, size, gpus};
            add(row.name(), [=](benchmark::State& state) {
              measure_row(state, keeper->get(row.gpus, row.how != "copied", row.size), row);
            });
          }
        }
        if (size != 2048 || how == "own") continue;
        add("nearest/" + how + "/" + std::to_string(gpus), [=](benchmark::State& state) {
          measure_nearest(state, keeper->get(gpus, how != "copied", size), how == "plain");
        });
      }
      if (size != 2048 || gpus == 1) continue;
      add("replicate/" + std::to_string(gpus), [=](benchmark::State& state) {
        SharedScene& scene = keeper->get(gpus, true, size);
        measure(state, scene.devices, [&] { update(scene.devices, scene.accel); });
        state.counters["bytes"] = double(scene.accel.on(gpus - 1).size_bytes());
      });
    }
  }
  run_benchmarks();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  return copse::bench::run_mesh_program("Measures rays and queries that several GPUs share.", argc, argv,
                                        copse::bench::add_benchmarks);
}
