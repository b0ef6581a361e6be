// Measures rays with a time through triangles that move, beside the rays through an Accel of the triangles that stand
// still.
//
//   copse-bench-motion-blur MESH|hairball [SUBDIVISIONS] [--benchmark_...]
//
// Rows: rays/KIND/STRUCTURE and any/KIND/STRUCTURE: a million rays, each with a random time. STRUCTURE is the Accel, or
//       the MotionAccel with 2 keys and one of three motions: none, slow (2 % of the mesh's diagonal) or fast (a turn
//       by 30 degrees and 20 % of the diagonal);
//       tree/STEP/QUALITY/STRUCTURE: builds and refits as captured graphs.

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <memory>

#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "bench/support/timed.h"
#include "copse.h"

namespace copse::bench {
namespace {

/// A motion from the first key to the second.
struct Motion {
  const char* name;
  float angle;  // around the middle, in radians
  float share;  // of the diagonal
};

constexpr std::array<Motion, 3> motions{{{"none", 0, 0}, {"slow", 0.01f, 0.02f}, {"fast", 0.5236f, 0.2f}}};

std::vector<vec3> moved(const Mesh& mesh, const Motion& motion) {
  const Aabb box = bounds(mesh);
  const vec3 middle = centroid(box);
  const float way = motion.share * glm::length(box.hi - box.lo);
  const float c = motion.angle == 0 ? 1.0f : std::cos(motion.angle),
              s = motion.angle == 0 ? 0.0f : std::sin(motion.angle);
  std::vector<vec3> positions = mesh.positions;
  if (motion.share == 0) return positions;
  for (vec3& p : positions) {
    const vec3 d = p - middle;
    p = middle + vec3(c * d.x - s * d.y + way, s * d.x + c * d.y, d.z + 0.3f * way);
  }
  return positions;
}

/// Primary and diffuse rays with random times, and what they go through.
struct MovingScene {
  Context context;
  Buffer<uvec3> triangles;
  Buffer<vec3> still;
  std::vector<Buffer<vec3>> keys;  // one per motion
  Accel accel;
  std::vector<MotionAccel> moving;
  Buffer<Ray> rays[2];
  Buffer<float> times[2];

  MovingScene(Backend backend, const Mesh& mesh)
      : context({.backend = backend}),
        triangles(context, mesh.triangles),
        still(context, mesh.positions),
        accel(build(context, view(still))) {
    for (const Motion& motion : motions) {
      keys.emplace_back(context, moved(mesh, motion));
      moving.push_back(build(context, triangles_of(u32(keys.size()) - 1)));
    }
    make_rays(mesh);
  }

  TriangleView view(const Buffer<vec3>& positions) const {
    return {.positions = positions.span(), .triangles = triangles.span()};
  }
  MotionTriangles triangles_of(u32 motion) const {
    return MotionTriangles(std::vector<TriangleView>{view(still), view(keys[motion])});
  }

 private:
  void make_rays(const Mesh& mesh) {
    const Aabb box = bounds(mesh);
    const std::vector<Ray> primary = make_primary_rays(default_eye(box, false), 1024);
    rays[0] = Buffer<Ray>(context, primary);
    Buffer<Hit> hits(context, primary.size());
    closest_hits(context, accel, rays[0].span(), hits.span());
    rays[1] = Buffer<Ray>(context, make_diffuse_rays(mesh, box, primary, hits.download()));
    u32 state = 1;
    for (int kind = 0; kind < 2; ++kind) {
      std::vector<float> random(rays[kind].size());
      for (float& time : random) time = float((state = state * 747796405u + 2891336453u) >> 8) * 0x1p-24f;
      times[kind] = Buffer<float>(context, random);
    }
  }
};

void measure_rays(benchmark::State& state, MovingScene& scene, int kind, u32 structure, bool any) {
  const Buffer<Ray>& rays = scene.rays[kind];
  if (structure == motions.size()) {
    const TraceOptions options;
    return any ? time_rays<u8>(state, scene.context, scene.accel, rays, options)
               : time_rays<Hit>(state, scene.context, scene.accel, rays, options);
  }
  const MotionTraceOptions options{.times = scene.times[kind].span()};
  any ? time_rays<u8>(state, scene.context, scene.moving[structure], rays, options)
      : time_rays<Hit>(state, scene.context, scene.moving[structure], rays, options);
}

void measure_tree(benchmark::State& state, MovingScene& scene, Quality quality, bool refits, bool moves) {
  Accel accel = build(scene.context, scene.view(scene.still), {.quality = quality});
  MotionAccel moving = build(scene.context, scene.triangles_of(1), {.quality = quality});
  const auto step = [&] {
    if (moves) {
      refits ? refit(scene.context, moving, scene.triangles_of(1))
             : rebuild(scene.context, moving, scene.triangles_of(1));
    } else {
      refits ? refit(scene.context, accel, scene.view(scene.still))
             : rebuild(scene.context, accel, scene.view(scene.still));
    }
  };
  time_captured(state, scene.context, step);
}

void add_benchmarks(const Mesh& mesh) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !gpu_answers()) continue;
    auto made = std::make_shared<std::unique_ptr<MovingScene>>();
    const auto scene = [=, &mesh]() -> MovingScene& {
      if (*made == nullptr) *made = std::make_unique<MovingScene>(backend, mesh);
      return **made;
    };
    const auto add = [](const std::string& name, const auto& measure) {
      benchmark::RegisterBenchmark(name.c_str(), measure)->UseManualTime()->Unit(benchmark::kMillisecond);
    };
    const std::string end = std::string("/") + name_of(backend);
    for (const bool any : {false, true}) {
      for (int kind = 0; kind < 2; ++kind) {
        for (u32 structure = 0; structure <= motions.size(); ++structure) {
          const char* const of = structure < motions.size() ? motions[structure].name : "accel";
          add(std::string(any ? "any/" : "rays/") + (kind == 0 ? "primary/" : "diffuse/") + of + end,
              [=](benchmark::State& state) { measure_rays(state, scene(), kind, structure, any); });
        }
      }
    }
    for (const Quality quality : {Quality::fast, Quality::balanced}) {
      for (const bool refits : {false, true}) {
        for (const bool moves : {false, true}) {
          add(std::string("tree/") + (refits ? "refit/" : "rebuild/") + name_of(quality) +
                  (moves ? "/moving" : "/accel") + end,
              [=](benchmark::State& state) { measure_tree(state, scene(), quality, refits, moves); });
        }
      }
    }
  }
  run_benchmarks();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  return copse::bench::run_mesh_program("Measures rays through triangles that move.", argc, argv,
                                        copse::bench::add_benchmarks);
}
