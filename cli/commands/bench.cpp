// copse bench: times builds, refits and rays of each builder over each scene.

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/support/scene_rays.h"
#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_scenes.h"
#include "cli/bench/bench_table.h"
#include "cli/commands/command.h"
#include "cli/doctor/cuda_driver.h"
#include "cli/exit_code.h"
#include "cli/options/builders.h"
#include "cli/system_limits.h"

namespace copse::cli {

namespace {

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

/// One scene on the device, and its rays.
struct BenchInput {
  const BenchScene& scene;
  const Mesh& mesh;
  TriangleView triangles;
  std::vector<Ray> primary;
  std::optional<std::vector<Ray>> diffuse;  // from the hits of the first tree; all trees give the same hits
  std::vector<Ray> shadow;                  // from the same hits
};

void measure_scene_rays(Context& context, const Bvh& bvh, BenchInput& input, u32 repeats, BenchResult& result) {
  TracedRays primary = measure_rays(context, bvh.view(), input.triangles, input.primary, repeats);
  result.primary = primary.times;
  if (!input.diffuse) {
    const Aabb box = bounds(input.mesh);
    const bool interior = input.scene.interior;
    const vec3 light = copse::bench::shadow_light(box, copse::bench::default_eye(box, interior), interior);
    input.diffuse = copse::bench::make_diffuse_rays(input.mesh, box, input.primary, primary.hits);
    input.shadow = copse::bench::make_shadow_rays(input.mesh, box, input.primary, primary.hits, light);
  }
  result.diffuse = measure_rays(context, bvh.view(), input.triangles, *input.diffuse, repeats).times;
}

/// The key widths to measure a builder with: a narrow one and all bits; none if it has no keys.
std::vector<std::optional<u32>> key_widths(const BenchOptions& options, const std::string& builder) {
  if (!has_morton_bits(builder) && options.builders.size() > 1) return {std::nullopt};
  if (options.morton_bits || !has_morton_bits(builder)) return {options.morton_bits};
  return builder == "hploc" ? std::vector<std::optional<u32>>{0, 63} : std::vector<std::optional<u32>>{30, 63};
}

/// One for each builder and each of its key widths.
std::vector<BuildSettings> settings_to_measure(const BenchOptions& options) {
  std::vector<BuildSettings> all;
  for (const std::string& builder : options.builders) {
    for (const std::optional<u32>& bits : key_widths(options, builder)) {
      all.push_back({.builder = builder,
                     .morton_bits = bits,
                     .max_leaf_size = options.max_leaf_size,
                     .radius = builder == "hploc" || options.builders.size() == 1 ? options.radius : 0,
                     .reinsertion = options.reinsertion,
                     .top = builder == "sah" && options.builders.size() > 1 ? Top::as_built : options.top,
                     .splits = options.splits});
      all.back() = complete(all.back());
    }
  }
  return all;
}

BenchResult measure(Session& session, Context& context, BenchInput& input, const BenchOptions& options,
                    const BuildSettings& settings) {
  BenchResult result;
  result.scene = input.scene.name;
  result.source = input.scene.source;
  result.triangle_count = input.mesh.triangles.size();
  result.vertex_count = input.mesh.positions.size();
  result.settings = settings;

  session.begin(fmt::format("{}: building", input.scene.name));
  Bvh bvh = build_tree(context, input.triangles, settings);
  result.sizes = tree_sizes(context, result.triangle_count, settings);
  result.times = measure_builds(context, bvh, input.triangles, settings, options.repeats);
  if (options.stages) result.stages = measure_stages(context, bvh, input.triangles, settings, options.repeats);
  result.statistics = stats(context, bvh);
  for (const Layout layout : options.layouts) {
    result.layouts.push_back(measure_layout(context, bvh, input.triangles, settings, layout, options.repeats));
  }

  session.begin(fmt::format("{}: tracing", input.scene.name));
  measure_scene_rays(context, bvh, input, options.repeats, result);
  if (options.kernels) {
    result.kernels = measure_kernels(context, bvh, input.triangles, options.layouts, input.primary, *input.diffuse,
                                     options.repeats);
  }
  return result;
}

/// Builds an Accel for the views, and times the rays of each.
ViewsResult measure_scene_views(Session& session, Context& context, const BenchInput& input,
                                const BenchOptions& options, u32 rays_size) {
  session.begin(fmt::format("{}: tracing views", input.scene.name));
  const Accel accel =
      build(context, input.triangles, AccelOptions{.quality = *options.views, .splits = options.splits});
  std::vector<BenchView> views = input.scene.views;
  if (views.empty()) {
    views = {{copse::bench::default_eye(bounds(input.mesh), input.scene.interior), input.scene.interior}};
  }
  ViewsResult result{input.scene.name, input.mesh.triangles.size(), *options.views, {}};
  result.views = measure_views(context, accel, input.mesh, views, rays_size, options.repeats, options.kernels);
  if (session.json()) return result;
  session.progress().hide();
  print_data(views_lines(result));
  return result;
}

/// What the bench measured of one scene.
struct SceneResults {
  std::vector<BenchResult> builds;
  std::optional<ViewsResult> views;
};

SceneResults measure_scene(Session& session, const ContextOrDevices& contexts, const BenchScene& scene,
                           const BenchOptions& options, u32 rays_size) {
  Context& context = contexts.context();
  session.begin(fmt::format("{}: reading", scene.name));
  const Mesh mesh = scene.load(session);
  const DeviceMesh device_mesh(context, mesh);
  BenchInput input{.scene = scene,
                   .mesh = mesh,
                   .triangles = device_mesh.view(),
                   .primary = copse::bench::make_primary_rays(
                       copse::bench::default_eye(bounds(mesh), scene.interior), rays_size),
                   .diffuse = std::nullopt,
                   .shadow = {}};
  SceneResults results;
  for (const BuildSettings& settings : settings_to_measure(options)) {
    results.builds.push_back(measure(session, context, input, options, settings));
    if (options.accel && results.builds.size() == 1) {
      results.builds[0].accels = measure_accels(context, input.triangles, options.splits,
                                                {input.primary, *input.diffuse, input.shadow}, options.repeats);
    }
    if (contexts.devices && results.builds.size() == 1) {
      const FrameRays rays{input.primary, *input.diffuse, input.shadow};
      results.builds[0].gpus = measure_gpus(*contexts.devices, input.triangles, rays, options.repeats);
      results.builds[0].sharded = measure_shards(*contexts.devices, mesh, rays, options.repeats);
    }
    if (session.json()) continue;
    session.progress().hide();
    print_data(table_line(results.builds.back()));
  }
  if (options.views) results.views = measure_scene_views(session, context, input, options, rays_size);
  return results;
}

/// Compares two reports, and prints what has changed behind the results. Returns the exit code.
int print_comparison(Session& session, Json report, const Json& before, const Json& after, float threshold) {
  const Comparison comparison = compare_reports(before, after, threshold);
  report["comparison"] = to_json(comparison);
  session.print(report, to_words(comparison));
  return comparison.count(Change::slower) == 0 ? exit_ok : exit_regression;
}

/// Compares two files, without measuring.
int compare_files(Session& session, const BenchOptions& options) {
  const Json before = read_bench_report(options.compare_with), after = read_bench_report(options.measured);
  return print_comparison(session, {{"before", options.compare_with}, {"after", options.measured}}, before, after,
                          options.threshold);
}

/// The head of a report: what was measured where, and how.
Json report_head(const Context& context, const BenchOptions& options, u32 rays_size) {
  const int driver = context.backend() == Backend::cuda ? ask_cuda_driver().version : 0;
  return {{"copse", describe(context)},
          {"cpu", cpu_model()},
          {"driver", driver == 0 ? Json() : Json(cuda_version_text(driver))},
          {"rows_version", bench_rows_version},
          {"repeats", options.repeats},
          {"rays_size", rays_size}};
}

int run_bench(Session& session, const BenchOptions& options) {
  if (!options.measured.empty()) return compare_files(session, options);
  if (options.rays_size % 8 != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--rays-size is {}; it takes a multiple of 8, the side of a tile", options.rays_size));
  }
  for (const Layout layout : options.layouts) check_leaf_size(layout, options.max_leaf_size);
  std::vector<std::string> left_out;
  const std::vector<BenchScene> scenes = options.together ? std::vector{join_files(options.scenes)}
                                                          : choose_scenes(options.scenes, options.files, left_out);
  for (const std::string& name : left_out)
    session.note("left out {}: its mesh file was not given (see copse bench --help)", name);
  const ContextOrDevices contexts = session.make_contexts(options.gpus);
  Context& context = contexts.context();
  const u32 rays_size = options.rays_size != 0               ? options.rays_size
                        : context.backend() == Backend::cuda ? 2048
                                                             : 1024;
  Json report = report_head(context, options, rays_size);
  Json before;
  if (!options.compare_with.empty()) {
    before = read_bench_report(options.compare_with);
    check_comparable(before, report);
  }
  session.progress().expect_stages(
      u32(scenes.size() * (1 + 2 * settings_to_measure(options).size() + (options.views ? 1 : 0))));

  session.note("{}, {}, {} x {} primary rays, medians of {}", describe_in_words(context),
               leaf_size_in_words(options.max_leaf_size), rays_size, rays_size, options.repeats);
  if (!session.json()) print_data(table_head());
  Json results = Json::array(), views = Json::array();
  for (const BenchScene& scene : scenes) {
    const SceneResults measured = measure_scene(session, contexts, scene, options, rays_size);
    for (const BenchResult& result : measured.builds) results.push_back(to_json(result));
    if (measured.views) views.push_back(to_json(*measured.views));
  }
  report["results"] = results;
  if (options.views) report["views"] = views;
  if (!before.is_null()) return print_comparison(session, report, before, report, options.threshold);
  session.print(report, "");
  return exit_ok;
}

void add_scene_options(CLI::App& app, BenchOptions& options) {
  app.add_option("SCENE", options.scenes,
                 "Names of scenes, 'all', or mesh files, of which each is a scene; default testball")
      ->option_text("...");
  app.add_flag("--together", options.together, "Take all mesh files that are given as one scene");
  app.add_option("--scenes", options.files.folder, "Folder with material-testball.ply and dream-apartment.ply")
      ->option_text("DIR");
  app.add_option("--testball", options.files.testball, "The testball's mesh, default the bundled one")
      ->option_text("FILE");
  app.add_option("--apartment", options.files.apartment, "The apartment's mesh, which is not bundled")
      ->option_text("FILE");
}

}  // namespace

Command add_bench_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("bench", "Time builds, refits and rays over benchmark scenes");
  const auto options = std::make_shared<BenchOptions>();
  add_scene_options(*command, *options);
  add_choice<std::vector<std::string>>(*command, "--builder", options->builders,
                                       {{"lbvh", {"lbvh"}},
                                        {"hlbvh", {"hlbvh"}},
                                        {"hploc", {"hploc"}},
                                        {"sah", {"sah"}},
                                        {"all", {"lbvh", "hploc", "sah"}}},
                                       "The algorithm, default lbvh");
  add_radius(*command, options->radius);
  add_morton_bits(*command, options->morton_bits);
  command->get_option("--morton-bits")
      ->description("Bits of the Morton keys; default 30 and 63 for lbvh and hlbvh, auto and 63 for hploc");
  add_max_leaf_size(*command, options->max_leaf_size);
  add_top(*command, options->top);
  add_splits(*command, options->splits);
  add_reinsertion(*command, options->reinsertion);
  add_layouts(*command, options->layouts);
  add_count(*command, "--repeats", options->repeats, 1, 10000, "Samples per median, default 15");
  add_count(*command, "--rays-size", options->rays_size, 8, 8192,
            "Width and height of the image of primary rays; default 2048, on the CPU 1024");
  command->add_flag("--kernels", options->kernels,
                    "Also time rays by each kernel, through the binary tree and each --layout");
  command->add_flag("--accel", options->accel,
                    "Also time Accel of each quality: build, refit, rays, and a frame of rebuild, primary, "
                    "diffuse and shadow rays");
  add_choice<std::optional<Quality>>(
      *command, "--views", options->views,
      {{"fast", Quality::fast}, {"balanced", Quality::balanced}, {"best", Quality::best}},
      "Also time four kinds of rays from several eyes through such an Accel");
  add_gpus(
      *command, options->gpus,
      "Also time primary, diffuse and shadow rays through an Accel that N GPUs share, beside one of them, and "
      "through one tree whose parts are on them");
  command->add_flag("--stages", options->stages, "Also time each stage of the build");
  CLI::Option* compare = command->add_option(
      "--compare", options->compare_with, "An older report by --json: exit code 8 if a time is worse than in it");
  compare->option_text("OLD.json");
  add_real(*command, "--threshold", options->threshold, 0, 1000,
           "With --compare: percent by which a time may be worse, default 5")
      ->needs(compare);
  command->add_option("--with", options->measured, "With --compare: a newer report, in place of measuring")
      ->needs(compare)
      ->option_text("NEW.json");
  add_common_options(*command, common);
  std::string names;
  for (const std::string& name : scene_names()) names += " " + name;
  command->footer("Scenes:" + names +
                  "\n\n"
                  "Examples:\n"
                  "  copse bench all --builder all --layout all --scenes DIR\n"
                  "  copse bench testball hairball-like --views best --json > views.json\n"
                  "  copse bench --json > old.json; copse bench --compare old.json");
  return {command, [options](Session& session) { return run_bench(session, *options); }};
}

}  // namespace copse::cli
