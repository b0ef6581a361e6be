// copse info: describes a mesh, scene, structure or voxel file.

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "accel/accel_file.h"
#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/validate.h"
#include "builders/io/structure_file.h"
#include "cli/commands/command.h"
#include "cli/commands/info_shards.h"
#include "cli/commands/scenes.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/options/builders.h"
#include "cli/options/layouts.h"
#include "cli/options/qualities.h"
#include "cli/options/scene.h"

namespace copse::cli {

namespace {

struct MeshFacts {
  u64 triangles = 0, vertices = 0;
  Aabb bounds = Aabb::empty();
  double area = 0;
  u64 flat_triangles = 0;  // of no area
  u64 unused_vertices = 0;
};

/// The meshes among the files, and their facts together.
struct MeshSum {
  u32 count = 0;
  MeshFacts facts;

  void add(const MeshFacts& mesh) {
    ++count;
    facts.triangles += mesh.triangles;
    facts.vertices += mesh.vertices;
    facts.bounds = merge(facts.bounds, mesh.bounds);
    facts.area += mesh.area;
    facts.flat_triangles += mesh.flat_triangles;
    facts.unused_vertices += mesh.unused_vertices;
  }
};

double area_of(const vec3& a, const vec3& b, const vec3& c) {
  const double ux = double(b.x) - a.x, uy = double(b.y) - a.y, uz = double(b.z) - a.z;
  const double vx = double(c.x) - a.x, vy = double(c.y) - a.y, vz = double(c.z) - a.z;
  const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
  return 0.5 * std::sqrt(x * x + y * y + z * z);
}

MeshFacts measure(const Mesh& mesh) {
  MeshFacts facts{.triangles = mesh.triangles.size(), .vertices = mesh.positions.size(), .bounds = bounds(mesh)};
  std::vector<bool> used(mesh.positions.size());
  for (const uvec3& triangle : mesh.triangles) {
    const double area =
        area_of(mesh.positions[triangle.x], mesh.positions[triangle.y], mesh.positions[triangle.z]);
    facts.area += area;
    facts.flat_triangles += area == 0;
    used[triangle.x] = used[triangle.y] = used[triangle.z] = true;
  }
  for (const bool is_used : used) facts.unused_vertices += !is_used;
  return facts;
}

void add_mesh_facts(Facts& facts, const MeshFacts& mesh) {
  facts.add("triangles", "{}, {} without area", grouped(mesh.triangles), grouped(mesh.flat_triangles));
  facts.add("vertices", "{}, {} unused", grouped(mesh.vertices), grouped(mesh.unused_vertices));
  facts.add("area", "{:.6g}", mesh.area);
  facts.add("bounds", "{}", to_words(mesh.bounds));
}

FileReport describe_mesh(Session& session, const InfoOptions& options, MeshSum& sum) {
  refuse_structure_options(options, "a mesh");
  session.begin("reading");
  MeshReport left_out;
  const Mesh mesh = session.read_mesh(options.input, &left_out);
  const MeshFacts measured = measure(mesh);
  sum.add(measured);
  const bool is_pipe = is_standard_stream(options.input);
  const u64 file_bytes = is_pipe ? 0 : std::filesystem::file_size(options.input);

  const Json report{{"input", options.input},
                    {"kind", "mesh"},
                    {"file_bytes", is_pipe ? Json() : Json(file_bytes)},
                    {"triangles", measured.triangles},
                    {"vertices", measured.vertices},
                    {"unused_vertices", measured.unused_vertices},
                    {"flat_triangles", measured.flat_triangles},
                    {"left_out",
                     {{"vertices", left_out.vertices.count},
                      {"faces", left_out.faces.count},
                      {"short_faces", left_out.short_faces.count}}},
                    {"area", measured.area},
                    {"bounds", to_json(measured.bounds)}};
  Facts facts;
  facts.add("mesh", "{}",
            is_pipe ? "standard input" : one_line(options.input) + ", " + readable_bytes(file_bytes));
  add_mesh_facts(facts, measured);
  return {report, facts.text()};
}

/// The report on a structure, as JSON and as lines of text.
struct StructureReport {
  Json json;
  Facts facts;
};

/// Reports the file, its settings and the statistics of its trees.
StructureReport describe_structure(Context& context, const std::string& input, const StructureFile& file) {
  const BuildSettings settings{
      .builder = file.builder,
      .morton_bits = has_morton_bits(file.builder) ? std::optional(file.morton_bits) : std::nullopt,
      .max_leaf_size = file.max_leaf_size};
  const u64 file_bytes = std::filesystem::file_size(input);
  const BvhStats statistics = stats(context, file.bvh);
  const Layout layout = layout_of(file.wide);
  StructureReport report{{{"copse", describe(context)},
                          {"input", input},
                          {"kind", "structure"},
                          {"file_bytes", file_bytes},
                          {"triangles", file.mesh.triangles.size()},
                          {"vertices", file.mesh.positions.size()},
                          {"recipe", to_json(settings)},
                          {"statistics", to_json(statistics)},
                          {"layout", name_of(layout)}},
                         {}};
  report.facts.add("structure", "{}, {}", one_line(input), readable_bytes(file_bytes));
  report.facts.add("over", "{}, {}", counted(file.mesh.triangles.size(), "triangles"),
                   counted(file.mesh.positions.size(), "vertices"));
  add_facts(report.facts, settings);
  add_facts(report.facts, statistics);
  if (layout != Layout::bvh2) {
    const WideBvhStats wide_statistics = stats(context, file.wide);
    report.json["wide_statistics"] = to_json(wide_statistics);
    report.facts.add("layout", "{}", name_of(layout));
    add_facts(report.facts, wide_statistics);
  }
  return report;
}

/// Validates the trees of a structure; true if they are valid.
bool add_validation(Context& context, const StructureFile& file, StructureReport& report) {
  const DeviceMesh device_mesh(context, file.mesh);
  const ValidationReport validation = validate(context, file.bvh, device_mesh.view());
  report.json["validation"] = to_json(validation);
  report.facts.add("validation", "{}", validation.message());
  if (layout_of(file.wide) == Layout::bvh2) return validation.is_valid();
  const ValidationReport of_wide = validate(context, file.wide, device_mesh.view());
  report.json["wide_validation"] = to_json(of_wide);
  report.facts.add("wide validation", "{}", of_wide.message());
  return validation.is_valid() && of_wide.is_valid();
}

FileReport describe_structure_file(Session& session, const InfoOptions& options) {
  const auto context = session.make_context();
  session.progress().expect_stages(2 + options.validate + options.epo);
  session.begin("reading");
  const StructureFile file = load_structure(options.input, *context, session.cancel_token());
  session.begin("measuring");
  StructureReport report = describe_structure(*context, options.input, file);

  if (options.epo) {
    session.begin("clipping");
    const DeviceMesh device_mesh(*context, file.mesh);
    const double overlap = end_point_overlap(*context, file.bvh, device_mesh.view());
    report.json["statistics"]["end_point_overlap"] = overlap;
    report.facts.add("end-point overlap", "{:.4g}", overlap);
  }
  bool is_valid = true;
  if (options.validate) {
    session.begin("validating");
    is_valid = add_validation(*context, file, report);
  }
  return {report.json, report.facts.text(), is_valid};
}

FileReport describe_accel(Session& session, const InfoOptions& options) {
  if (options.epo) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("'{}': --epo takes a structure with a binary tree, as copse build --builder writes it; "
                    "this one holds an Accel",
                    options.input));
  }
  const auto context = session.make_context();
  session.progress().expect_stages(2 + options.validate);
  session.begin("reading");
  const AccelFile file = load_accel(options.input, *context, session.cancel_token());
  session.begin("measuring");
  const u64 file_bytes = std::filesystem::file_size(options.input);
  Json report{{"copse", describe(*context)},
              {"input", options.input},
              {"kind", "structure"},
              {"file_bytes", file_bytes},
              {"triangles", file.mesh.triangles.size()},
              {"vertices", file.mesh.positions.size()},
              {"geometries", file.parts.size()}};
  add_accel(report, *context, file.accel);
  Facts facts;
  facts.add("structure", "{}, {}", one_line(options.input), readable_bytes(file_bytes));
  facts.add("over", "{}, {}", counted(file.mesh.triangles.size(), "triangles"),
            counted(file.mesh.positions.size(), "vertices"));
  if (file.parts.size() > 1) facts.add("geometries", "{}", file.parts.size());
  add_accel_facts(facts, *context, file.accel);
  bool is_valid = true;
  if (options.validate) {
    session.begin("validating");
    const DeviceMesh device_mesh(*context, file.mesh);
    const ValidationReport validation = validate(*context, file.accel.tree(), device_mesh.view());
    report["validation"] = to_json(validation);
    facts.add("validation", "{}", validation.message());
    is_valid = validation.is_valid();
  }
  return {report, facts.text(), is_valid};
}

