// Measures what a frame of a moving mesh takes: refit, rebuild, rebuild from the order of the last frame, and the
// decision between them. Two poses take turns, each as a captured graph, so every frame begins with the tree of the
// other pose.
//
//   copse-bench-motion MESH|hairball [SUBDIVISIONS] [--benchmark_...]
//
// Row: STEP/POSE. Poses: `still` moves nothing; `wave` moves every vertex by up to that share of the scene's longest
// edge; `torn` gives every triangle the place of another one.

#include <algorithm>
#include <cmath>

#include "bench/support/mesh_program.h"
#include "copse.h"

namespace copse::bench {
namespace {

struct Pose {
  const char* name;
  std::function<std::vector<vec3>(const Mesh&)> positions;
};

std::vector<vec3> waved(const Mesh& mesh, float share) {
  const Aabb box = bounds(mesh);
  const vec3 extents = box.hi - box.lo;
  const float longest = std::max({extents.x, extents.y, extents.z});
  std::vector<vec3> positions = mesh.positions;
  for (vec3& p : positions) {
    const vec3 phase = (p - box.lo) / longest * 12.0f;
    p += vec3(std::sin(phase.y), std::sin(phase.z + 1), std::sin(phase.x + 2)) *
         (share * longest / std::sqrt(3.0f));
  }
  return positions;
}

std::vector<vec3> torn(const Mesh& mesh) {
  constexpr u64 step = 2654435761;
  std::vector<vec3> positions = mesh.positions;
  for (u64 i = 0; i < positions.size(); ++i) positions[i] = mesh.positions[i * step % positions.size()];
  return positions;
}

std::vector<Pose> poses() {
  return {{"still", [](const Mesh& mesh) { return mesh.positions; }},
          {"wave_.1%", [](const Mesh& mesh) { return waved(mesh, 0.001f); }},
          {"wave_1%", [](const Mesh& mesh) { return waved(mesh, 0.01f); }},
          {"torn", torn}};
}

/// What a frame does with a tree. It may be captured.
struct Step {
  const char* name;
  std::function<void(Context&, Bvh&, const TriangleView&, RebuildAdvisor&)> run;
};

std::vector<Step> steps() {
  return {{"refit", [](Context& context, Bvh& bvh, const TriangleView& mesh,
                       RebuildAdvisor&) { refit(context, bvh, mesh); }},
          {"rebuild", [](Context& context, Bvh& bvh, const TriangleView& mesh,
                         RebuildAdvisor&) { rebuild(context, bvh, mesh, LbvhOptions{}); }},
          {"rebuild_from_last_order",
           [](Context& context, Bvh& bvh, const TriangleView& mesh, RebuildAdvisor&) {
             rebuild(context, bvh, mesh, LbvhOptions{.from_last_order = true});
           }},
          {"rebuild_with_top",
           [](Context& context, Bvh& bvh, const TriangleView& mesh, RebuildAdvisor&) {
             rebuild(context, bvh, mesh, LbvhOptions{});
             rebuild_top(context, bvh);
           }},
          {"hploc", [](Context& context, Bvh& bvh, const TriangleView& mesh,
                       RebuildAdvisor&) { rebuild(context, bvh, mesh, HplocOptions{}); }},
          {"hploc_with_top",
           [](Context& context, Bvh& bvh, const TriangleView& mesh, RebuildAdvisor&) {
             rebuild(context, bvh, mesh, HplocOptions{});
             rebuild_top(context, bvh);
           }},
          {"refit_or_rebuild",
           [](Context& context, Bvh& bvh, const TriangleView& mesh, RebuildAdvisor& advisor) {
             refit_or_rebuild(context, bvh, mesh, LbvhOptions{}, advisor);
           }},
          {"measure_cost", [](Context& context, Bvh& bvh, const TriangleView&, RebuildAdvisor& advisor) {
             note_refit(context, advisor, bvh);
           }}};
}

void measure(benchmark::State& state, Backend backend, const Mesh& mesh, const Step& step, const Pose& pose) {
  Context context({.backend = backend});
  const Buffer<uvec3> triangles(context, mesh.triangles);
  const Buffer<vec3> rest(context, mesh.positions), moved(context, pose.positions(mesh));
  const TriangleView views[2] = {{.positions = rest.span(), .triangles = triangles.span()},
                                 {.positions = moved.span(), .triangles = triangles.span()}};
  Bvh bvh = build(context, views[0], LbvhOptions{});
  RebuildAdvisor advisor(context, {.max_refits = 0});
  note_build(context, advisor, bvh);
  context.reserve_scratch(
      build_sizes(context, mesh.triangles.size(), LbvhOptions{.from_last_order = true}).scratch_bytes);
  for (const TriangleView& view : {views[1], views[0]}) step.run(context, bvh, view, advisor);
  Graph frames[2] = {context.capture([&] { step.run(context, bvh, views[1], advisor); }),
                     context.capture([&] { step.run(context, bvh, views[0], advisor); })};
  for (Graph& frame : frames) frame.launch();
  for (auto _ : state) {
    Stopwatch stopwatch(context);
    for (Graph& frame : frames) frame.launch();
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3 / 2);
  }
  state.counters["triangles"] = double(mesh.triangles.size());
  state.counters["sah"] = stats(context, bvh).sah_cost;
  state.counters["rebuilds"] = double(advisor.history().rebuild_count);
}

void add_benchmarks(const Mesh& mesh) {
  for (Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !gpu_answers()) continue;
    for (const Step& step : steps()) {
      for (const Pose& pose : poses()) {
        const std::string name = std::string(step.name) + "/" + pose.name + "/" + name_of(backend);
        benchmark::RegisterBenchmark(
            name.c_str(), [=, &mesh](benchmark::State& state) { measure(state, backend, mesh, step, pose); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  run_benchmarks();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  return copse::bench::run_mesh_program("Measures refits and rebuilds of a mesh that moves.", argc, argv,
                                        copse::bench::add_benchmarks);
}
