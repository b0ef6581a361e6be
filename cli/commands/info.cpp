// copse info: describes a mesh, scene, structure or voxel file.

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "accel/accel_file.h"
#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/validate.h"
#include "builders/io/structure_file.h"
#include "cli/commands/command.h"
#include "cli/commands/info_trees.h"
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
  Aabb bounds;
  double area = 0;
  u64 flat_triangles = 0;  // of no area
  u64 unused_vertices = 0;
};

double area_of(const vec3& a, const vec3& b, const vec3& c) {
  const double ux = double(b.x) - a.x, uy = double(b.y) - a.y, uz = double(b.z) - a.z;
  const double vx = double(c.x) - a.x, vy = double(c.y) - a.y, vz = double(c.z) - a.z;
  const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
  return 0.5 * std::sqrt(x * x + y * y + z * z);
}

MeshFacts measure(const Mesh& mesh) {
  MeshFacts facts{.bounds = bounds(mesh)};
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

int print_mesh(Session& session, const InfoOptions& options) {
  refuse_structure_options(options, "a mesh");
  session.begin("reading");
  MeshReport left_out;
  const Mesh mesh = session.read_mesh(options.input, &left_out);
  const MeshFacts measured = measure(mesh);
  const bool is_pipe = is_standard_stream(options.input);
  const u64 file_bytes = is_pipe ? 0 : std::filesystem::file_size(options.input);

  const Json report{{"input", options.input},
                    {"kind", "mesh"},
                    {"file_bytes", is_pipe ? Json() : Json(file_bytes)},
                    {"triangles", mesh.triangles.size()},
                    {"vertices", mesh.positions.size()},
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
  facts.add("triangles", "{}, of which {} have no area", grouped(mesh.triangles.size()),
            grouped(measured.flat_triangles));
  facts.add("vertices", "{}, of which {} are unused", grouped(mesh.positions.size()),
            grouped(measured.unused_vertices));
  facts.add("area", "{:.6g}", measured.area);
  facts.add("bounds", "{}", to_words(measured.bounds));
  session.print(report, facts.text());
  return exit_ok;
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
  report.facts.add("over", "{} triangles, {} vertices", grouped(file.mesh.triangles.size()),
                   grouped(file.mesh.positions.size()));
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

int print_structure(Session& session, const InfoOptions& options) {
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
  session.print(report.json, report.facts.text());
  return is_valid ? exit_ok : exit_invalid_structure;
}

int print_accel(Session& session, const InfoOptions& options) {
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
  facts.add("over", "{} triangles, {} vertices", grouped(file.mesh.triangles.size()),
            grouped(file.mesh.positions.size()));
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
  session.print(report, facts.text());
  return is_valid ? exit_ok : exit_invalid_structure;
}

int run_info(Session& session, const InfoOptions& options) {
  const InputKind kind = check_input(options.input);
  if (kind == InputKind::scene) {
    refuse_structure_options(options, "a scene");
    return print_scene(session, options.input, options.scene);
  }
  refuse_scene_choice({.scene = options.scene});
  if (kind == InputKind::mesh) return print_mesh(session, options);
  if (kind == InputKind::voxels) return print_voxel_file(session, options);
  if (const std::optional<TreeKind> tree = tree_kind(options.input))
    return print_tree_file(session, options, *tree);
  return holds_accel(options.input) ? print_accel(session, options) : print_structure(session, options);
}

}  // namespace

Command add_info_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("info", "Describe a mesh, scene, structure or voxel file");
  const auto options = std::make_shared<InfoOptions>();
  add_input(*command, options->input, "IN",
            "A mesh (.obj, .ply, .stl, .off), scene (.glb, .gltf), structure (.copse) or voxels (.voxels, .nvdb); "
            "- for a mesh on standard input");
  command->add_flag("--validate", options->validate,
                    "Check that each triangle or point has its place and that each box is tight");
  command->add_flag("--epo", options->epo, "Measure the end-point overlap (EPO) of the nodes of a binary tree");
  add_scene_choice(*command, options->scene);
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse info assets/spot.obj\n"
      "  copse build assets/spot.obj -o spot.copse --quiet\n"
      "  copse info spot.copse --validate");
  return {command, [options](Session& session) { return run_info(session, *options); }};
}

}  // namespace copse::cli
