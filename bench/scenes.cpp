// Measures scenes of instances: the tree over them, and rays beside those through one Accel of all their triangles.
//
//   copse-bench-scenes MESH|hairball [SUBDIVISIONS] [--benchmark_...]
//
// Rows: tree/STEP/QUALITY/INSTANCES, of cubes at random places, as a captured graph;
//       rays/KIND/COPIES/STRUCTURE and any/KIND/COPIES/STRUCTURE, of copies of the mesh that stand apart in a grid, or
//       of a cube. One copy is an instance with the identity. STRUCTURE is the scene, a scene of scenes that are one
//       row of the grid each (nested), or the Accel of the same triangles;
//       first16/KIND/COPIES/STRUCTURE, the first 16 hits of the same rays in order;
//       nearest/COPIES/STRUCTURE, the nearest points of a million points around the same copies;
//       heap/KIND/STRUCTURE and forest/KIND/STRUCTURE, of copies of the mesh, and of trees, that overlap each other.

#include <cmath>
#include <glm/geometric.hpp>
#include <memory>

#include "accel/accel_hits.h"
#include "bench/crowds.h"
#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "bench/support/timed.h"
#include "builders/geometry/generate.h"
#include "copse.h"
#include "copse/queries.h"
#include "scene/nested_rays.h"
#include "scene/scene_hits.h"

namespace copse::bench {
namespace {

/// Numbers of a linear congruential generator, the same on every run.
std::vector<Instance> scattered(u32 count) {
  u32 state = 1;
  const auto next = [&] { return float((state = state * 747796405u + 2891336453u) >> 8) * 0x1p-24f; };
  std::vector<Instance> instances(count);
  const float extent = 4 * std::cbrt(float(count));
  for (Instance& instance : instances) {
    for (auto& row : instance.rows) {
      for (int column = 0; column < 3; ++column) row[column] += next() - 0.5f;
      row[3] = extent * next();
    }
  }
  return instances;
}

void measure_tree(benchmark::State& state, Backend backend, Quality quality, bool refits, u32 count) {
  Context context({.backend = backend});
  const Mesh cube = generate_cube();
  const Buffer<vec3> positions(context, cube.positions);
  const Buffer<uvec3> triangles(context, cube.triangles);
  const Accel accel = build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()});
  const Buffer<Instance> instances(context, scattered(count));
  const InstanceView view = InstanceView::of(instances.span());
  Scene scene = build(context, accel, view, {.quality = quality});
  const auto step = [&] { refits ? refit(context, scene, view) : rebuild(context, scene, view); };
  time_captured(state, context, step);
  state.counters["bytes_per_instance"] = double(scene.size_bytes()) / count;
}

/// Copies of a mesh in a grid, each a tenth of its size away from the next.
struct Copies {
  std::vector<Instance> instances;
  std::vector<Instance> row, rows;  // one row of the grid, and where the rows stand
  Mesh joined;

  Copies(const Mesh& mesh, u32 across, u32 deep) {
    const Aabb box = bounds(mesh);
    const vec3 pitch = (box.hi - box.lo) * 1.1f;
    for (u32 i = 0; i < across * across * deep; ++i) {
      const vec3 at = pitch * vec3(float(i % across), float(i / across % across), -float(i / (across * across)));
      Instance instance;
      for (int axis = 0; axis < 3; ++axis) instance.rows[axis][3] = at[axis];
      instances.push_back(instance);
      if (i < across) row.push_back(instance);
      if (i % across == 0) rows.push_back(instance);
      const u32 first = u32(joined.positions.size());
      for (const vec3& p : mesh.positions) joined.positions.push_back(p + at);
      for (const uvec3& t : mesh.triangles) joined.triangles.push_back(t + first);
    }
  }
};

/// The structures over the copies of a mesh, and the rays through them.
struct RaysThroughCopies {
  Context context;
  Accel one, all;
  Scene scene, row;
  NestedScene nested;
  Buffer<Ray> rays[2];
  Buffer<vec3> points;

  RaysThroughCopies(Backend backend, const Mesh& mesh, u32 across, u32 deep) : context({.backend = backend}) {
    const Copies copies(mesh, across, deep);
    const Aabb box = bounds(copies.joined);
    const std::vector<Ray> primary = make_primary_rays(default_eye(box, false), 2048);
    one = accel_of(mesh);
    all = accel_of(copies.joined);
    scene = build(context, one, copies.instances);
    row = build(context, one, copies.row);
    nested = build_nested(context, {row}, copies.rows);
    rays[0] = Buffer<Ray>(context, primary);
    Buffer<Hit> hits(context, primary.size());
    closest_hits(context, all, rays[0].span(), hits.span());
    rays[1] = Buffer<Ray>(context, make_diffuse_rays(copies.joined, box, primary, hits.download()));
    const Mesh places = generate_random(1'000'000, 0.01f);
    std::vector<vec3> around;
    for (const uvec3& t : places.triangles) around.push_back(box.lo + places.positions[t.x] * (box.hi - box.lo));
    points = Buffer<vec3>(context, around);
  }

  Accel accel_of(const Mesh& mesh) {
    const Buffer<vec3> positions(context, mesh.positions);
    const Buffer<uvec3> triangles(context, mesh.triangles);
    return build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()});
  }
};

/// The first 16 hits of each ray.
template <class HitType, class Structure>
void trace_first(benchmark::State& state, Context& context, const Structure& structure, const Buffer<Ray>& rays) {
  Buffer<HitType> hits(context, max_first_hits * rays.size());
  Buffer<u32> counts(context, rays.size());
  time_work(state, context, [&] { first_hits(context, structure, rays.span(), hits.span(), counts.span()); });
  u64 found = 0;
  for (const u32 count : counts.download()) found += count;
  state.counters["hits_per_ray"] = double(found) / double(rays.size());
  count_rays(state, rays.size());
}

