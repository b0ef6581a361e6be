#include "bench/support/mesh_program.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "copse.h"
#include "copse_commit.h"

namespace copse::bench {

namespace {

Mesh mesh_named(const std::string& name, u32 subdivisions) {
  return subdivide(name == "hairball" ? generate_hairball(14400, 100) : load_mesh(name), subdivisions);
}

}  // namespace

bool gpu_answers() {
  try {
    Context context({.backend = Backend::cuda});
    return true;
  } catch (const Error&) {
    return false;
  }
}

void run_benchmarks() {
  benchmark::AddCustomContext("commit", COPSE_COMMIT);
  benchmark::RunSpecifiedBenchmarks();
}

int run_mesh_program(const std::string& description, int argc, char** argv,
                     const std::function<void(const Mesh&)>& measure, const std::vector<MeshProgramFlag>& flags) {
  benchmark::Initialize(&argc, argv);
  std::string mesh;
  u32 subdivisions = 0;
  CLI::App app(description);
  app.add_option("MESH", mesh, "A mesh file, or \"hairball\"")->required()->option_text(" ");
  // After 15 times, a mesh of one triangle has 2^30 triangles. That is the most that a mesh may have and still be
  // cut.
  app.add_option("SUBDIVISIONS", subdivisions, "How often every triangle is cut into 4")
      ->check(CLI::Range(0, 15))
      ->option_text(" ");
  for (const MeshProgramFlag& flag : flags) app.add_flag(flag.name, *flag.is_given, flag.description);
  app.footer("And --benchmark_filter=REGEX, --benchmark_out=FILE.json and the others of Google Benchmark.");
  try {
    app.parse(argc, argv);
    measure(mesh_named(mesh, subdivisions));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: error: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}

}  // namespace copse::bench
