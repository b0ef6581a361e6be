// Measures hash grids, kd-trees and hierarchies of boxes over points, and searches for the points around points. There is no mesh.
//
//   copse-bench-points [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// There are 10^7 points on a GPU and 10^6 on the CPU. They lie in a cube ("volume"), on a sphere ("surface"), or in a
// cluster whose density falls with the fifth power of the distance ("plummer"), in no order. Each point is a query
// too. The radius contains 32 neighbours on average, with the point itself.
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

enum class Place { volume, surface, plummer };

const char* name_of(Place place) {
  return place == Place::volume ? "volume" : (place == Place::surface ? "surface" : "plummer");
}

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
    // Plummer, "On the Problem of Distribution in Globular Star Clusters", 1911: the mass within a radius, inverted.
    const float radius =
        place == Place::plummer ? 1 / std::sqrt(std::pow(larger(z, 1e-6f), -2.0f / 3) - 0.999999f) : 1.0f;
    const float turn = 2 * float(pi) * x, height = 2 * y - 1, width = std::sqrt(1 - height * height);
    p = radius * vec3(width * std::cos(turn), width * std::sin(turn), height);
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
template <class Points, class Ask>
void measure(benchmark::State& state, Points& loaded, double found, double bytes, const Ask& ask) {
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

/// Points of any number in a context's memory.
struct PointSet {
  Context context;
  u64 n;
  Buffer<vec3> points;

  PointSet(Backend backend, Place place, u64 count)
      : context({.backend = backend}), n(count), points(context, make_points(count, place)) {}
};

/// A structure that searches need no radius for.
struct KdTreeKind {
  static constexpr const char* name = "kd_tree";
  static KdTree build(Context& context, const PositionSpan& points) { return build_kd_tree(context, points); }
  static void rebuild(Context& context, KdTree& tree, const PositionSpan& points) {
    rebuild_kd_tree(context, tree, points);
  }
};
struct PointBvhKind {
  static constexpr const char* name = "point_bvh";
  static PointBvh build(Context& context, const PositionSpan& points) { return build_point_bvh(context, points); }
  static void rebuild(Context& context, PointBvh& bvh, const PositionSpan& points) {
    rebuild_point_bvh(context, bvh, points);
  }
};

/// The bytes are the points once, and their copies.
template <class Kind>
void build_tree(benchmark::State& state, Backend backend, Place place, u64 n, bool as_graph) {
  PointSet set(backend, place, n);
  auto tree = Kind::build(set.context, set.points.span());
  const auto rebuild = [&] { Kind::rebuild(set.context, tree, set.points.span()); };
  Graph graph = set.context.capture(rebuild);
  measure(state, set, 0, double(n) * 28, [&] { as_graph ? graph.launch() : rebuild(); });
}

template <class Kind>
void nearest_in_tree(benchmark::State& state, Backend backend, Place place, u64 n, u32 k) {
  PointSet set(backend, place, n);
  const auto tree = Kind::build(set.context, set.points.span());
  Buffer<PointNeighbour> neighbours(set.context, k * n);
  measure(state, set, k, double(n) * (12 + 16 + 8 * k),
          [&] { nearest_neighbours(set.context, tree.view(), set.points.span(), neighbours.span()); });
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

template <class Kind>
void add_tree_rows(Backend backend) {
  std::vector<u64> sizes{100000, 1000000};
  if (backend == Backend::cuda) sizes.push_back(10000000);
  const std::string name = Kind::name;
  const auto suffix = [&](Place place, u64 n) {
    return std::string("/") + name_of(place) + "/n:" + std::to_string(n) + "/" + name_of(backend);
  };
  for (const u64 n : sizes) {
    add(name + "/build/stream" + suffix(Place::volume, n), build_tree<Kind>, backend, Place::volume, n, false);
    if (backend == Backend::cpu) continue;
    add(name + "/build/graph" + suffix(Place::volume, n), build_tree<Kind>, backend, Place::volume, n, true);
  }
  const u64 n = sizes.back();
  for (const Place place : {Place::plummer, Place::surface}) {
    add(name + "/build/stream" + suffix(place, n), build_tree<Kind>, backend, place, n, false);
  }
  for (const Place place : {Place::volume, Place::plummer, Place::surface}) {
    add(name + "/nearest_8" + suffix(place, n), nearest_in_tree<Kind>, backend, place, n, 8u);
  }
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !bench::gpu_answers()) continue;
    bench::add_rows(backend);
    bench::add_tree_rows<bench::KdTreeKind>(backend);
    bench::add_tree_rows<bench::PointBvhKind>(backend);
  }
  bench::run_benchmarks();
  return 0;
}
