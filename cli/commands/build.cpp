// copse build: builds an Accel or a tree over a mesh, prints its statistics and writes the structure file.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "accel/accel_file.h"
#include "builders/io/structure_file.h"
#include "cli/commands/command.h"
#include "cli/commands/scenes.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/options/builders.h"
#include "cli/options/layouts.h"
#include "cli/options/qualities.h"
#include "cli/options/scene.h"
#include "cli/options/structures.h"
#include "primitives/core/stopwatch.h"

namespace copse::cli {

namespace {

struct BuildOptions {
  std::string input;
  std::string output;
  BuildSettings settings;
  Layout layout = Layout::bvh2;
  StructureOptions structure;
  Quality quality = Quality::balanced;
  SceneChoice scene;
};

struct TimedBuild {
  Bvh bvh;
  AnyWideBvh wide;
  double first_milliseconds = 0;  // of the first build, with allocation and, on CUDA, loading of kernels
  double milliseconds = 0;        // of a rebuild in the same memory
  double wide_milliseconds = 0;   // of the collapse alone
};

/// Collapses the tree, and times a second collapse into the same memory.
void collapse_timed(Context& context, Layout layout, TimedBuild& build) {
  if (layout == Layout::bvh2) return;
  build.wide = collapse_to(context, build.bvh, layout);
  Stopwatch stopwatch(context);
  collapse(context, build.wide, build.bvh);
  build.wide_milliseconds = stopwatch.milliseconds();
}

TimedBuild build_timed(Session& session, Context& context, const TriangleView& triangles,
                       const BuildSettings& settings, Layout layout) {
  TimedBuild result;
  session.begin("building");
  Stopwatch stopwatch(context);
  result.bvh = build_tree(context, triangles, settings);
  result.first_milliseconds = stopwatch.milliseconds();

  session.begin("building again, for its time");
  stopwatch.start();
  rebuild_tree(context, result.bvh, triangles, settings);
  result.milliseconds = stopwatch.milliseconds();
  if (layout != Layout::bvh2) session.begin("collapsing");
  collapse_timed(context, layout, result);
  context.wait();
  return result;
}

Json make_report(Context& context, const BuildOptions& options, const Mesh& mesh, const TimedBuild& build,
                 const BvhStats& statistics) {
  const bool is_wide = options.layout != Layout::bvh2;
  return {{"copse", describe(context)},
          {"input", options.input},
          {"triangles", mesh.triangles.size()},
          {"vertices", mesh.positions.size()},
          {"recipe", to_json(options.settings)},
          {"layout", name_of(options.layout)},
          {"statistics", to_json(statistics)},
          {"wide_statistics", is_wide ? to_json(stats(context, build.wide)) : Json()},
          {"build_ms", build.milliseconds},
          {"collapse_ms", is_wide ? Json(build.wide_milliseconds) : Json()},
          {"first_build_ms", build.first_milliseconds},
          {"output", options.output.empty() ? Json() : Json(options.output)}};
}

std::string make_text(Context& context, const BuildOptions& options, const Mesh& mesh, const TimedBuild& build,
                      const BvhStats& statistics) {
  Facts facts;
  facts.add("mesh", "{}: {} triangles, {} vertices", one_line(options.input), grouped(mesh.triangles.size()),
            grouped(mesh.positions.size()));
  facts.add("device", "{}", describe_in_words(context));
  add_facts(facts, options.settings);
  add_facts(facts, statistics);
  facts.add("build", "{:.3f} ms (first build, with allocation: {:.3f} ms)", build.milliseconds,
            build.first_milliseconds);
  if (options.layout != Layout::bvh2) {
    facts.add("layout", "{}", name_of(options.layout));
    add_facts(facts, stats(context, build.wide));
    facts.add("collapse", "{:.3f} ms", build.wide_milliseconds);
  }
  return facts.text();
}

int build_by_hand(Session& session, BuildOptions options) {
  options.settings = complete(options.settings);
  check_leaf_size(options.layout, options.settings.max_leaf_size);
  check_mesh_input(options.input);
  if (!options.output.empty()) check_output(options.output, ".copse", options.input);
  const auto context = session.make_context();
  session.progress().expect_stages(4 + (options.layout != Layout::bvh2) + !options.output.empty());

  session.begin("reading");
  const Mesh mesh = session.read_mesh(options.input);
  const DeviceMesh device_mesh(*context, mesh);
  const BuildSettings& settings = options.settings;
  const TimedBuild build = build_timed(session, *context, device_mesh.view(), settings, options.layout);
  session.begin("measuring");
  const BvhStats statistics = stats(*context, build.bvh);

  if (!options.output.empty()) {
    session.begin("writing");
    save_structure(options.output, *context, mesh, build.bvh, settings.builder, settings.morton_bits.value_or(0),
                   settings.max_leaf_size, build.wide, session.cancel_token());
    session.note("wrote {}", options.output);
  }
  session.print(make_report(*context, options, mesh, build, statistics),
                session.json() ? "" : make_text(*context, options, mesh, build, statistics));
  return exit_ok;
}

struct TimedAccel {
  Accel accel;
  double first_milliseconds, milliseconds;  // as in TimedBuild
};

TimedAccel build_timed(Session& session, Context& context, const TriangleView& triangles, Quality quality) {
  session.begin("building");
  Stopwatch stopwatch(context);
  Accel accel = build(context, triangles, {.quality = quality});
  const double first_milliseconds = stopwatch.milliseconds();
  session.begin("building again, for its time");
  stopwatch.start();
  rebuild(context, accel, triangles);
  const double milliseconds = stopwatch.milliseconds();
  return {std::move(accel), first_milliseconds, milliseconds};
}

int build_accel(Session& session, const BuildOptions& options) {
  check_mesh_input(options.input);
  if (!options.output.empty()) check_output(options.output, ".copse", options.input);
  const auto context = session.make_context();
  session.progress().expect_stages(4 + !options.output.empty());

  session.begin("reading");
  const Mesh mesh = session.read_mesh(options.input);
  const DeviceMesh device_mesh(*context, mesh);
  const TimedAccel build = build_timed(session, *context, device_mesh.view(), options.quality);

  session.begin("measuring");
  Json report{{"copse", describe(*context)},
              {"input", options.input},
              {"triangles", mesh.triangles.size()},
              {"vertices", mesh.positions.size()},
              {"build_ms", build.milliseconds},
              {"first_build_ms", build.first_milliseconds},
              {"output", options.output.empty() ? Json() : Json(options.output)}};
  add_accel(report, *context, build.accel);
  Facts facts;
  facts.add("mesh", "{}: {} triangles, {} vertices", one_line(options.input), grouped(mesh.triangles.size()),
            grouped(mesh.positions.size()));
  facts.add("device", "{}", describe_in_words(*context));
  add_accel_facts(facts, *context, build.accel);
  facts.add("build", "{:.3f} ms (first build, with allocation: {:.3f} ms)", build.milliseconds,
            build.first_milliseconds);

  if (!options.output.empty()) {
    session.begin("writing");
    save_accel(options.output, *context, mesh, build.accel, {}, session.cancel_token());
    session.note("wrote {}", options.output);
  }
  session.print(report, facts.text());
  return exit_ok;
}

/// Builds both levels of a scene file. Options that are for one tree are refused.
int build_both_levels(Session& session, const CLI::App& command, const BuildOptions& options) {
  const auto refuse = [](const std::string& option, const char* cause) {
    throw Error(ErrorCode::invalid_argument, option + " takes a mesh, not a scene: " + cause);
  };
  if (!options.output.empty()) refuse("-o", "a .copse file holds a single tree");
  if (options.structure.structure != Structure::bvh) refuse("--structure", "only trees have instances");
  for (const char* option : options_by_hand) {
    if (command.count(option) > 0) refuse(option, "its trees are Accels, which take --quality");
  }
  return build_scene(session, options.input, options.scene, options.quality);
}

}  // namespace

Command add_build_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand(
      "build", "Build a tree or a grid over a mesh, or the trees of a scene, and print statistics");
  const auto options = std::make_shared<BuildOptions>();
  add_input(*command, options->input, "IN",
            "The mesh, .obj, .ply, .stl or .off, or the scene, .glb or .gltf; - for a mesh on standard input");
  add_output(*command, options->output,
             "The file to write: .copse for a tree, .voxels for voxels, bricks, octree and dag, .nvdb for bricks "
             "and distance");
  add_choice<std::string>(*command, "--builder", options->settings.builder,
                          {{"lbvh", "lbvh"}, {"hlbvh", "hlbvh"}, {"hploc", "hploc"}, {"sah", "sah"}},
                          "A tree by hand: lbvh (default) builds fastest, hlbvh rebuilds it from the last order, "
                          "hploc makes better trees, sah the best of most scenes");
  add_radius(*command, options->settings.radius);
  add_morton_bits(*command, options->settings.morton_bits);
  add_max_leaf_size(*command, options->settings.max_leaf_size);
  add_top(*command, options->settings.top);
  add_splits(*command, options->settings.splits);
  add_reinsertion(*command, options->settings.reinsertion);
  add_layout(*command, options->layout);
  add_quality(*command, options->quality);
  add_scene_choice(*command, options->scene.scene);
  add_opening(*command, options->scene.opening);
  add_structure(*command, options->structure);
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse build assets/spot.obj -o spot.copse --quality best\n"
      "  copse build assets/grove.glb --opening 2\n"
      "  copse build assets/spot.obj --builder sah --splits 1.25 --layout cbvh4\n"
      "  copse build assets/spot.obj --structure voxels --rule inside -o spot.voxels");
  const auto run = [command, options](Session& session) {
    check_structure(*command, options->structure);
    if (check_input(options->input) == InputKind::scene) return build_both_levels(session, *command, *options);
    refuse_scene_choice(options->scene);
    if (options->structure.structure != Structure::bvh) {
      return build_structure(session, options->input, options->output, options->structure);
    }
    return builds_by_hand(*command) ? build_by_hand(session, *options) : build_accel(session, *options);
  };
  return {command, run};
}

}  // namespace copse::cli
