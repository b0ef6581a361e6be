#include "viewer/model/settings/statistics_json.h"

#include "viewer/model/settings/options_json.h"

namespace copse::viewer {

using Json = nlohmann::json;

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Aabb& box) {
  if (is_empty(box)) return nullptr;
  return {{"lo", json_of(box.lo)}, {"hi", json_of(box.hi)}};
}

Json to_json(const Statistics& s) {
  return {{"primitives", s.primitive_count},
          {"invalid_primitives", s.invalid_count},
          {"bounds", to_json(s.bounds)},
          {"bytes", s.size_bytes},
          {"nodes", or_null(s.node_count)},
          {"leaves", or_null(s.leaf_count)},
          {"depth", or_null(s.depth)},
          {"sah_cost", or_null(s.sah_cost)},
          {"end_point_overlap", or_null(s.overlap)},
          {"leaf_size_histogram", s.leaf_histogram},
          {"leaf_depth_histogram", s.leaf_depth_histogram},
          {"origin", s.origin.empty() ? Json() : Json(s.origin)},
          {"resolution", s.resolution ? json_of(*s.resolution) : Json()},
          {"cells", or_null(s.cell_count)},
          {"occupied_cells", or_null(s.occupied_count)},
          {"references", or_null(s.reference_count)},
          {"largest_cell", or_null(s.largest_cell)},
          {"nearest_depth", or_null(s.nearest)},
          {"farthest_depth", or_null(s.farthest)},
          {"cell_size", or_null(s.cell_size)},
          {"buckets", or_null(s.bucket_count)},
          {"shared_buckets", or_null(s.shared_count)}};
}

Json to_json(const WorkTimes& times) {
  Json stages = Json::array();
  for (const Stage& stage : times.stages) {
    stages.push_back({{"label", stage.label}, {"ms", stage.milliseconds}, {"depth", stage.depth}});
  }
  return {{"build_ms", times.build_ms},
          {"refit_ms", times.refit_ms},
          {"stages", stages},
          {"stages_of", times.is_refit ? "refit" : "build"}};
}

Json to_json(const Timings& timings) {
  return {{"build_ms", timings.build.values()},
          {"refit_ms", timings.refit.values()},
          {"trace_ms", timings.trace.values()},
          {"frame_ms", timings.frame.values()}};
}

Json to_json(const StructureReport& report) {
  return {{"options", to_json(report.options)},
          {"backend", name_of(report.backend)},
          {"device", report.device},
          {"statistics", to_json(report.statistics)},
          {"last", to_json(report.times)},
          {"sah_drift", or_null(report.sah_drift)},
          {"history", report.timings != nullptr ? to_json(*report.timings) : Json()}};
}

}  // namespace

std::string to_json(const SessionReport& report) {
  Json structures = Json::array();
  for (const StructureReport& one : report.structures) structures.push_back(to_json(one));
  const Json json{{"meshes", report.meshes},
                  {"triangles", report.triangle_count},
                  {"vertices", report.vertex_count},
                  {"structures", structures}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace copse::viewer
