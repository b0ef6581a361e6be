// copse generate: makes a mesh and writes it as PLY.

#include "builders/geometry/generate.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "builders/bvh/bvh.h"
#include "builders/io/mesh_file.h"
#include "cli/commands/command.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/help_text.h"
#include "cli/options/scene.h"

namespace copse::cli {

namespace {

/// A mesh that can be generated: its sizes, which are known beforehand, and the function that makes it.
struct MeshPlan {
  u64 triangle_count = 0;
  u64 vertex_count = 0;
  std::function<Mesh(const CancelToken&)> make;
};

struct Kind {
  CLI::App* app;
  std::function<MeshPlan(Session&)> plan;
};

struct GenerateOptions {
  std::string output;
  std::string input;
  u32 times = 1;
  u64 strands = 0;
  u32 segments = 0;
  u64 count = 0;
  float size = 0;
  u32 n = 0;
};

/// Throws: Error out_of_memory if `what` needs more bytes than this machine has. The system might promise such an
/// allocation and kill the program later.
void check_host_memory(u64 bytes, const std::string& what) {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return;
  const u64 machine_bytes = u64(pages) * u64(page_bytes);
  if (bytes <= machine_bytes) return;
  throw Error(ErrorCode::out_of_memory, fmt::format("{} needs {}, but this machine has {} of memory", what,
                                                    readable_bytes(bytes), readable_bytes(machine_bytes)));
}

int run_generate(Session& session, const Kind& kind, const GenerateOptions& options) {
  const std::string name = kind.app->get_name();
  if (options.output.empty()) {
    throw Error(ErrorCode::invalid_argument, "-o is missing: name the mesh to write, as in -o " + name + ".ply");
  }
  check_output(options.output, ".ply", {options.input});
  session.progress().expect_stages(options.input.empty() ? 2 : 3);
  const MeshPlan plan = kind.plan(session);
  check_host_memory(plan.triangle_count * sizeof(uvec3) + plan.vertex_count * sizeof(vec3), "the mesh");

  session.begin("generating");
  const Mesh mesh = plan.make(session.cancel_token());
  session.begin("writing");
  save_ply(options.output, mesh, session.cancel_token());

  const Aabb box = bounds(mesh);
  const Json report{{"kind", name},
                    {"output", options.output},
                    {"triangles", mesh.triangles.size()},
                    {"vertices", mesh.positions.size()},
                    {"bounds", to_json(box)}};
  Facts facts;
  facts.add("mesh", "{}", one_line(options.output));
  facts.add("triangles", "{}", grouped(mesh.triangles.size()));
  facts.add("vertices", "{}", grouped(mesh.positions.size()));
  facts.add("bounds", "{}", to_words(box));
  session.print(report, facts.text());
  return exit_ok;
}

using Options = std::shared_ptr<GenerateOptions>;

Kind add_subdivide(CLI::App& parent, const Options& o) {
  CLI::App* app = parent.add_subcommand("subdivide", "Split each triangle of a mesh into 4, TIMES times");
  add_input(*app, o->input, "IN", "The mesh: .obj, .ply, .stl or .off; - for standard input");
  add_count(*app, "TIMES", o->times, 0, 15, "Number of times, 0 to 15")->required();
  app->footer("Example:\n  copse generate subdivide assets/spot.obj 2 -o spot-x16.ply");
  return {app, [o](Session& session) {
            check_mesh_input(o->input);
            session.begin("reading");
            const auto mesh = std::make_shared<Mesh>(session.read_mesh(o->input));
            const u64 triangles = mesh->triangles.size() << 2 * o->times;
            // Each round adds 3 vertices per triangle, in all 3 (1 + 4 + ... + 4^(times - 1)) per triangle of
            // `mesh`.
            const u64 vertices = mesh->positions.size() + triangles - mesh->triangles.size();
            return MeshPlan{triangles, vertices,
                            [=](const CancelToken& cancel) { return subdivide(*mesh, o->times, cancel); }};
          }};
}

Kind add_hairball(CLI::App& parent, const Options& o) {
  CLI::App* app = parent.add_subcommand("hairball", "Thin strips that grow out of a sphere");
  add_count(*app, "STRANDS", o->strands, 1, max_primitives, "Number of strips")->required();
  add_count(*app, "SEGMENTS", o->segments, 1, 1u << 20, "Quads per strip")->required();
  app->footer("Example:\n  copse generate hairball 1440 100 -o hairball.ply");
  return {app, [o](Session&) {
            return MeshPlan{
                2 * o->strands * o->segments, 2 * o->strands * (u64{o->segments} + 1),
                [o](const CancelToken& cancel) { return generate_hairball(o->strands, o->segments, cancel); }};
          }};
}

Kind add_random(CLI::App& parent, const Options& o) {
  CLI::App* app = parent.add_subcommand("random", "Small triangles at random places in the unit cube");
  add_count(*app, "COUNT", o->count, 1, max_primitives, "Number of triangles")->required();
  add_real(*app, "SIZE", o->size, 1e-6f, 1e6f, "Edge of the cube in which the corners of a triangle lie at random")
      ->required();

  app->footer(
      "The middles of these cubes are in the unit cube. So corners can be SIZE / 2 outside of it.\n"
      "\n"
      "Example:\n"
      "  copse generate random 1000000 0.002 -o random.ply");
  return {app, [o](Session&) {
            return MeshPlan{o->count, 3 * o->count,
                            [o](const CancelToken& cancel) { return generate_random(o->count, o->size, cancel); }};
          }};
}

Kind add_grid(CLI::App& parent, const Options& o) {
  CLI::App* app = parent.add_subcommand("grid", "A flat square of N x N quads");
  add_count(*app, "N", o->n, 1, 32768, "Quads along a side, 1 to 32768")->required();
  app->footer("Example:\n  copse generate grid 100 -o grid.ply");
  return {app, [o](Session&) {
            const u64 n = o->n;
            return MeshPlan{2 * n * n, (n + 1) * (n + 1),
                            [o](const CancelToken& cancel) { return generate_grid(o->n, cancel); }};
          }};
}

Kind add_sphere(CLI::App& parent, const Options& o) {
  CLI::App* app = parent.add_subcommand("sphere", "An icosahedron, subdivided N times and made round");
  add_count(*app, "N", o->n, 0, 13, "Subdivisions, 0 to 13; there are 20 * 4^N triangles")->required();
  app->footer("Example:\n  copse generate sphere 5 -o sphere.ply");
  return {app, [o](Session&) {
            const u64 triangles = u64{20} << 2 * o->n;
            return MeshPlan{triangles, triangles / 2 + 2,
                            [o](const CancelToken& cancel) { return generate_sphere(o->n, cancel); }};
          }};
}

Kind add_cube(CLI::App& parent, const Options&) {
  CLI::App* app = parent.add_subcommand("cube", "The unit cube, 12 triangles");
  app->footer("Example:\n  copse generate cube -o cube.ply");
  return {app, [](Session&) { return MeshPlan{12, 8, [](const CancelToken&) { return generate_cube(); }}; }};
}

}  // namespace

Command add_generate_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("generate", "Generate a mesh and write it as PLY");
  command->require_subcommand(1);
  const auto formatter = std::make_shared<CLI::Formatter>();  // of its own, for the label
  formatter->column_width(help_column);
  formatter->label("SUBCOMMAND", "KIND");
  command->formatter(formatter);
  const auto options = std::make_shared<GenerateOptions>();
  std::vector<Kind> kinds;
  for (const auto add : {add_subdivide, add_hairball, add_random, add_grid, add_sphere, add_cube}) {
    kinds.push_back(add(*command, options));
    kinds.back().app->group("Kinds");
    add_output(*kinds.back().app, options->output, "The mesh, a .ply file (required)");
    add_common_options(*kinds.back().app, common);
  }
  command->footer(
      "Examples:\n"
      "  copse generate sphere 5 -o sphere.ply\n"
      "  copse generate hairball 1440 100 -o hairball.ply\n"
      "  copse generate random 1000000 0.002 -o random.ply\n"
      "  copse generate subdivide assets/spot.obj 2 -o spot-x16.ply");
  return {command, [options, kinds](Session& session) {
            for (const Kind& kind : kinds) {
              if (kind.app->parsed()) return run_generate(session, kind, *options);
            }
            throw Error(ErrorCode::invalid_argument, "KIND is missing");
          }};
}

}  // namespace copse::cli
