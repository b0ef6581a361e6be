// copse build: builds an Accel or a tree over a mesh, prints its statistics and writes the structure file.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "accel/accel_file.h"
#include "builders/bvh/checksum.h"
#include "builders/io/structure_file.h"
#include "cli/commands/build_in_slices.h"
#include "cli/commands/build_shards.h"
#include "cli/commands/command.h"
#include "cli/commands/scenes.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/builders.h"
#include "cli/options/layouts.h"
#include "cli/options/parts.h"
#include "cli/options/qualities.h"
#include "cli/options/scene.h"
#include "cli/options/structures.h"
#include "primitives/core/stopwatch.h"

namespace copse::cli {

namespace {

struct BuildOptions {
  std::vector<std::string> inputs;  // meshes, or a scene
  std::string output;
  BuildSettings settings;
  Layout layout = Layout::bvh2;
  StructureOptions structure;
  Quality quality = Quality::balanced;
  SceneChoice scene;
  std::optional<u64> memory_bytes;  // none: the tree is built in one piece
  u32 gpus = 0;                     // 0: one device has the whole tree
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

/// Returns the checksum of the tree in the layout that was asked for, as text.
std::string checksum_text(Context& context, const TimedBuild& build) {
  return std::visit(
      [&](const auto& wide) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(wide)>, std::monostate>) {
          return fmt::format("{:#018x}", checksum(context, build.bvh));
        } else {
          return fmt::format("{:#018x}", checksum(context, wide));
        }
      },
      build.wide);
}

Json make_report(Context& context, const BuildOptions& options, const InputMeshes& meshes, const TimedBuild& build,
                 const BvhStats& statistics) {
  const bool is_wide = options.layout != Layout::bvh2;
  Json report{{"copse", describe(context)}};
  add_inputs(report, options.inputs, meshes);
  report.update({{"recipe", to_json(options.settings)},
                 {"layout", name_of(options.layout)},
                 {"statistics", to_json(statistics)},
                 {"wide_statistics", is_wide ? to_json(stats(context, build.wide)) : Json()},
                 {"build_ms", build.milliseconds},
                 {"collapse_ms", is_wide ? Json(build.wide_milliseconds) : Json()},
                 {"first_build_ms", build.first_milliseconds},
                 {"checksum", checksum_text(context, build)},
                 {"output", options.output.empty() ? Json() : Json(options.output)}});
  return report;
}

std::string make_text(Context& context, const BuildOptions& options, const InputMeshes& meshes,
                      const TimedBuild& build, const BvhStats& statistics) {
  Facts facts;
  add_input_facts(facts, options.inputs, meshes);
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
  facts.add("checksum", "{}", checksum_text(context, build));
  return facts.text();
}

int build_by_hand(Session& session, BuildOptions options) {
  options.settings = complete(options.settings);
  check_leaf_size(options.layout, options.settings.max_leaf_size);
  check_mesh_inputs(options.inputs);
  if (!options.output.empty()) check_structure_output(options.output, Structure::bvh, options.inputs);
  const auto context = session.make_context();
  session.progress().expect_stages(4 + (options.layout != Layout::bvh2) + !options.output.empty());

  session.begin("reading");
  const InputMeshes meshes = read_meshes(session, options.inputs);
  const DeviceMesh device_mesh(*context, meshes.mesh);
  const BuildSettings& settings = options.settings;
  const TimedBuild build = build_timed(session, *context, device_mesh.view(), settings, options.layout);
  session.begin("measuring");
  const BvhStats statistics = stats(*context, build.bvh);

  if (!options.output.empty()) {
    session.begin("writing");
    save_structure(options.output, *context, meshes.mesh, build.bvh, settings.builder,
                   settings.morton_bits.value_or(0), settings.max_leaf_size, build.wide, session.cancel_token());
    session.note("wrote {}", options.output);
  }
  session.print(make_report(*context, options, meshes, build, statistics),
                session.json() ? "" : make_text(*context, options, meshes, build, statistics));
  return exit_ok;
}

struct TimedAccel {
  Accel accel;
  double first_milliseconds, milliseconds;  // as in TimedBuild
};

TimedAccel build_timed(Session& session, Context& context, const TriangleViews& triangles,
                       const AccelOptions& options) {
  session.begin("building");
  Stopwatch stopwatch(context);
  Accel accel = build(context, triangles, options);
  const double first_milliseconds = stopwatch.milliseconds();
  session.begin("building again, for its time");
  stopwatch.start();
  rebuild(context, accel, triangles);
  const double milliseconds = stopwatch.milliseconds();
  return {std::move(accel), first_milliseconds, milliseconds};
}

AccelOptions accel_options(const BuildOptions& options) {
  return {.quality = options.quality, .splits = options.settings.splits};
}

int build_accel(Session& session, const BuildOptions& options) {
  check_mesh_inputs(options.inputs);
  if (!options.output.empty()) check_structure_output(options.output, Structure::bvh, options.inputs);
  const auto context = session.make_context();
  session.progress().expect_stages(4 + !options.output.empty());

  session.begin("reading");
  const InputMeshes meshes = read_meshes(session, options.inputs);
  const DeviceMesh device_mesh(*context, meshes.mesh);
  const TimedAccel build = build_timed(session, *context, device_mesh.views(meshes.parts), accel_options(options));

  session.begin("measuring");
  const std::string sum = fmt::format("{:#018x}", checksum(*context, build.accel.tree()));
  Json report{{"copse", describe(*context)}};
  add_inputs(report, options.inputs, meshes);
  report.update({{"build_ms", build.milliseconds},
                 {"first_build_ms", build.first_milliseconds},
                 {"checksum", sum},
                 {"output", options.output.empty() ? Json() : Json(options.output)}});
  add_accel(report, *context, build.accel);
  Facts facts;
  add_input_facts(facts, options.inputs, meshes);
  facts.add("device", "{}", describe_in_words(*context));
  add_accel_facts(facts, *context, build.accel);
  facts.add("build", "{:.3f} ms (first build, with allocation: {:.3f} ms)", build.milliseconds,
            build.first_milliseconds);
  facts.add("checksum", "{}", sum);

  if (!options.output.empty()) {
    session.begin("writing");
    save_accel(options.output, *context, meshes.mesh, build.accel, meshes.parts, session.cancel_token());
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
  if (options.memory_bytes) refuse("--memory", "its trees are Accels, which are built in one piece");
  if (options.gpus > 0) refuse("--gpus", "its trees are Accels, each of which one device has");
  return build_scene(session, options.inputs[0], options.scene, accel_options(options));
}

/// Throws: Error invalid_argument for options that do not fit a tree whose parts are on the ranks of mpirun.
void check_for_ranks(const CLI::App& command, const BuildOptions& options) {
  const auto refuse = [](const std::string& option) {
    throw Error(ErrorCode::invalid_argument,
                option + " is not for mpirun, whose ranks build one tree with lbvh or hploc");
  };
  for (const char* option : options_of_one_piece) {
    if (command.count(option) > 0) refuse(option);
  }
  if (options.memory_bytes) refuse("--memory");
  if (options.gpus > 0) refuse("--gpus");
  if (options.structure.structure != Structure::bvh) refuse("--structure");
}

}  // namespace

Command add_build_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand(
      "build", "Build a tree or a grid over meshes, or the trees of a scene, and print statistics");
  const auto options = std::make_shared<BuildOptions>();
  add_inputs(
      *command, options->inputs, "IN",
      "A mesh, .obj, .ply, .stl or .off, or several, which are built as one scene; or a scene, .glb or .gltf; "
      "- for a mesh on standard input");
  add_output(*command, options->output,
             "The file to write: .copse for a tree, .voxels for voxels, bricks, octree and dag, .nvdb for bricks "
             "and distance");
  add_choice<std::string>(
      *command, "--builder", options->settings.builder,
      {{"lbvh", "lbvh"}, {"hlbvh", "hlbvh"}, {"hploc", "hploc"}, {"sah", "sah"}},
      "Build a tree by hand, in place of --quality: lbvh builds fastest, hlbvh rebuilds it from "
      "the last order, hploc makes better trees, sah the best of most scenes. If only other "
      "options of a tree by hand are given, the builder is lbvh");
  add_radius(*command, options->settings.radius);
  add_morton_bits(*command, options->settings.morton_bits);
  add_max_leaf_size(*command, options->settings.max_leaf_size);
  add_top(*command, options->settings.top);
  add_splits(*command, options->settings.splits);
  add_reinsertion(*command, options->settings.reinsertion);
  add_layout(*command, options->layout);
  add_quality(*command, options->quality);
  add_parts(*command, options->memory_bytes, options->gpus);
  add_scene_choice(*command, options->scene.scene);
  add_opening(*command, options->scene.opening);
  add_structure(*command, options->structure);
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse build assets/spot.obj -o spot.copse --quality best\n"
      "  copse build assets/spot.obj --structure voxels --rule inside -o spot.voxels");
  const auto run = [command, options](Session& session) {
    check_structure(*command, options->structure);
    check_quality(*command);
    check_parts(*command);
    if (session.ranks() != nullptr) {
      check_for_ranks(*command, *options);
      refuse_scene_choice(options->scene);
      return build_sharded_tree(session, {options->inputs, options->output, complete(options->settings), 0});
    }
    if (check_inputs(options->inputs) == InputKind::scene) return build_both_levels(session, *command, *options);
    refuse_scene_choice(options->scene);
    if (options->structure.structure != Structure::bvh) {
      if (options->memory_bytes || options->gpus > 0) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} is for bvh only; the structure is {}",
                                options->gpus > 0 ? "--gpus" : "--memory", name_of(options->structure.structure)));
      }
      return build_structure(session, options->inputs, options->output, options->structure);
    }
    if (options->memory_bytes) {
      return build_sliced_tree(
          session, {options->inputs, options->output, complete(options->settings), *options->memory_bytes});
    }
    if (options->gpus > 0) {
      return build_sharded_tree(session,
                                {options->inputs, options->output, complete(options->settings), options->gpus});
    }
    return builds_by_hand(*command) ? build_by_hand(session, *options) : build_accel(session, *options);
  };
  return {command, run, true};
}

}  // namespace copse::cli