FileReport describe_file(Session& session, const InfoOptions& options, MeshSum& sum) {
  if (holds_sharded(options.input)) return describe_shards(session, options);
  switch (check_input(options.input)) {
    case InputKind::mesh: return describe_mesh(session, options, sum);
    case InputKind::voxels: return describe_voxel_file(session, options);
    case InputKind::scene:
      refuse_structure_options(options, "a scene");
      return describe_scene(session, options.input, options.scene);
    case InputKind::structure: break;
  }
  if (const std::optional<TreeKind> tree = tree_kind(options.input))
    return describe_tree_file(session, options, *tree);
  return holds_accel(options.input) ? describe_accel(session, options) : describe_structure_file(session, options);
}

/// Adds the sum of the meshes to the report on several files.
void add_sum(Json& report, std::string& text, const MeshSum& sum) {
  const MeshFacts& mesh = sum.facts;
  report["sum"] = {{"meshes", sum.count},
                   {"triangles", mesh.triangles},
                   {"vertices", mesh.vertices},
                   {"unused_vertices", mesh.unused_vertices},
                   {"flat_triangles", mesh.flat_triangles},
                   {"area", mesh.area},
                   {"bounds", to_json(mesh.bounds)}};
  Facts facts;
  facts.add("all meshes", "{}", sum.count);
  add_mesh_facts(facts, mesh);
  text += "\n" + facts.text();
}

