#pragma once

#include "cli/bench_measure.h"
#include "cli/output.h"

namespace copse::cli {

/// One scene with one recipe.
struct BenchResult {
  std::string scene;
  std::string source;
  u64 triangle_count = 0;
  u64 vertex_count = 0;
  Recipe recipe;
  BuildTimes times;
  BuildSizes sizes;
  BvhStats statistics;
  RayTimes primary;
  RayTimes diffuse;
  std::vector<Stage> stages;  // empty unless asked for
};

Json to_json(const BenchResult& result);

/// The table's head and one line of it; the stages follow their line.
std::string table_head();
std::string table_line(const BenchResult& result);

}  // namespace copse::cli
