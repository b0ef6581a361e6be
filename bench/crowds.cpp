// Rays through instances that overlap: with the references per instance that SceneOptions::opening allows.

#include "bench/crowds.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <memory>

#include "bench/support/scene_rays.h"
#include "copse.h"

namespace copse::bench {
namespace {

/// Numbers of a linear congruential generator, the same on every run.
class Numbers {
 public:
  float next() { return float((state_ = state_ * 747796405u + 2891336453u) >> 8) * 0x1p-24f; }
  vec3 point() {
    const float x = next(), y = next(), z = next();
    return vec3(x, y, z);
  }

 private:
  u32 state_ = 7;
};

/// A trunk, and 12,000 leaves of two triangles in a ball above it. 24,000 triangles, 1.2 wide and 2 high.
Mesh make_tree(u32 seed) {
  Numbers numbers;
  for (u32 i = 0; i < seed; ++i) numbers.next();
  Mesh tree;
  const auto add_card = [&](const vec3& middle, const vec3& along, const vec3& across) {
    const u32 first = u32(tree.positions.size());
    for (const vec3& p :
         {middle - along - across, middle + along - across, middle + along + across, middle - along + across}) {
      tree.positions.push_back(p);
    }
    tree.triangles.push_back({first, first + 1, first + 2});
    tree.triangles.push_back({first, first + 2, first + 3});
  };
  for (const vec3& side : {vec3(0.05f, 0, 0), vec3(0, 0, 0.05f)})
    add_card(vec3(0, 0.5f, 0), vec3(0, 0.5f, 0), side);
  while (tree.triangles.size() < 24000) {
    const vec3 at = numbers.point() * 2.0f - 1.0f;
    if (glm::dot(at, at) > 1) continue;
    const vec3 along = glm::normalize(numbers.point() - 0.5f) * 0.02f;
    add_card(vec3(0, 1.4f, 0) + at * 0.6f, along, glm::normalize(glm::cross(along, numbers.point())) * 0.012f);
  }
  return tree;
}

/// Copies of a mesh at random places of a cube, in which each overlaps some twenty others.
std::vector<Instance> make_heap(const Mesh& mesh) {
  const Aabb box = bounds(mesh);
  const vec3 extent = (box.hi - box.lo) * 5.0f;
  Numbers numbers;
  std::vector<Instance> instances(1000);
  for (Instance& instance : instances) {
    const vec3 at = extent * numbers.point();
    for (int axis = 0; axis < 3; ++axis) instance.rows[axis][3] = at[axis];
  }
  return instances;
}

/// Trees on a plane of 55 by 55, of several heights, each turned about its trunk. Crowns overlap about five others.
std::vector<Instance> make_forest() {
  Numbers numbers;
  std::vector<Instance> instances(12000);
  for (u32 i = 0; i < instances.size(); ++i) {
    const float size = 0.7f + 0.6f * numbers.next(), turn = 6.2831853f * numbers.next();
    const float c = size * std::cos(turn), s = size * std::sin(turn);
    const float x = 55 * numbers.next(), z = -55 * numbers.next();
    instances[i] = {.rows = {{c, 0, s, x}, {0, size, 0, 0}, {-s, 0, c, z}}, .accel = i % 3};
  }
  return instances;
}

/// A scene of instances that overlap, and rays through it: primary ones, and from where these hit in all directions.
struct Crowd {
  Context context;
  std::vector<Accel> accels;
  std::vector<Instance> instances;
  Accel flat;
  Buffer<Ray> rays[2];

  Crowd(Backend backend, const std::vector<Mesh>& meshes, std::vector<Instance> placed, const vec3& eye,
        bool flattens)
      : context({.backend = backend}), instances(std::move(placed)) {
    for (const Mesh& mesh : meshes) accels.push_back(accel_of(mesh));
    if (flattens) flat = accel_of(flattened(meshes[0]));
    const std::vector<Ray> primary = make_primary_rays(eye, 2048);
    rays[0] = Buffer<Ray>(context, primary);
    Buffer<SceneHit> hits(context, primary.size());
    closest_hits(context, scene(1), rays[0].span(), hits.span());
    rays[1] = Buffer<Ray>(context, rays_from(primary, hits.download()));
  }

