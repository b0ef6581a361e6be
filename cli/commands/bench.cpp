// copse bench: times builds, refits and rays of each builder over each scene.

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_scene_run.h"
#include "cli/commands/command.h"
#include "cli/doctor/cuda_driver.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/options/builders.h"
#include "cli/system_limits.h"

namespace copse::cli {

namespace {

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

/// Returns the older report of --compare, or null. Of several ranks, the first one alone reads it.
Json read_older_report(Session& session, const BenchOptions& options, const Json& head) {
  Json before;
  session.together([&] {
    if (options.compare_with.empty() || !session.is_first_rank()) return;
    before = read_bench_report(options.compare_with);
    check_comparable(before, head);
  });
  return before;
}

/// Throws: Error invalid_argument for what several ranks do not do.
void check_for_ranks(const BenchOptions& options) {
  refuse_standard_input(options.scenes);
  if (options.gpus == 0) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--gpus is {}, but mpirun has started the ranks that share the work", options.gpus));
}

int run_bench(Session& session, const BenchOptions& options) {
  if (session.ranks() != nullptr) check_for_ranks(options);
  if (!options.measured.empty()) return session.is_first_rank() ? compare_files(session, options) : exit_ok;
  if (options.rays_size % 8 != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--rays-size is {}; it takes a multiple of 8, the side of a tile", options.rays_size));
  }
  for (const Layout layout : options.layouts) check_leaf_size(layout, options.max_leaf_size);
  std::vector<std::string> left_out;
  std::vector<BenchScene> scenes;
  session.together([&] {
    scenes = options.together ? std::vector{join_files(options.scenes)}
                              : choose_scenes(options.scenes, options.files, left_out);
  });
  for (const std::string& name : left_out)
    session.note("left out {}: its mesh file was not given (see copse bench --help)", name);
  ContextOrDevices contexts;
  session.together([&] { contexts = session.make_contexts(options.gpus); });
  Context& context = contexts.context();
  const u32 rays_size = options.rays_size != 0               ? options.rays_size
                        : context.backend() == Backend::cuda ? 2048
                                                             : 1024;
  Json report = report_head(context, options, rays_size);
  if (session.ranks() != nullptr) report["ranks"] = session.ranks()->comm.size();
  const Json before = read_older_report(session, options, report);
  session.progress().expect_stages(
      u32(scenes.size() * (1 + 2 * settings_to_measure(options).size() + (options.views ? 1 : 0))));

  session.note("{}, {}, {} x {} primary rays, medians of {}", describe_in_words(context),
               leaf_size_in_words(options.max_leaf_size), rays_size, rays_size, options.repeats);
  if (!session.json() && session.is_first_rank()) print_data(table_head());
  Json results = Json::array(), views = Json::array();
  for (const BenchScene& scene : scenes) {
    const SceneResults measured = measure_scene(session, contexts, scene, options, rays_size);
    for (const BenchResult& result : measured.builds) results.push_back(to_json(result));
    if (measured.views) views.push_back(to_json(*measured.views));
  }
  if (!session.is_first_rank()) return exit_ok;
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
  command->add_flag(
      "--accel", options->accel,
      "Also time an Accel of each quality: rebuild, refit, rays, and a frame: a rebuild, then primary, "
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
  return {command, [options](Session& session) { return run_bench(session, *options); }, true};
}

}  // namespace copse::cli
