// copse convert: writes the triangles of any files as a mesh.

#include <CLI/CLI.hpp>
#include <memory>

#include "accel/accel_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "cli/commands/command.h"
#include "cli/commands/scenes.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/scene.h"
#include "scene/scene_file.h"

namespace copse::cli {

namespace {

struct ConvertOptions {
  std::vector<std::string> inputs;  // and the output last, unless -o names it
  std::string output;
  MeshFormat format = MeshFormat::automatic;  // of standard output
  u32 scene = default_scene;
};

/// Returns a point of a mesh where an instance puts it.
vec3 placed(const Instance& instance, const vec3& p) {
  vec3 q;
  for (int i = 0; i < 3; ++i) {
    const float* row = instance.rows[i];
    q[i] = float(double(row[0]) * p.x + double(row[1]) * p.y + double(row[2]) * p.z + row[3]);
  }
  return q;
}

/// True if an instance turns left to right, so that the corners of its triangles go round the other way.
bool is_mirrored(const Instance& instance) {
  const auto& m = instance.rows;
  const double minor_x = double(m[1][1]) * m[2][2] - double(m[1][2]) * m[2][1];
  const double minor_y = double(m[1][0]) * m[2][2] - double(m[1][2]) * m[2][0];
  const double minor_z = double(m[1][0]) * m[2][1] - double(m[1][1]) * m[2][0];
  return m[0][0] * minor_x - m[0][1] * minor_y + m[0][2] * minor_z < 0;
}

/// Returns the triangles of all instances of a scene, in their places.
Mesh flatten(const SceneFile& file) {
  Mesh mesh;
  for (const Instance& instance : file.instances) {
    const Mesh& part = file.meshes[instance.accel].mesh;
    const u64 first = mesh.positions.size();
    if (first + part.positions.size() > ~u32{0}) {
      throw Error(
          ErrorCode::capacity,
          fmt::format("the instances have more than {} vertices together, the limit of a mesh", grouped(~u32{0})));
    }
    for (const vec3& p : part.positions) mesh.positions.push_back(placed(instance, p));
    const bool turns = is_mirrored(instance);
    for (uvec3 t : part.triangles) {
      if (turns) std::swap(t.y, t.z);
      mesh.triangles.push_back(t + u32(first));
    }
  }
  return mesh;
}

Mesh read_triangles(Session& session, const std::string& input, u32 scene) {
  switch (check_input(input)) {
    case InputKind::mesh: return session.read_mesh(input);
    case InputKind::voxels: return surface_of(load_voxels(input, session.cancel_token()));
    case InputKind::scene: return flatten(session.read_scene(input, scene));
    case InputKind::structure: break;
  }
  refuse_tree_file(input, "copse convert");
  const auto context = session.make_context();
  return holds_accel(input) ? load_accel(input, *context, session.cancel_token()).mesh
                            : load_structure(input, *context, session.cancel_token()).mesh;
}

/// Takes the output from the end of the files, unless -o names it.
void find_output(ConvertOptions& options) {
  if (!options.output.empty()) return;
  if (options.inputs.size() == 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("OUT is missing: the mesh: {}, with or without .gz", mesh_endings));
  }
  if (options.inputs.size() > 2) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} files are given, and no -o: to write several inputs as one mesh, name it by -o OUT",
                    options.inputs.size()));
  }
  options.output = options.inputs[1];
  options.inputs.pop_back();
}

/// Throws: Error invalid_argument if the output is there already and -o does not name it: it may be a second mesh that
/// was meant to be read.
void refuse_to_replace(const std::string& output, const std::string& input) {
  std::error_code error;
  if (is_standard_stream(output) || !std::filesystem::is_regular_file(output, error)) return;
  const bool is_input = !is_standard_stream(input) && std::filesystem::equivalent(output, input, error);
  if (is_input) return;  // check_files says so
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' exists. Without -o, the second of two files is the output. To replace it, name it "
                          "by -o; to read it too, name another output by -o",
                          output));
}

/// Checks the files before they are read.
void check_files(const ConvertOptions& options) {
  bool has_scene = false;
  for (const std::string& input : options.inputs) has_scene |= check_input(input) == InputKind::scene;
  if (!has_scene) refuse_scene_choice({.scene = options.scene});
  refuse_two_standard_inputs(options.inputs);
  if (!is_standard_stream(options.output)) check_mesh_output(options.output, options.inputs);
}

int run_convert(Session& session, ConvertOptions options) {
  const bool is_named = !options.output.empty();
  find_output(options);
  if (!is_named) refuse_to_replace(options.output, options.inputs[0]);
  const bool to_pipe = is_standard_stream(options.output);
  if (to_pipe && options.format == MeshFormat::automatic) {
    throw Error(ErrorCode::invalid_argument, "OUT is -, standard output; --to must name its format");
  }
  if (!to_pipe && options.format != MeshFormat::automatic) {
    throw Error(ErrorCode::invalid_argument,
                "--to is for standard output, OUT -; a file's ending names its format");
  }
  check_files(options);
  session.progress().expect_stages(2);
  session.begin("reading");
  InputMeshes meshes;
  for (const std::string& input : options.inputs) meshes.add(input, read_triangles(session, input, options.scene));
  const Mesh& mesh = meshes.mesh;
  session.begin("writing");
  if (to_pipe) {
    const std::string bytes = mesh_bytes(mesh, options.format, session.cancel_token());
    session.progress().finish();
    print_data(bytes);
    return exit_ok;
  }
  save_mesh(options.output, mesh, session.cancel_token());
  Json report;
  add_inputs(report, options.inputs, meshes);
  report["output"] = options.output;
  report["file_bytes"] = std::filesystem::file_size(options.output);
  Facts facts;
  facts.add("written", "{}, {}", one_line(options.output),
            readable_bytes(std::filesystem::file_size(options.output)));
  add_input_facts(facts, options.inputs, meshes);
  session.print(report, facts.text());
  return exit_ok;
}

}  // namespace

Command add_convert_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("convert", "Write the triangles of any files as a mesh");
  const auto options = std::make_shared<ConvertOptions>();
  add_inputs(
      *command, options->inputs, "IN",
      "A mesh, scene (.glb, .gltf), structure (.copse) or voxels (.voxels, .nvdb), or several; - for a mesh on "
      "standard input. Of two files without -o, the second is the one to write; it must not exist");
  add_output(*command, options->output,
             fmt::format("The mesh to write: {}, with or without .gz; - for standard output", mesh_endings));
  add_choice<MeshFormat>(
      *command, "--to", options->format,
      {{"ply", MeshFormat::ply}, {"stl", MeshFormat::stl}, {"obj", MeshFormat::obj}, {"off", MeshFormat::off}},
      "The format of standard output");
  add_scene_choice(*command, options->scene);
  add_common_options(*command, common);
  command->footer(
      "PLY and STL are written as binary files. STL has no indices: a vertex stands in each of its triangles.\n"
      "A scene is written with each instance in its place. Several inputs become one mesh, in their order.\n"
      "\n"
      "Examples:\n"
      "  copse convert assets/spot.obj spot.stl\n"
      "  copse convert assets/grove.glb grove.ply\n"
      "  copse convert assets/spot.obj assets/testball.ply -o both.ply\n"
      "  copse convert assets/testball.ply testball.obj.gz\n"
      "  copse convert assets/testball.ply - --to stl | wc -c");
  return {command, [options](Session& session) { return run_convert(session, *options); }};
}

}  // namespace copse::cli