template <class Nearest, class Structure>
void find_nearest(benchmark::State& state, Context& context, const Structure& structure,
                  const Buffer<vec3>& points) {
  Buffer<Nearest> nearest(context, points.size());
  time_work(state, context, [&] { nearest_points(context, structure, points.span(), nearest.span()); });
}

void add_rays(Backend backend, const Mesh& mesh, u32 across, u32 deep, const std::string& what = "") {
  auto made = std::make_shared<std::unique_ptr<RaysThroughCopies>>();
  const auto through = [=, &mesh]() -> RaysThroughCopies& {
    if (*made == nullptr) *made = std::make_unique<RaysThroughCopies>(backend, mesh, across, deep);
    return **made;
  };
  const std::string copies = std::to_string(across * across * deep) + what;
  const auto add = [](const std::string& name, const auto& measure) {
    benchmark::RegisterBenchmark(name.c_str(), measure)->UseManualTime()->Unit(benchmark::kMillisecond);
  };
  const char* const kinds[] = {"primary", "diffuse"};
  for (int kind = 0; kind < 2; ++kind) {
    const std::string of = std::string(kinds[kind]) + "/" + copies;
    const auto add_structure = [&](const char* structure, auto RaysThroughCopies::*member, auto* hit) {
      const std::string name = of + "/" + structure + "/" + name_of(backend);
      add("rays/" + name, [=](benchmark::State& state) {
        RaysThroughCopies& all = through();
        time_rays<std::remove_pointer_t<decltype(hit)>>(state, all.context, all.*member, all.rays[kind]);
      });
      add("any/" + name, [=](benchmark::State& state) {
        RaysThroughCopies& all = through();
        time_rays<u8>(state, all.context, all.*member, all.rays[kind]);
      });
    };
    add_structure("scene", &RaysThroughCopies::scene, static_cast<SceneHit*>(nullptr));
    add_structure("accel", &RaysThroughCopies::all, static_cast<Hit*>(nullptr));
    add_structure("nested", &RaysThroughCopies::nested, static_cast<NestedHit*>(nullptr));
  }
  const auto add_queries = [&](const char* structure, auto RaysThroughCopies::*member, auto* nearest) {
    add("nearest/" + copies + "/" + structure + "/" + name_of(backend), [=](benchmark::State& state) {
      RaysThroughCopies& all = through();
      find_nearest<std::remove_pointer_t<decltype(nearest)>>(state, all.context, all.*member, all.points);
    });
  };
  add_queries("scene", &RaysThroughCopies::scene, static_cast<SceneNearest*>(nullptr));
  add_queries("accel", &RaysThroughCopies::all, static_cast<NearestPoint*>(nullptr));
  add_queries("nested", &RaysThroughCopies::nested, static_cast<NestedNearest*>(nullptr));
}

/// The first hits of the rays of add_rays.
void add_first_hits(Backend backend, const Mesh& mesh, u32 across) {
  auto made = std::make_shared<std::unique_ptr<RaysThroughCopies>>();
  const auto through = [=, &mesh]() -> RaysThroughCopies& {
    if (*made == nullptr) *made = std::make_unique<RaysThroughCopies>(backend, mesh, across, 1);
    return **made;
  };
  const char* const kinds[] = {"primary", "diffuse"};
  for (int kind = 0; kind < 2; ++kind) {
    for (const char structure : {'s', 'a', 'n'}) {
      const std::string name = std::string("first16/") + kinds[kind] + "/" + std::to_string(across * across) +
                               (structure == 's'   ? "/scene/"
                                : structure == 'a' ? "/accel/"
                                                   : "/nested/") +
                               name_of(backend);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) {
                                     RaysThroughCopies& all = through();
                                     const Buffer<Ray>& rays = all.rays[kind];
                                     if (structure == 's')
                                       trace_first<SceneHit>(state, all.context, all.scene, rays);
                                     if (structure == 'a') trace_first<Hit>(state, all.context, all.all, rays);
                                     if (structure == 'n')
                                       trace_first<NestedHit>(state, all.context, all.nested, rays);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

void add_benchmarks(const Mesh& mesh) {
  const Mesh cube = generate_cube();
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !gpu_answers()) continue;
    for (const u32 count : {100'000u, 1'000'000u}) {
      for (const Quality quality : {Quality::fast, Quality::balanced}) {
        for (const bool refits : {false, true}) {
          const std::string name = std::string("tree/") + (refits ? "refit/" : "rebuild/") + name_of(quality) +
                                   "/" + std::to_string(count) + "/" + name_of(backend);
          benchmark::RegisterBenchmark(
              name.c_str(), [=](benchmark::State& state) { measure_tree(state, backend, quality, refits, count); })
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond);
        }
      }
    }
    for (const u32 across : {1u, 10u}) add_first_hits(backend, mesh, across);
    add_rays(backend, mesh, 1, 1);
    add_rays(backend, mesh, 10, 1);
    if (backend == Backend::cuda) add_rays(backend, mesh, 10, 10);
    add_rays(backend, cube, 100, 10, "-cubes");
    if (backend == Backend::cuda) add_crowds(backend, mesh);
  }
  run_benchmarks();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  return copse::bench::run_mesh_program("Measures scenes of instances.", argc, argv, copse::bench::add_benchmarks);
}
