#include "cli/options/structures.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "builders/io/tree_file.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/scene.h"
#include "cli/options/structure_builds.h"

namespace copse::cli {

namespace {

constexpr const char* names[] = {"bvh",    "grid", "frustum", "voxels", "bricks",   "distance",
                                 "octree", "dag",  "kdtree",  "points", "point-bvh"};

bool is_voxel_tree(Structure structure) {
  return structure == Structure::octree || structure == Structure::dag;
}

/// The endings that files of a structure have; none if it is not written.
std::vector<std::string> endings_of(Structure structure) {
  switch (structure) {
    case Structure::grid:
    case Structure::frustum: return {};
    case Structure::voxels:
    case Structure::octree:
    case Structure::dag: return {".voxels"};
    case Structure::bricks: return {".voxels", ".nvdb"};
    case Structure::distance: return {".nvdb"};
    case Structure::bvh:
    case Structure::kdtree:
    case Structure::points:
    case Structure::point_bvh: break;
  }
  return {".copse"};
}

bool is_written_as(Structure structure, const std::string& path) {
  const std::vector<std::string> endings = endings_of(structure);
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return has_ending(path, ending); });
}

/// "; .nvdb is written by --structure bricks or distance", or nothing for an ending of no structure.
std::string writers_of(const std::string& path) {
  if (has_ending(path, ".copsed")) return "; .copsed is written by --gpus";
  std::vector<std::string> writers;
  for (int i = 0; i < int(std::size(names)); ++i) {
    if (is_written_as(Structure(i), path)) writers.push_back(names[i]);
  }
  if (writers.empty()) return "";
  return fmt::format("; {} is written by --structure {}", std::filesystem::path(path).extension().string(),
                     one_of(writers));
}

Built build_by(Context& context, const TriangleView& triangles, const Aabb& box, const StructureOptions& options,
               const Kept& keeps) {
  if (options.structure == Structure::grid) return build_uniform_grid(context, triangles, options);
  if (options.structure == Structure::frustum) return build_frustum(context, triangles, box, options);
  if (options.structure == Structure::kdtree) return build_kd_of_triangles(context, triangles);
  if (options.structure == Structure::points) return build_kd_of_points(context, triangles.positions);
  if (options.structure == Structure::point_bvh) return build_bvh_of_points(context, triangles.positions);
  if (options.structure == Structure::voxels) return build_dense(context, triangles, options, keeps.voxels);
  if (options.structure == Structure::bricks) return build_sparse(context, triangles, options, keeps);
  if (options.structure == Structure::distance) return build_distances(context, triangles, options, keeps);
  return build_voxel_tree(context, triangles, options, keeps.voxels);
}

}  // namespace

const char* name_of(Structure structure) {
  return names[int(structure)];
}

void add_structure(CLI::App& command, StructureOptions& options) {
  add_choice<Structure>(
      command, "--structure", options.structure,
      {{"bvh", Structure::bvh},
       {"grid", Structure::grid},
       {"frustum", Structure::frustum},
       {"voxels", Structure::voxels},
       {"bricks", Structure::bricks},
       {"distance", Structure::distance},
       {"octree", Structure::octree},
       {"dag", Structure::dag},
       {"kdtree", Structure::kdtree},
       {"points", Structure::points},
       {"point-bvh", Structure::point_bvh}},
      "What to build: a tree (default), a uniform grid, a grid over the view of a camera, dense voxels, sparse "
      "bricks of voxels, distances near a closed surface, an octree of voxels, a DAG of voxels, a kd-tree of the "
      "triangles, a kd-tree of the "
      "vertices, or boxes over the vertices");
  command
      .add_option(
          "--resolution", options.resolution,
          "grid: cells along each axis; frustum: tiles across, tiles down and slabs, default 128x128x16; "
          "voxels, bricks, distance, octree and dag: voxels along the longest edge, default 256 for voxels and "
          "distance, else 1024")
      ->option_text("N|XxYxZ");
  add_real(command, "--density", options.density, 1e-6f, 1024, "grid: cells per triangle, default 4");
  add_real(command, "--band", options.band, 2, 16, "distance: how far distances reach, in voxels, default 3");
  add_choice<VoxelRule>(
      command, "--rule", options.rule,
      {{"touched", VoxelRule::touched}, {"crossed", VoxelRule::crossed}, {"inside", VoxelRule::inside}},
      "voxels: set those that the surface touches (default), that it crosses, or that are inside it");
  command.add_option("--slices", options.slices, "voxels and bricks: write a PNG for each layer into this folder")
      ->option_text("FOLDER");
  add_choice<NanoType>(command, "--nvdb", options.nano_type,
                       {{"mask", NanoType::mask}, {"index", NanoType::index}},
                       "A .nvdb: set voxels alone (default), or numbered as indices into arrays");
  add_choice<NanoCodec>(command, "--codec", options.nano_codec,
                        {{"none", NanoCodec::none}, {"zip", NanoCodec::zip}},
                        "A .nvdb: plain (default), or packed by zip");
  add_camera_options(command, options.camera);
}

