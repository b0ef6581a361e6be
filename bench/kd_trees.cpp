// Measures kd-trees of triangles beside trees of boxes, on both backends: the build, and closest hits.
//
//   copse-bench-kd MESH|hairball [SUBDIVISIONS] [--inside] [--benchmark_...]
//
// The rays are those of `copse bench`: 1024 x 1024 primary rays, and a diffuse ray for each that hits. With
// --inside they start in the middle of the scene. The rows are STRUCTURE/build and STRUCTURE/primary and /diffuse,
// for
//
//   kd       the kd-tree by the surface area heuristic
//   bvh      the binary tree of the SAH builder, traced one ray per thread as the kd-tree is
//   accel    an Accel of quality balanced
//
// The hits of all three are compared bit for bit. Counters: bytes of the structure, entries of leaves per
// triangle.

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "copse.h"
#include "copse/grids.h"

namespace copse::bench {
namespace {

/// A mesh and rays in a context's memory.
struct KdScene {
  Context context;
  u64 triangle_count;
  Buffer<vec3> positions;
  Buffer<uvec3> indices;
  TriangleView triangles;
  Buffer<Ray> rays[2];  // primary, diffuse
  std::vector<Hit> expected[2];

  KdScene(Backend backend, const Mesh& mesh, bool is_inside)
      : context({.backend = backend}),
        triangle_count(mesh.triangles.size()),
        positions(context, mesh.positions),
        indices(context, mesh.triangles),
        triangles{.positions = positions.span(), .triangles = indices.span()} {
    const Aabb box = bounds(mesh);
    const std::vector<Ray> primary = make_primary_rays(default_eye(box, is_inside), 1024);
    rays[0] = Buffer<Ray>(context, primary);
    const Accel accel = build(context, triangles);
    expected[0] = hits_of(accel, rays[0]);
    rays[1] = Buffer<Ray>(context, make_diffuse_rays(mesh, box, primary, expected[0]));
    expected[1] = hits_of(accel, rays[1]);
  }

 private:
  std::vector<Hit> hits_of(const Accel& accel, const Buffer<Ray>& asked) {
    Buffer<Hit> hits(context, asked.size());
    closest_hits(context, accel, asked.span(), hits.span());
    return hits.download();
  }
};

/// The three structures. Each has make(scene), trace(scene, structure, rays, hits), and bytes_of(structure).
struct KdKind {
  static SahKdTree make(KdScene& scene) { return build_sah_kd_tree(scene.context, scene.triangles); }
  static void trace(KdScene& scene, const SahKdTree& tree, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) {
    closest_hits(scene.context, tree.view(), scene.triangles, rays, hits);
  }
  static u64 bytes_of(const SahKdTree& tree) { return tree.size_bytes(); }
};

struct BvhKind {
  struct Packed {
    Bvh bvh;
    PackedTriangles triangles;
  };
  static Packed make(KdScene& scene) {
    Packed made{build(scene.context, scene.triangles, SahOptions{}), {}};
    made.triangles = pack_triangles(scene.context, made.bvh.view(), scene.triangles);
    return made;
  }
  static void trace(KdScene& scene, const Packed& tree, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) {
    closest_hits(scene.context, tree.bvh.view(), tree.triangles.view(), rays, hits,
                 {.kernel = TraceKernel::thread_per_ray});
  }
  static u64 bytes_of(const Packed& tree) {
    return tree.bvh.nodes.size_bytes() + tree.triangles.triangles.size_bytes();
  }
};

struct AccelKind {
  static Accel make(KdScene& scene) { return build(scene.context, scene.triangles); }
  static void trace(KdScene& scene, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) {
    closest_hits(scene.context, accel, rays, hits);
  }
  static u64 bytes_of(const Accel& accel) { return accel.size_bytes(); }
};

template <class Kind>
void build_row(benchmark::State& state, KdScene* scene) {
  auto structure = Kind::make(*scene);
  for (auto _ : state) {
    Stopwatch stopwatch(scene->context);
    structure = Kind::make(*scene);
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3);
  }
  state.counters["triangles"] = double(scene->triangle_count);
  state.counters["bytes"] = double(Kind::bytes_of(structure));
  if constexpr (std::is_same_v<Kind, KdKind>) {
    state.counters["entries_per_triangle"] =
        double(structure.primitive_ids.size()) / double(larger(scene->triangle_count, u64{1}));
  }
}

template <class Kind>
void trace_row(benchmark::State& state, KdScene* scene, u32 which) {
  const auto structure = Kind::make(*scene);
  const Buffer<Ray>& rays = scene->rays[which];
  Buffer<Hit> hits(scene->context, rays.size());
  Kind::trace(*scene, structure, rays.span(), hits.span());
  double seconds = 0;
  for (auto _ : state) {
    Stopwatch stopwatch(scene->context);
    Kind::trace(*scene, structure, rays.span(), hits.span());
    const double once = stopwatch.milliseconds() * 1e-3;
    state.SetIterationTime(once);
    seconds += once;
  }
  state.counters["rays_per_s"] = double(rays.size()) * double(state.iterations()) / seconds;
  const std::vector<Hit> found = hits.download();
  const std::vector<Hit>& expected = scene->expected[which];
  if (std::memcmp(found.data(), expected.data(), found.size() * sizeof(Hit)) != 0) {
    state.SkipWithError("the hits differ from those of the Accel");
  }
}

template <class Kind>
void add_rows(KdScene& scene, const std::string& kind) {
  const auto settle = [](benchmark::internal::Benchmark* row) {
    row->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(0.5);
  };
  const std::string end = std::string("/") + name_of(scene.context.backend());
  settle(benchmark::RegisterBenchmark((kind + "/build" + end).c_str(), build_row<Kind>, &scene));
  settle(benchmark::RegisterBenchmark((kind + "/primary" + end).c_str(), trace_row<Kind>, &scene, 0u));
  settle(benchmark::RegisterBenchmark((kind + "/diffuse" + end).c_str(), trace_row<Kind>, &scene, 1u));
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  bool is_inside = false;
  return bench::run_mesh_program("kd-trees of triangles beside trees of boxes", argc, argv,
                                 [&](const Mesh& mesh) {
                                   std::vector<std::unique_ptr<bench::KdScene>> scenes;
                                   for (const Backend backend : {Backend::cpu, Backend::cuda}) {
                                     if (backend == Backend::cuda && !bench::gpu_answers()) continue;
                                     scenes.push_back(std::make_unique<bench::KdScene>(backend, mesh, is_inside));
                                     bench::add_rows<bench::KdKind>(*scenes.back(), "kd");
                                     bench::add_rows<bench::BvhKind>(*scenes.back(), "bvh");
                                     bench::add_rows<bench::AccelKind>(*scenes.back(), "accel");
                                   }
                                   bench::run_benchmarks();
                                 },
                                 {{"--inside", "Primary rays from the middle of the scene", &is_inside}});
}
