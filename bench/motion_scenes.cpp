// Measures rays with a time through instances that move, beside those through a Scene that stands still.
//
//   copse-bench-motion-scenes MESH|hairball [--benchmark_...]
//
// Rows: rays/KIND/STRUCTURE and any/KIND/STRUCTURE: a million rays, each with a random time, through 10 x 10 copies of the
//       mesh. STRUCTURE is the Scene, or the MotionScene with 2 keys and a motion: none, slow (2 % of a copy's diagonal
//       and a turn by 1 degree), turns (by 60 degrees in place) or fast (a copy's diagonal and a turn by 30 degrees; with
//       one tree, and with 8 trees), or with copies of a MotionAccel (inside);
//       tree/STEP/STRUCTURE: rebuilds and refits of the trees over 100,000 instances, as captured graphs.

#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <memory>

#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "bench/support/timed.h"
#include "builders/geometry/generate.h"
#include "copse.h"

namespace copse::bench {
namespace {

struct Motion {
  const char* name;
  float angle;  // of each copy, about its middle, in radians
  float share;  // of its diagonal
  u32 tree_count;
};

constexpr std::array<Motion, 5> motions{{{"none", 0, 0, 0},
                                         {"slow", 0.0175f, 0.02f, 0},
                                         {"turns", 1.047f, 0, 0},
                                         {"fast", 0.5236f, 1, 0},
                                         {"fast_8_trees", 0.5236f, 1, 8}}};

/// Numbers of a linear congruential generator, the same on every run.
struct Numbers {
  u32 state = 1;
  float next() { return float((state = state * 747796405u + 2891336453u) >> 8) * 0x1p-24f; }
};

/// Two keys for each place. An instance turns about a point of its mesh, and goes its own way.
std::vector<MotionTransform> keys_of(const std::vector<vec3>& places, const vec3& middle, float way,
                                     const Motion& motion) {
  Numbers numbers;
  std::vector<MotionTransform> keys;
  for (const vec3& place : places) {
    const vec3 side =
        glm::normalize(vec3(numbers.next(), numbers.next(), numbers.next()) - 0.5f + vec3(0, 1e-3f, 0));
    for (int key = 0; key < 2; ++key) {
      MotionTransform t;
      t.pivot_x = -middle.x, t.pivot_y = -middle.y, t.pivot_z = -middle.z;
      t.rotation[1] = std::sin(float(key) * motion.angle / 2),
      t.rotation[3] = std::cos(float(key) * motion.angle / 2);
      const vec3 at = place + middle + side * (float(key) * motion.share * way);
      for (int axis = 0; axis < 3; ++axis) t.translation[axis] = at[axis];
      keys.push_back(t);
    }
  }
  return keys;
}

/// Copies of a mesh that stand and move, and rays with random times.
struct MovingCopies {
  Context context;
  Buffer<uvec3> triangles;
  Buffer<vec3> positions, bent;
  Accel accel;
  MotionAccel moving_accel;
  Scene still;
  std::vector<MotionScene> moving;  // one per motion, then the one of the MotionAccel
  Buffer<Ray> rays[2];
  Buffer<float> times[2];

  MovingCopies(Backend backend, const Mesh& mesh)
      : context({.backend = backend}),
        triangles(context, mesh.triangles),
        positions(context, mesh.positions),
        accel(build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()})) {
    const Aabb box = bounds(mesh);
    std::vector<vec3> places;
    for (int i = 0; i < 100; ++i) {
      places.push_back((box.hi - box.lo) * 1.3f * vec3(float(i % 10), float(i / 10), 0));
    }
    std::vector<Instance> instances(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) instances[i].rows[axis][3] = places[i][axis];
    }
    still = build(context, accel, instances);
    make_moving_accel(mesh);
    const vec3 middle = centroid(box);
    const float way = glm::length(box.hi - box.lo);
    for (const Motion& motion : motions)
      moving.push_back(scene_of(accel, keys_of(places, middle, way, motion), motion));
    moving.push_back(scene_of(moving_accel, keys_of(places, middle, way, motions[1]), motions[1]));
    make_rays(mesh, instances);
  }

 private:
  MotionScene scene_of(const MotionSceneAccels& accels, const std::vector<MotionTransform>& keys,
                       const Motion& motion) {
    const Buffer<MotionTransform> transforms(context, keys);
    MotionScene scene =
        build(context, accels, {.transforms = transforms.span()}, {.tree_count = motion.tree_count});
    context.wait();
    return scene;
  }

  void make_moving_accel(const Mesh& mesh) {
    std::vector<vec3> moved = mesh.positions;
    for (vec3& p : moved) p *= 1.02f;
    bent = Buffer<vec3>(context, moved);
    const std::vector<TriangleView> keys = {{.positions = positions.span(), .triangles = triangles.span()},
                                            {.positions = bent.span(), .triangles = triangles.span()}};
    moving_accel = build(context, MotionTriangles(keys));
  }

  void make_rays(const Mesh& mesh, const std::vector<Instance>& instances) {
    Mesh joined;
    for (const Instance& instance : instances) {
      const u32 first = u32(joined.positions.size());
      const vec3 at(instance.rows[0][3], instance.rows[1][3], instance.rows[2][3]);
      for (const vec3& p : mesh.positions) joined.positions.push_back(p + at);
      for (const uvec3& t : mesh.triangles) joined.triangles.push_back(t + first);
    }
    const Aabb box = bounds(joined);
    const std::vector<Ray> primary = make_primary_rays(default_eye(box, false), 1024);
    rays[0] = Buffer<Ray>(context, primary);
    Buffer<SceneHit> hits(context, primary.size());
    closest_hits(context, still, rays[0].span(), hits.span());
    std::vector<Hit> flat;
    for (const SceneHit& hit : hits.download()) {
      flat.push_back(SceneView::in_mesh(hit));
      if (is_hit(hit)) flat.back().primitive += hit.instance * u32(mesh.triangles.size());
    }
    rays[1] = Buffer<Ray>(context, make_diffuse_rays(joined, box, primary, flat));
    Numbers numbers;
    for (int kind = 0; kind < 2; ++kind) {
      std::vector<float> random(rays[kind].size());
      for (float& time : random) time = numbers.next();
      times[kind] = Buffer<float>(context, random);
    }
  }
};