  Scene scene(float opening) {
    return build(context, accels, instances, {.quality = Quality::best, .opening = opening});
  }

 private:
  Accel accel_of(const Mesh& mesh) {
    const Buffer<vec3> positions(context, mesh.positions);
    const Buffer<uvec3> triangles(context, mesh.triangles);
    return build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()});
  }

  Mesh flattened(const Mesh& mesh) const {
    Mesh all;
    for (const Instance& instance : instances) {
      const u32 first = u32(all.positions.size());
      const vec3 at(instance.rows[0][3], instance.rows[1][3], instance.rows[2][3]);
      for (const vec3& p : mesh.positions) all.positions.push_back(p + at);
      for (const uvec3& t : mesh.triangles) all.triangles.push_back(t + first);
    }
    return all;
  }

  static std::vector<Ray> rays_from(const std::vector<Ray>& primary, const std::vector<SceneHit>& hits) {
    Numbers numbers;
    std::vector<Ray> rays;
    for (size_t i = 0; i < hits.size(); ++i) {
      const vec3 direction = glm::normalize(numbers.point() - 0.5f);
      if (is_hit(hits[i])) {
        rays.push_back({primary[i].origin + primary[i].direction * hits[i].t, 1e-3f, direction, infinity});
      }
    }
    return rays;
  }
};

template <class HitType, class Structure>
void trace(benchmark::State& state, Crowd& crowd, const Structure& structure, const Buffer<Ray>& rays) {
  Buffer<HitType> hits(crowd.context, rays.size());
  const auto run = [&] { closest_hits(crowd.context, structure, rays.span(), hits.span()); };
  run();
  for (auto _ : state) {
    Stopwatch stopwatch(crowd.context);
    run();
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3);
  }
  state.counters["rays"] = benchmark::Counter(double(rays.size()), benchmark::Counter::kIsIterationInvariantRate);
}

void add_rows(const std::string& what, Backend backend, std::function<std::unique_ptr<Crowd>()> make,
              bool flattens) {
  auto made = std::make_shared<std::unique_ptr<Crowd>>();
  const char* const kinds[] = {"primary", "scattered"};
  for (int kind = 0; kind < 2; ++kind) {
    for (const int opening : {0, 1, 2, 4, 8, 16}) {  // 0: the Accel of all triangles
      if (opening == 0 && !flattens) continue;
      const std::string name = what + "/" + kinds[kind] + "/" +
                               (opening == 0 ? "accel" : "opening-" + std::to_string(opening)) + "/" +
                               name_of(backend);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) {
                                     if (*made == nullptr) *made = make();
                                     Crowd& crowd = **made;
                                     const Buffer<Ray>& rays = crowd.rays[kind];
                                     opening == 0
                                         ? trace<Hit>(state, crowd, crowd.flat, rays)
                                         : trace<SceneHit>(state, crowd, crowd.scene(float(opening)), rays);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

void add_crowds(Backend backend, const Mesh& mesh) {
  const auto heap = [=, &mesh] {
    const vec3 size = bounds(mesh).hi - bounds(mesh).lo, eye = bounds(mesh).lo + size * vec3(3, 3, 11);
    return std::make_unique<Crowd>(backend, std::vector<Mesh>{mesh}, make_heap(mesh), eye, true);
  };
  const auto forest = [=] {
    const std::vector<Mesh> trees{make_tree(0), make_tree(1), make_tree(2)};
    return std::make_unique<Crowd>(backend, trees, make_forest(), vec3(27, 5, 8), false);
  };
  add_rows("heap", backend, heap, true);
  add_rows("forest", backend, forest, false);
}

}  // namespace copse::bench
