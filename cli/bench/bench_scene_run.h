#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/bench_scenes.h"
#include "cli/bench/bench_table.h"
#include "cli/options/builders.h"

// What copse bench measures of one scene.

namespace copse::cli {

struct BenchOptions {
  std::vector<std::string> scenes{"testball"};
  bool together = false;  // the files are one scene
  SceneFiles files;
  std::vector<std::string> builders{"lbvh"};
  u32 radius = 0;
  std::optional<u32> morton_bits;  // none: two widths for each builder, see key_widths
  u32 max_leaf_size = 1;
  u32 reinsertion = 0;
  Top top = Top::as_built;  // of all builders but sah
  float splits = 1;
  u32 repeats = 15;
  u32 rays_size = 0;  // 0: 2048 on a GPU, 1024 on the CPU
  bool stages = false;
  bool kernels = false;
  bool accel = false;
  std::optional<Quality> views;  // none: no views
  std::vector<Layout> layouts;
  std::string compare_with;  // an older report; empty: none
  std::string measured;      // a newer report, in place of measuring; empty: none
  float threshold = 5;       // in percent
  u32 gpus = 0;              // 0: a context alone
};

/// Returns what is measured: one for each builder and each of its key widths.
std::vector<BuildSettings> settings_to_measure(const BenchOptions& options);

/// The results of one scene.
struct SceneResults {
  std::vector<BenchResult> builds;
  std::optional<ViewsResult> views;
};

/// Measures a scene, and prints a line for each builder unless JSON is wanted. Of several ranks, the first one alone
/// measures builds, and all of them measure rays that they share.
///   rays_size: the side of the image of primary rays
SceneResults measure_scene(Session& session, const ContextOrDevices& contexts, const BenchScene& scene,
                           const BenchOptions& options, u32 rays_size);

}  // namespace copse::cli