int run_info(Session& session, InfoOptions options, const std::vector<std::string>& inputs) {
  bool has_scene = false;
  for (const std::string& input : inputs)
    has_scene |= !holds_sharded(input) && check_input(input) == InputKind::scene;
  if (!has_scene) refuse_scene_choice({.scene = options.scene});
  refuse_two_standard_inputs(inputs);
  MeshSum sum;
  Json files = Json::array();
  std::string text;
  bool is_valid = true;
  for (const std::string& input : inputs) {
    options.input = input;
    FileReport report = describe_file(session, options, sum);
    text += (text.empty() ? "" : "\n") + report.text;
    is_valid &= report.is_valid;
    files.push_back(std::move(report.json));
  }
  Json report = inputs.size() == 1 ? files[0] : Json{{"files", files}};
  if (sum.count > 1) add_sum(report, text, sum);
  session.print(report, text);
  return is_valid ? exit_ok : exit_invalid_structure;
}

}  // namespace

Command add_info_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("info", "Describe mesh, scene, structure and voxel files");
  const auto options = std::make_shared<InfoOptions>();
  const auto inputs = std::make_shared<std::vector<std::string>>();
  add_inputs(
      *command, *inputs, "IN",
      "Meshes (.obj, .ply, .stl, .off), scenes (.glb, .gltf), structures (.copse, or a .copsed folder) or voxels "
      "(.voxels, .nvdb); - for a mesh on standard input");
  command->add_flag("--validate", options->validate,
                    "Check that each triangle or point has its place and that each box is tight");
  command->add_flag("--epo", options->epo, "Measure the end-point overlap (EPO) of the nodes of a binary tree");
  add_scene_choice(*command, options->scene);
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse info assets/spot.obj\n"
      "  copse info assets/*.obj assets/*.ply\n"
      "  copse build assets/spot.obj -o spot.copse --quiet\n"
      "  copse info spot.copse --validate");
  return {command, [options, inputs](Session& session) { return run_info(session, *options, *inputs); }};
}

}  // namespace copse::cli
