#include "cli/bench/bench_table.h"

#include <algorithm>

namespace copse::cli {

namespace {

/// Adds the median of a time as `name`, and its quartiles as `name`_quartiles; null for a time that was not taken.
void add_time(Json& json, const std::string& name, const std::optional<Timing>& time) {
  json[name] = time ? Json(time->median) : Json();
  if (time) json[name + "_quartiles"] = {time->low, time->high};
}

Json json_of(const RayTimes& times) {
  if (times.ray_count == 0) return {{"rays", 0}, {"hits", 0}, {"ms", nullptr}, {"grays_per_s", nullptr}};
  Json json{{"rays", times.ray_count}, {"hits", times.hit_count}};
  add_time(json, "ms", times.time);
  json["grays_per_s"] = times.giga_rays_per_second();
  return json;
}

std::string milliseconds(const std::optional<Timing>& time) {
  return time ? fmt::format("{:.3f}", time->median) : "-";
}

std::string rate(const RayTimes& times) {
  return times.ray_count == 0 ? "-" : fmt::format("{:.4f}", times.giga_rays_per_second());
}

/// Stages with the same label, such as the passes of a sort, make one line.
std::string stage_lines(const std::vector<Stage>& stages) {
  struct Line {
    Stage sum;
    u32 count;
  };
  std::vector<Line> lines;
  for (const Stage& stage : stages) {
    const auto same = [&](const Line& line) {
      return line.sum.label == stage.label && line.sum.depth == stage.depth;
    };
    const auto line = std::find_if(lines.begin(), lines.end(), same);
    if (line == lines.end()) {
      lines.push_back({stage, 1});
    } else {
      line->sum.milliseconds += stage.milliseconds;
      ++line->count;
    }
  }
  std::string text;
  for (const auto& [sum, count] : lines) {
    const std::string times = count == 1 ? "" : fmt::format(" x {}", count);
    const std::string label = std::string(2 * (sum.depth + 1), ' ') + sum.label + times;
    text += fmt::format("{:<43} {:>9.3f}\n", label, sum.milliseconds);
  }
  return text;
}

Json json_of(const WideTimes& times) {
  Json json{{"layout", name_of(times.layout)}};
  add_time(json, "collapse_ms", times.collapse);
  add_time(json, "collapse_graph_ms", times.collapse_graph);
  add_time(json, "build_graph_ms", times.build_graph);
  add_time(json, "refit_ms", times.refit);
  json["statistics"] = to_json(times.statistics);
  return json;
}

std::string layout_lines(const std::vector<WideTimes>& layouts) {
  std::string text;
  for (const WideTimes& times : layouts) {
    text += fmt::format("  {:<6} collapsed in {} ms, graph {}, with the build {}; refit {}; SAH cost {:.1f}, {}\n",
                        name_of(times.layout), milliseconds(times.collapse), milliseconds(times.collapse_graph),
                        milliseconds(times.build_graph), milliseconds(times.refit), times.statistics.sah_cost,
                        readable_bytes(times.statistics.used_bytes));
  }
  return text;
}

Json json_of(const KernelTimes& times) {
  return {{"layout", times.structure},
          {"kernel", name_of(times.kernel)},
          {"primary", json_of(times.primary)},
          {"diffuse", json_of(times.diffuse)}};
}

std::string kernel_lines(const std::vector<KernelTimes>& kernels) {
  std::string text;
  for (const KernelTimes& times : kernels) {
    text += fmt::format("  {:<9} {:<17} primary {:>8}, diffuse {:>8} GRay/s\n", times.structure,
                        name_of(times.kernel), rate(times.primary), rate(times.diffuse));
  }
  return text;
}

Json json_of(const AccelTimes& times) {
  Json json{{"quality", name_of(times.quality)}};
  add_time(json, "build_ms", times.times.build);
  add_time(json, "build_graph_ms", times.times.build_graph);
  add_time(json, "refit_ms", times.times.refit);
  add_time(json, "refit_graph_ms", times.times.refit_graph);
  add_time(json, "frame_ms", times.frame);
  add_time(json, "frame_graph_ms", times.frame_graph);
  json["primary"] = json_of(times.primary);
  json["diffuse"] = json_of(times.diffuse);
  json["shadow"] = json_of(times.shadow);
  json["sah_cost"] = times.sah_cost;
  json["bytes"] = times.sizes.result_bytes;
  json["compact_bytes"] = times.compact_bytes;
  json["scratch_bytes"] = times.sizes.scratch_bytes;
  return json;
}

std::string accel_lines(const std::vector<AccelTimes>& accels) {
  std::string text;
  for (const AccelTimes& times : accels) {
    text += fmt::format(
        "  Accel {:<8} build {} ms, graph {}; refit {}, graph {}; frame {}, graph {}; primary {}, "
        "diffuse {}, shadow {} GRay/s; {}, compacted {}\n",
        name_of(times.quality), milliseconds(times.times.build), milliseconds(times.times.build_graph),
        milliseconds(times.times.refit), milliseconds(times.times.refit_graph), milliseconds(times.frame),
        milliseconds(times.frame_graph), rate(times.primary), rate(times.diffuse), rate(times.shadow),
        readable_bytes(times.sizes.result_bytes), readable_bytes(times.compact_bytes));
  }
  return text;
}

Json json_of(const GpuTimes& times) {
  Json json{{"gpus", times.count}};
  add_time(json, "replicate_ms", times.replicate);
  json["primary"] = json_of(times.primary);
  json["diffuse"] = json_of(times.diffuse);
  json["shadow"] = json_of(times.shadow);
  return json;
}

/// `gpus`: one GPU, and then all.
std::string gpu_lines(const std::vector<GpuTimes>& gpus) {
  std::string text;
  for (const GpuTimes& times : gpus) {
    const auto rate_and_gain = [](const RayTimes& now, const RayTimes& one) {
      return rate(now) + (now.ray_count == 0 ? "" : fmt::format(" ({:.2f} x)", one.time.median / now.time.median));
    };
    text += fmt::format("  {} of {} devices: primary {}, diffuse {}, shadow {} GRay/s; replicated in {} ms\n",
                        times.count, gpus.back().count, rate_and_gain(times.primary, gpus[0].primary),
                        rate_and_gain(times.diffuse, gpus[0].diffuse), rate_and_gain(times.shadow, gpus[0].shadow),
                        milliseconds(times.replicate));
  }
  return text;
}

Json json_of(const ShardedTimes& times) {
  Json json{{"gpus", times.count}};
  add_time(json, "build_ms", times.build);
  add_time(json, "accel_ms", times.accel);
  json["primary"] = json_of(times.primary);
  json["diffuse"] = json_of(times.diffuse);
  json["shadow"] = json_of(times.shadow);
  return json;
}

std::string sharded_line(const std::optional<ShardedTimes>& times) {
  if (!times) return "";
  return fmt::format(
      "  one tree on {} devices: primary {}, diffuse {}, shadow {} GRay/s; built in {} ms, made an Accel in {} "
      "ms\n",
      times->count, rate(times->primary), rate(times->diffuse), rate(times->shadow), milliseconds(times->build),
      milliseconds(times->accel));
}

Json json_of(const ViewTimes& times) {
  Json json{{"eye", to_json(times.eye)}, {"kernels", Json::array()}};
  for (const ViewKernelTimes& by : times.kernels) {
    json["kernels"].push_back({{"kernel", name_of(by.kernel)},
                               {"primary", json_of(by.primary)},
                               {"diffuse", json_of(by.diffuse)},
                               {"primary_short", json_of(by.primary_short)},
                               {"diffuse_short", json_of(by.diffuse_short)},
                               {"ambient", json_of(by.ambient)},
                               {"shadow", json_of(by.shadow)}});
  }
  return json;
}

constexpr auto columns = "{:<16} {:>11} {:<7} {:>4} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>5} {:>9}\n";

}  // namespace

Json to_json(const BenchResult& result) {
  Json json{{"scene", result.scene},
            {"source", result.source},
            {"triangles", result.triangle_count},
            {"vertices", result.vertex_count}};
  json.update(to_json(result.settings));
  add_time(json, "build_ms", result.times.build);
  add_time(json, "build_graph_ms", result.times.build_graph);
  json["build_min_bytes"] = result.min_build_bytes();
  add_time(json, "refit_ms", result.times.refit);
  add_time(json, "refit_graph_ms", result.times.refit_graph);
  json["refit_min_bytes"] = result.min_refit_bytes();
  json["primary"] = json_of(result.primary);
  json["diffuse"] = json_of(result.diffuse);
  json["sah_cost"] = result.statistics.sah_cost;
  json["sibling_overlap"] = result.statistics.sibling_overlap;
  json["nodes"] = result.statistics.counts.node_count;
  json["depth"] = result.statistics.depth;
  json["bytes"] = result.sizes.result_bytes;
  json["scratch_bytes"] = result.sizes.scratch_bytes;
  for (const WideTimes& times : result.layouts) json["layouts"].push_back(json_of(times));
  for (const KernelTimes& times : result.kernels) json["kernels"].push_back(json_of(times));
  for (const AccelTimes& times : result.accels) json["accels"].push_back(json_of(times));
  for (const GpuTimes& times : result.gpus) json["gpus"].push_back(json_of(times));
  if (result.sharded) json["sharded"] = json_of(*result.sharded);
  if (result.stages.empty()) return json;
  json["stages"] = Json::array();
  for (const Stage& stage : result.stages) {
    json["stages"].push_back({{"label", stage.label}, {"ms", stage.milliseconds}, {"depth", stage.depth}});
  }
  return json;
}

std::string table_head() {
  return fmt::format(columns, "", "", "", "key", "build", "build", "refit", "refit", "primary", "diffuse", "SAH",
                     "", "") +
         fmt::format(columns, "scene", "triangles", "builder", "bits", "ms", "graph", "ms", "graph", "GRay/s",
                     "GRay/s", "cost", "depth", "memory");
}

std::string table_line(const BenchResult& result) {
  const std::string text =
      fmt::format(columns, one_line(result.scene), grouped(result.triangle_count), result.settings.builder,
                  morton_bits_in_words(result.settings), milliseconds(result.times.build),
                  milliseconds(result.times.build_graph), milliseconds(result.times.refit),
                  milliseconds(result.times.refit_graph), rate(result.primary), rate(result.diffuse),
                  fmt::format("{:.1f}", result.statistics.sah_cost), result.statistics.depth,
                  readable_bytes(result.sizes.result_bytes));
  return text + layout_lines(result.layouts) + kernel_lines(result.kernels) + accel_lines(result.accels) +
         gpu_lines(result.gpus) + sharded_line(result.sharded) + stage_lines(result.stages);
}

Json to_json(const ViewsResult& result) {
  Json json{{"scene", result.scene},
            {"triangles", result.triangle_count},
            {"quality", name_of(result.quality)},
            {"views", Json::array()}};
  for (const ViewTimes& times : result.views) json["views"].push_back(json_of(times));
  return json;
}

std::string views_lines(const ViewsResult& result) {
  std::string text =
      fmt::format("{}, Accel of quality {}, GRay/s:\n", one_line(result.scene), name_of(result.quality));
  for (const ViewTimes& times : result.views) {
    for (const ViewKernelTimes& by : times.kernels) {
      text += fmt::format(
          "  from ({:.2f}, {:.2f}, {:.2f}) {:<15} primary {:>8}, diffuse {:>8}; short hits {:>8}, {:>8}; "
          "ambient {:>8}, shadow {:>8}\n",
          times.eye.x, times.eye.y, times.eye.z, name_of(by.kernel), rate(by.primary), rate(by.diffuse),
          rate(by.primary_short), rate(by.diffuse_short), rate(by.ambient), rate(by.shadow));
    }
  }
  return text;
}

}  // namespace copse::cli
