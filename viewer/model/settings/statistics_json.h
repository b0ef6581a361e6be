#pragma once

#include <string>

#include "viewer/model/session/timings.h"
#include "viewer/model/structures/statistics.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

/// The report on one structure.
struct StructureReport {
  StructureOptions options;
  std::string device;
  Backend backend = Backend::cpu;
  Statistics statistics;
  WorkTimes times;
  std::optional<double> sah_drift;
  const Timings* timings = nullptr;
};

struct SessionReport {
  std::vector<std::string> meshes;
  u64 triangle_count = 0, vertex_count = 0;
  std::vector<StructureReport> structures;  // A, then B if there is one
};

/// Returns the report as JSON. Members without a value are null.
std::string to_json(const SessionReport& report);

}  // namespace copse::viewer
