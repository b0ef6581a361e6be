// Measures closest hits on the CPU, through every layout, beside Embree's in the same process.
//
//   copse-bench-rays MESH|hairball [SUBDIVISIONS] [--inside] [--reinsert] [--benchmark_...]
//
// The rays are those of `copse bench`: 1024 x 1024 primary rays, and a diffuse ray for each that hits. With
// --inside, they start in the middle of the scene. The trees are those of the SAH builder; --reinsert adds two
// passes of reinsertion. Their wide trees have fuller leaves than by default, because up to four triangles are
// tested at once.
//
// Times are processor times, divided by the number of threads, so that other programs on the machine matter
// little. Ours and Embree's are taken in turn, and the medians are compared.

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "bench/embree_rays.h"
#include "bench/support/median.h"
#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "copse.h"

namespace copse::bench {
namespace {

/// Everything that rays are traced through, in a context's memory.
struct Scene {
  Mesh mesh;
  Context context{{.backend = Backend::cpu}};
  Buffer<vec3> positions;
  Buffer<uvec3> indices;
  TriangleView triangles;
  Bvh binary;
  EmbreeRays embree;
  std::vector<Ray> primary, diffuse;

  Scene(Mesh of, bool is_inside, bool is_reinserted)
      : mesh(std::move(of)),
        positions(context, mesh.positions),
        indices(context, mesh.triangles),
        triangles{.positions = positions.span(), .triangles = indices.span()},
        binary(build(context, triangles, SahOptions{})),
        embree(mesh),
        primary(make_primary_rays(default_eye(bounds(mesh), is_inside), 1024)) {
    if (is_reinserted) reinsert(context, binary, {.passes = 2});
    std::vector<Hit> hits;
    embree.closest_hits(primary, hits);
    diffuse = make_diffuse_rays(mesh, bounds(mesh), primary, hits);
  }
};

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <class Work>
double seconds_of(const Work& work) {
  const double begin = processor_seconds();
  work();
  return (processor_seconds() - begin) / std::thread::hardware_concurrency();
}

/// Returns the number of rays whose hits differ: Embree found another triangle at a distance that rounding does
/// not explain, or only one of the two found a triangle. Embree tests triangles in another way, with far fewer
/// guarantees at their edges.
size_t different_hits(const std::vector<Hit>& ours, const std::vector<Hit>& others) {
  size_t different = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].primitive == others[i].primitive) continue;
    const bool both_hit = is_hit(ours[i]) && is_hit(others[i]);
    different += both_hit && std::abs(ours[i].t - others[i].t) <= 1e-4f * ours[i].t ? 0 : 1;
  }
  return different;
}

using Rays = std::vector<Ray> Scene::*;

/// Measures a row: `trace(rays, hits)` in turn with Embree.
template <class Trace>
void measure(benchmark::State& state, Scene& scene, Rays asked, const Trace& trace) {
  const std::vector<Ray>& host_rays = scene.*asked;
  const Buffer<Ray> rays(scene.context, host_rays);
  Buffer<Hit> hits(scene.context, rays.size());
  std::vector<Hit> embree_hits;
  std::vector<double> ours, one, packets;
  trace(rays.span(), hits.span());
  for (auto _ : state) {
    ours.push_back(seconds_of([&] { trace(rays.span(), hits.span()); }));
    packets.push_back(seconds_of([&] { scene.embree.closest_hits_of_packets(host_rays, embree_hits); }));
    one.push_back(seconds_of([&] { scene.embree.closest_hits(host_rays, embree_hits); }));
    state.SetIterationTime(ours.back());
  }
  const double millions = 1e-6 * double(host_rays.size());
  state.counters["rays"] = double(host_rays.size());
  state.counters["mrays_per_s"] = millions / median(ours);
  state.counters["embree_mrays_per_s"] = millions / median(one);
  state.counters["embree_packets_mrays_per_s"] = millions / median(packets);
  state.counters["ours_over_embree_one_by_one"] = median(one) / median(ours);
  const size_t different = different_hits(hits.download(), embree_hits);
  state.counters["different"] = double(different);
  if (different > host_rays.size() / 500) state.SkipWithError("Embree finds other hits");
}

void binary_row(benchmark::State& state, Scene* scene, Rays rays, TraceKernel kernel) {
  const PackedTriangles packed = pack_triangles(scene->context, scene->binary.view(), scene->triangles);
  measure(state, *scene, rays, [&](BufferSpan<const Ray> asked, BufferSpan<Hit> hits) {
    closest_hits(scene->context, scene->binary.view(), packed.view(), asked, hits, {.kernel = kernel});
  });
}

template <class Tree>
void wide_row(benchmark::State& state, Scene* scene, Rays rays, TraceKernel kernel) {
  const u32 leaf_size = std::is_same_v<Tree, CompressedBvh8> ? 3 : 4;
  const Tree tree = collapse<Tree>(scene->context, scene->binary, {.max_leaf_size = leaf_size, .costs = {6, 1}});
  const PackedTriangles packed = pack_triangles(scene->context, tree.view(), scene->triangles);
  measure(state, *scene, rays, [&](BufferSpan<const Ray> asked, BufferSpan<Hit> hits) {
    closest_hits(scene->context, tree.view(), packed.view(), asked, hits, {.kernel = kernel});
  });
}

using Row = void (*)(benchmark::State&, Scene*, Rays, TraceKernel);

void add_benchmarks(Scene& scene) {
  const std::pair<const char*, Rays> asked[] = {{"primary", &Scene::primary}, {"diffuse", &Scene::diffuse}};
  const std::pair<const char*, Row> rows[] = {{"bvh2", binary_row},
                                              {"bvh4", wide_row<Bvh4>},
                                              {"compressed_bvh4", wide_row<CompressedBvh4>},
                                              {"compressed_bvh8", wide_row<CompressedBvh8>}};
  const std::pair<const char*, TraceKernel> kernels[] = {{"automatic", TraceKernel::automatic},
                                                         {"one_by_one", TraceKernel::thread_per_ray},
                                                         {"packets", TraceKernel::packets}};
  for (const auto& [rays_name, rays] : asked) {
    for (const auto& [layout, row] : rows) {
      for (const auto& [kernel_name, kernel] : kernels) {
        const std::string name = std::string(rays_name) + "/" + layout + "/" + kernel_name;
        benchmark::RegisterBenchmark(name.c_str(), row, &scene, rays, kernel)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->Iterations(5);
      }
    }
  }
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  bool is_inside = false, is_reinserted = false;
  return bench::run_mesh_program("Closest hits on the CPU beside Embree's", argc, argv,
                                 [&](const Mesh& mesh) {
                                   bench::Scene scene(mesh, is_inside, is_reinserted);
                                   bench::add_benchmarks(scene);
                                   bench::run_benchmarks();
                                 },
                                 {{"--inside", "Primary rays from the middle of the scene", &is_inside},
                                  {"--reinsert", "Trees after two passes of reinsertion", &is_reinserted}});
}
