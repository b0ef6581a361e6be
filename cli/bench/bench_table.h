#pragma once

#include "cli/bench/bench_accel.h"
#include "cli/bench/bench_gpus.h"
#include "cli/bench/bench_kernels.h"
#include "cli/bench/bench_shards.h"
#include "cli/bench/bench_views.h"
#include "cli/output.h"

namespace copse::cli {

/// One scene, built with one BuildSettings.
struct BenchResult {
  std::string scene;
  std::string source;
  u64 triangle_count = 0;
  u64 vertex_count = 0;
  BuildSettings settings;
  BuildTimes times;
  BuildSizes sizes;
  BvhStats statistics;
  RayTimes primary;
  RayTimes diffuse;
  std::vector<WideTimes> layouts;       // with --layout
  std::vector<KernelTimes> kernels;     // with --kernels
  std::vector<AccelTimes> accels;       // with --accel, in the first result of each scene
  std::vector<GpuTimes> gpus;           // with --gpus, in the first result of each scene
  std::optional<ShardedTimes> sharded;  // with --gpus, in the first result of each scene
  std::vector<Stage> stages;            // with --stages

  // The bytes that must move at least. A build reads the mesh and writes the tree; a refit reads the mesh and the
  // order of the primitives and writes the nodes.
  u64 mesh_bytes() const { return vertex_count * sizeof(vec3) + triangle_count * sizeof(uvec3); }
  u64 min_build_bytes() const { return mesh_bytes() + sizes.result_bytes; }
  u64 min_refit_bytes() const {
    return mesh_bytes() + statistics.counts.primitive_count * sizeof(u32) +
           statistics.counts.node_count * sizeof(BvhNode);
  }
};

Json to_json(const BenchResult& result);

/// The views of one scene through an Accel.
struct ViewsResult {
  std::string scene;
  u64 triangle_count = 0;
  Quality quality = Quality::best;
  std::vector<ViewTimes> views;
};

Json to_json(const ViewsResult& result);
std::string views_lines(const ViewsResult& result);

// The head of the table, and the line of one result with the lines of its layouts, kernels and stages.
std::string table_head();
std::string table_line(const BenchResult& result);

}  // namespace copse::cli