void check_structure_output(const std::string& output, Structure structure,
                            const std::vector<std::string>& inputs) {
  const std::vector<std::string> endings = endings_of(structure);
  for (const std::string& ending : endings) {
    if (has_ending(output, ending)) return check_output(output, ending, inputs);
  }
  refuse_structure(
      fmt::format("'{}': the output of {} must end in {}{}", output,
                  structure == Structure::bvh ? "a tree" : std::string("--structure ") + name_of(structure),
                  one_of(endings), writers_of(output)));
}

void check_structure(const CLI::App& command, const StructureOptions& options) {
  const bool is_tree = options.structure == Structure::bvh, is_grid = options.structure == Structure::grid;
  const bool is_dense = options.structure == Structure::voxels,
             is_frustum = options.structure == Structure::frustum;
  const bool is_sparse = options.structure == Structure::bricks, is_voxels = is_dense || is_sparse;
  const bool is_tree_of_voxels = is_voxel_tree(options.structure);
  const bool is_distance = options.structure == Structure::distance;
  const bool is_written = !is_grid && !is_frustum;
  const auto only = [&](const char* option, bool is_right, const char* with) {
    if (is_right || command.count(option) == 0) return;
    refuse_structure(
        fmt::format("{} is for {} only; the structure is {}", option, with, name_of(options.structure)));
  };
  for (const char* option : {"--builder", "--radius", "--morton-bits", "--max-leaf-size", "--top", "--splits",
                             "--reinsertion", "--layout", "--quality"}) {
    only(option, is_tree, "bvh");
  }
  only("--resolution", is_grid || is_frustum || is_voxels || is_distance || is_tree_of_voxels,
       "grid, frustum, voxels, bricks, distance, octree and dag");
  only("--density", is_grid, "grid");
  only("--band", is_distance, "distance");
  only("--rule", is_dense, "voxels");
  only("--slices", is_voxels, "voxels and bricks");
  only("--output", is_written, "bvh, voxels, bricks, distance, octree, dag, kdtree, points and point-bvh");
  only("--nvdb", is_sparse, "bricks");
  only("--codec", is_sparse || is_distance, "bricks and distance");
  for (const char* option : camera_option_names) only(option, is_frustum, "frustum");
  if (command.count("--resolution") > 0 && command.count("--density") > 0) {
    refuse_structure(fmt::format("--resolution is {} and --density is {:g}; a grid takes one of them",
                                 one_line(options.resolution), options.density));
  }
}

namespace {

void write(Session& session, Context& context, const Mesh& mesh, const std::string& output, const Built& built,
           const StructureOptions& options) {
  const CancelToken cancel = session.cancel_token();
  if (const auto* tree = std::get_if<SahKdTree>(&built.tree)) {
    save_tree(output, context, mesh, *tree, cancel);
  } else if (const auto* tree = std::get_if<KdTree>(&built.tree)) {
    save_tree(output, context, mesh.positions, *tree, cancel);
  } else if (const auto* bvh = std::get_if<PointBvh>(&built.tree)) {
    save_tree(output, context, mesh.positions, *bvh, cancel);
  } else if (is_voxel_tree(options.structure)) {
    save_voxel_tree(output, built.voxel_tree, cancel);
  } else if (has_ending(output, ".nvdb")) {
    save_nano_grid(output, built.nano, options.nano_codec, cancel);
  } else {
    save_voxels(output, built.voxels, cancel);
  }
  session.note("wrote {}", output);
}

}  // namespace

int build_structure(Session& session, const std::vector<std::string>& inputs, const std::string& output,
                    const StructureOptions& options) {
  const bool writes = !output.empty() || !options.slices.empty();
  check_mesh_inputs(inputs);
  const bool is_distance = options.structure == Structure::distance;
  const bool is_nano = is_distance || (options.structure == Structure::bricks && has_ending(output, ".nvdb"));
  if (!output.empty()) check_structure_output(output, options.structure, inputs);
  if (!options.slices.empty()) check_output(options.slices + "/slice-0000.png", ".png", inputs);
  resolution_of(options);  // an error comes before the mesh is read
  const auto context = session.make_context();
  session.progress().expect_stages(writes ? 3 : 2);

  session.begin("reading");
  const InputMeshes meshes = read_meshes(session, inputs);
  const Mesh& mesh = meshes.mesh;

  session.begin("building");
  const DeviceMesh device_mesh(*context, mesh);
  const Built built =
      build_by(*context, device_mesh.view(), bounds(mesh), options,
               {.voxels = writes && !(is_nano && options.slices.empty()), .nano = is_nano && writes});

  if (writes) session.begin("writing");
  if (!output.empty()) write(session, *context, mesh, output, built, options);
  if (!options.slices.empty()) {
    save_slices(options.slices, built.voxels, session.cancel_token());
    session.note("wrote {} slices to {}", built.voxels.shape.resolution.z, options.slices);
  }
  Facts facts;
  add_input_facts(facts, inputs, meshes);
  facts.add("device", "{}", describe_in_words(*context));
  const std::string build_time = fmt::format("{:<18}{:.3f} ms\n", "build", built.milliseconds);
  Json report{{"copse", describe(*context)}};
  add_inputs(report, inputs, meshes);
  report.update({{"structure", name_of(options.structure)},
                 {"statistics", built.statistics},
                 {"build_ms", built.milliseconds},
                 {"output", output.empty() ? Json() : Json(output)}});
  session.print(report, facts.text() + built.facts.text() + build_time);
  return exit_ok;
}

}  // namespace copse::cli