void measure_rays(benchmark::State& state, MovingCopies& copies, int kind, size_t structure, bool any) {
  const Buffer<Ray>& rays = copies.rays[kind];
  if (structure == copies.moving.size()) {
    const SceneTraceOptions options;
    return any ? time_rays<u8>(state, copies.context, copies.still, rays, options)
               : time_rays<SceneHit>(state, copies.context, copies.still, rays, options);
  }
  const MotionTraceOptions options{.times = copies.times[kind].span()};
  any ? time_rays<u8>(state, copies.context, copies.moving[structure], rays, options)
      : time_rays<SceneHit>(state, copies.context, copies.moving[structure], rays, options);
}

void measure_tree(benchmark::State& state, Backend backend, bool refits, bool moves) {
  constexpr u32 count = 100000;
  Context context({.backend = backend});
  const Mesh cube = generate_cube();
  const Buffer<vec3> positions(context, cube.positions);
  const Buffer<uvec3> triangles(context, cube.triangles);
  const Accel accel = build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()});
  Numbers numbers;
  std::vector<vec3> places;
  for (u32 i = 0; i < count; ++i) places.push_back(vec3(numbers.next(), numbers.next(), numbers.next()) * 180.0f);
  const std::vector<MotionTransform> host_keys = keys_of(places, vec3(0), 2, motions[1]);
  const Buffer<MotionTransform> keys(context, host_keys);
  std::vector<Instance> host_instances(count);
  for (u32 i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) host_instances[i].rows[axis][3] = places[i][axis];
  }
  const Buffer<Instance> instances(context, host_instances);
  const InstanceView still = InstanceView::of(instances.span());
  const MotionInstanceView moving{.transforms = keys.span()};
  Scene scene = build(context, accel, still);
  MotionScene motion_scene = build(context, accel, moving);
  const auto step = [&] {
    if (moves) {
      refits ? refit(context, motion_scene, moving) : rebuild(context, motion_scene, moving);
    } else {
      refits ? refit(context, scene, still) : rebuild(context, scene, still);
    }
  };
  time_captured(state, context, step);
}

void add_benchmarks(const Mesh& mesh) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !gpu_answers()) continue;
    auto made = std::make_shared<std::unique_ptr<MovingCopies>>();
    const auto copies = [=, &mesh]() -> MovingCopies& {
      if (*made == nullptr) *made = std::make_unique<MovingCopies>(backend, mesh);
      return **made;
    };
    const auto add = [](const std::string& name, const auto& measure) {
      benchmark::RegisterBenchmark(name.c_str(), measure)->UseManualTime()->Unit(benchmark::kMillisecond);
    };
    const std::string end = std::string("/") + name_of(backend);
    for (const bool any : {false, true}) {
      for (int kind = 0; kind < 2; ++kind) {
        for (size_t structure = 0; structure <= motions.size() + 1; ++structure) {
          const char* const of = structure < motions.size()    ? motions[structure].name
                                 : structure == motions.size() ? "inside"
                                                               : "scene";
          add(std::string(any ? "any/" : "rays/") + (kind == 0 ? "primary/" : "diffuse/") + of + end,
              [=](benchmark::State& state) { measure_rays(state, copies(), kind, structure, any); });
        }
      }
    }
    for (const bool refits : {false, true}) {
      for (const bool moves : {false, true}) {
        add(std::string("tree/") + (refits ? "refit/" : "rebuild/") + (moves ? "moving" : "scene") + end,
            [=](benchmark::State& state) { measure_tree(state, backend, refits, moves); });
      }
    }
  }
  run_benchmarks();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  return copse::bench::run_mesh_program("Measures rays through instances that move.", argc, argv,
                                        copse::bench::add_benchmarks);
}
