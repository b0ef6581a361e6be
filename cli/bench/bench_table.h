#pragma once

#include "cli/bench/bench_kernels.h"
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
  std::vector<WideTimes> layouts;    // those that were asked for
  std::vector<KernelTimes> kernels;  // where they were asked for
  std::vector<Stage> stages;         // empty unless asked for

  // Bytes that must move: the mesh read once and the tree written once; for a refit, the mesh and the primitives'
  // order read and the nodes written.
  u64 mesh_bytes() const { return vertex_count * sizeof(vec3) + triangle_count * sizeof(uvec3); }
  u64 min_build_bytes() const { return mesh_bytes() + sizes.result_bytes; }
  u64 min_refit_bytes() const {
    return mesh_bytes() + statistics.counts.primitive_count * sizeof(u32) +
           statistics.counts.node_count * sizeof(BvhNode);
  }
};

Json to_json(const BenchResult& result);

/// The table's head and one line of it; layouts and stages follow their line.
std::string table_head();
std::string table_line(const BenchResult& result);

}  // namespace copse::cli
