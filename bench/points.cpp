// Measures hash grids over points, and searches for the points around points. There is no mesh.
//
//   copse-bench-points [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// There are 10^7 points on a GPU and 10^6 on the CPU. They lie in a cube ("volume") or on a sphere ("surface"), in
// no order. Each point is a query too. The radius contains 32 neighbours on average, with the point itself.
// Counters: `found` is the number of results per query. `bytes` is what any algorithm must read and write: the
// points once, and the results. `GB_per_s` is these bytes over the time.

#include <benchmark/benchmark.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <random>
#include <string>
#include <vector>

#include "bench/support/mesh_program.h"
#include "copse.h"
#include "copse/grids.h"
#include "copse/queries.h"

namespace copse::bench {
namespace {

enum class Place { volume, surface };

constexpr double pi = 3.14159265358979;
constexpr double neighbours_wanted = 32;

std::vector<vec3> make_points(u64 count, Place place) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> part(0, 1);
  std::vector<vec3> points(count);
  for (vec3& p : points) {
    const float x = part(random), y = part(random), z = part(random);
    p = vec3(x, y, z);
    if (place == Place::volume) continue;
    const float turn = 2 * float(pi) * x, height = 2 * y - 1, width = std::sqrt(1 - height * height);
    p = vec3(width * std::cos(turn), width * std::sin(turn), height);
  }
  return points;
}

/// Returns the radius within which a point has this many neighbours.
float radius_of(u64 count, Place place) {
  const double share = neighbours_wanted / double(count);
  return float(place == Place::volume ? std::cbrt(share * 3 / (4 * pi)) : std::sqrt(share * 4));
}

/// Points and their grid in a context's memory.
struct Loaded {
  Context context;
  u64 n;
  float radius;
  Buffer<vec3> points;
  HashGrid grid;

  Loaded(Backend backend, Place place, const HashGridOptions& options)
      : context({.backend = backend}),
        n(backend == Backend::cuda ? 10000000 : 1000000),
        radius(radius_of(n, place)),
        points(context, make_points(n, place)),
        grid(build_hash_grid(context, points.span(), options)) {}
};

HashGridOptions cells_of_radius(Backend backend, Place place, double cells) {
  return {.cell_size = float(radius_of(backend == Backend::cuda ? 10000000 : 1000000, place) / cells)};
}

/// Times `ask`. A first call, which is not timed, warms up.
template <class Ask>
void measure(benchmark::State& state, Loaded& loaded, double found, double bytes, const Ask& ask) {
  ask();
  loaded.context.wait();
  double seconds = 0;
  for (auto _ : state) {
    Stopwatch stopwatch(loaded.context);
    ask();
    const double once = stopwatch.milliseconds() * 1e-3;
    state.SetIterationTime(once);
    seconds += once;
  }
  state.counters["queries_per_s"] = double(loaded.n) * double(state.iterations()) / seconds;
  state.counters["found"] = found;
  state.counters["bytes"] = bytes;
  state.counters["GB_per_s"] = bytes * double(state.iterations()) / seconds * 1e-9;
}

/// `cells` is the number of cells per radius.
void build(benchmark::State& state, Backend backend, Place place, double cells) {
  const HashGridOptions options = cells_of_radius(backend, place, cells);
  Loaded loaded(backend, place, options);
  measure(state, loaded, 0, double(loaded.n) * 28,
          [&] { rebuild_hash_grid(loaded.context, loaded.grid, loaded.points.span(), options); });
}

void within(benchmark::State& state, Backend backend, Place place, double cells) {
  Loaded loaded(backend, place, cells_of_radius(backend, place, cells));
  NeighbourLists lists = all_neighbours(loaded.context, loaded.grid.view(), loaded.points.span(), loaded.radius);
  const double results = double(lists.neighbours.size()), n = double(loaded.n);
  measure(state, loaded, results / n, n * (12 + 16 + 8) + results * 4, [&] {
    find_neighbours(loaded.context, loaded.grid.view(), loaded.points.span(), loaded.radius, lists.offsets.span(),
                    lists.neighbours.span());
  });
}

void count(benchmark::State& state, Backend backend, Place place, double cells) {
  Loaded loaded(backend, place, cells_of_radius(backend, place, cells));
  Buffer<u32> counts(loaded.context, loaded.n);
  measure(state, loaded, 1, double(loaded.n) * (12 + 16 + 4), [&] {
    count_neighbours(loaded.context, loaded.grid.view(), loaded.points.span(), loaded.radius, counts.span());
  });
}

void nearest(benchmark::State& state, Backend backend, Place place, u32 k, float points_per_cell) {
  HashGridOptions options{.points_per_cell = points_per_cell};
  // On a surface, the box says nothing about cells. So a cell is as large as the piece of surface with this many
  // points.
  if (place == Place::surface) {
    options.cell_size = radius_of(backend == Backend::cuda ? 10000000 : 1000000, place) *
                        float(std::sqrt(points_per_cell * pi / neighbours_wanted));
  }
  Loaded loaded(backend, place, options);
  Buffer<PointNeighbour> neighbours(loaded.context, k * loaded.n);
  measure(state, loaded, k, double(loaded.n) * (12 + 16 + 8 * k), [&] {
    nearest_neighbours(loaded.context, loaded.grid.view(), loaded.points.span(), neighbours.span());
  });
}

template <class... Args>
void add(const std::string& name, Args... args) {
  benchmark::RegisterBenchmark(name.c_str(), args...)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.1);
}

void add_rows(Backend backend) {
  for (const Place place : {Place::volume, Place::surface}) {
    const std::string suffix = std::string(place == Place::volume ? "/volume/" : "/surface/") + name_of(backend);
    add("build" + suffix, build, backend, place, 1.0);
    for (const double cells : {1.0, 2.0}) {
      const std::string text = cells == 1 ? "/cells_of_radius" : "/cells_of_half_radius";
      add("count_32" + text + suffix, count, backend, place, cells);
      add("within_32" + text + suffix, within, backend, place, cells);
    }
    for (const float each : {1.0f, 2.0f, 4.0f}) {
      const std::string text = "/" + std::to_string(int(each)) + "_a_cell";
      add("nearest_8" + text + suffix, nearest, backend, place, 8u, each);
    }
    add("nearest_32/8_a_cell" + suffix, nearest, backend, place, 32u, 8.0f);
  }
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  bench::add_rows(Backend::cpu);
  if (bench::gpu_answers()) bench::add_rows(Backend::cuda);
  bench::run_benchmarks();
  return 0;
}
