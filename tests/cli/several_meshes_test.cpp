// Several meshes in one call: one scene, with a geometry per file.

#include "accel/accel_file.h"
#include "builders/io/mesh_file.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliSeveralMeshes = CliTest;
class CliSeveralMeshesOnEachBackend : public CliOnEachBackend {};
COPSE_ON_EACH_BACKEND(CliSeveralMeshesOnEachBackend);

/// A box of 12 triangles, beside the sphere of 320.
std::string write_box(const std::string& file) {
  EXPECT_EQ(run_cli({"generate", "cube", "-o", file, "--quiet"}).exit_code, 0);
  Mesh mesh = load_mesh(file);
  for (vec3& p : mesh.positions) p += vec3(2, 0, 0);
  save_mesh(file, mesh);
  return file;
}

/// The triangles of meshes behind each other, in one mesh.
Mesh joined(const std::vector<std::string>& files) {
  Mesh all;
  for (const std::string& file : files) {
    const Mesh mesh = load_mesh(file);
    for (const uvec3& triangle : mesh.triangles) all.triangles.push_back(triangle + u32(all.positions.size()));
    all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
  }
  return all;
}

TEST_P(CliSeveralMeshesOnEachBackend, BuildMakesOneAccelWithAGeometryPerFile) {
  const std::string ball = sphere(), box = write_box(path("box.ply")), both = path("both.ply");
  save_mesh(both, joined({ball, box}));
  const Outcome outcome = run_cli(here({"build", ball, box, "-o", path("several.copse"), "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = outcome.json(), of_one = run_cli(here({"build", both, "--json"})).json();
  EXPECT_EQ(report["triangles"], 332);
  EXPECT_EQ(report["vertices"], 162 + 8);
  EXPECT_FALSE(report.contains("input"));
  EXPECT_EQ(report["files"], Json({{{"input", ball}, {"triangles", 320}, {"vertices", 162}},
                                   {{"input", box}, {"triangles", 12}, {"vertices", 8}}}));
  EXPECT_EQ(of_one["input"], both);
  EXPECT_FALSE(of_one.contains("files"));
  EXPECT_EQ(report["checksum"], of_one["checksum"]) << "the tree is that over one mesh of all triangles";

  Context context({.backend = GetParam()});
  const AccelFile file = load_accel(path("several.copse"), context);
  EXPECT_EQ(file.parts, (std::vector<MeshPart>{{320, 0}, {12, 1}}));
  EXPECT_EQ(file.mesh.positions, joined({ball, box}).positions);
  const std::vector<PackedTriangle> triangles = file.accel.packed_triangles().triangles.download();
  EXPECT_EQ(triangles.size(), 332u);
  for (const PackedTriangle& triangle : triangles)
    ASSERT_EQ(triangle.geometry, triangle.primitive < 320 ? 0u : 1u);
  const Outcome info = run_cli(here({"info", path("several.copse"), "--validate", "--json"}));
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.json()["geometries"], 2);
}

TEST_P(CliSeveralMeshesOnEachBackend, EveryBuildTakesThemAsOneMesh) {
  const std::string ball = sphere(), box = write_box(path("box.ply")), both = path("both.ply");
  save_mesh(both, joined({ball, box}));
  const std::vector<Arguments> kinds = {{"--builder", "sah"},
                                        {"--builder", "hploc", "--layout", "cbvh8"},
                                        {"--memory", "1G"},
                                        {"--structure", "bricks", "--resolution", "32"}};
  for (const Arguments& kind : kinds) {
    Arguments several{"build", ball, box, "--json"}, one{"build", both, "--json"};
    several.insert(several.end(), kind.begin(), kind.end());
    one.insert(one.end(), kind.begin(), kind.end());
    const Outcome outcome = run_cli(here(several));
    ASSERT_EQ(outcome.exit_code, 0) << kind[1] << outcome.err;
    const Json report = outcome.json(), expected = run_cli(here(one)).json();
    EXPECT_EQ(report["statistics"], expected["statistics"]) << kind[1];
    EXPECT_EQ(report.value("checksum", ""), expected.value("checksum", "")) << kind[1];
    EXPECT_EQ(report["files"].size(), 2u) << kind[1];
  }
}

TEST_P(CliSeveralMeshesOnEachBackend, RenderShowsAllInOnePicture) {
  const std::string ball = sphere(), box = write_box(path("box.ply")), both = path("both.ply");
  save_mesh(both, joined({ball, box}));
  ASSERT_EQ(run_cli(here({"build", ball, box, "-o", path("several.copse"), "--quiet"})).exit_code, 0);
  const auto draw = [&](const Arguments& inputs, const Arguments& options = {}) {
    Arguments arguments{"render", "-o", path("a.png"), "--size", "48x32"};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run_cli(here(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_file(path("a.png"));
  };
  const std::string picture = draw({ball, box});
  EXPECT_EQ(picture, draw({both}));
  EXPECT_EQ(picture, draw({path("several.copse")}));
  EXPECT_EQ(picture, draw({ball, box}, {"--structure", "grid"}));
  EXPECT_NE(picture, draw({ball}));
  const Arguments by_triangle{"--shading", "primitive"};
  EXPECT_EQ(draw({ball, box}, by_triangle), draw({path("several.copse")}, by_triangle));
  EXPECT_EQ(draw({ball, box}, by_triangle), draw({both}, by_triangle));
}

TEST_F(CliSeveralMeshes, InfoDescribesEachFileAndTheSum) {
  const std::string triangle = write_text("a.obj", "v 0 0 0\nv 3 0 0\nv 0 4 0\nv 9 9 9\nf 1 2 3\n"),
                    two = write_text("b.off", "OFF\n4 2 0\n0 0 0\n-5 0 0\n0 2 0\n0 0 7\n3 0 1 2\n3 0 1 1\n");
  ASSERT_EQ(run_cli({"build", two, "-o", path("b.copse"), "--quiet"}).exit_code, 0);
  const Outcome outcome = run_cli({"info", triangle, path("b.copse"), two, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = outcome.json();
  ASSERT_EQ(report["files"].size(), 3u);
  EXPECT_EQ(report["files"][0], run_cli({"info", triangle, "--json"}).json());
  EXPECT_EQ(report["files"][1]["kind"], "structure");
  EXPECT_EQ(report["sum"]["meshes"], 2);
  EXPECT_EQ(report["sum"]["triangles"], 3);
  EXPECT_EQ(report["sum"]["vertices"], 8);
  EXPECT_EQ(report["sum"]["unused_vertices"], 2);
  EXPECT_EQ(report["sum"]["flat_triangles"], 1);
  EXPECT_EQ(report["sum"]["area"], 11.0);
  EXPECT_EQ(report["sum"]["bounds"], Json({{"lo", {-5, 0, 0}}, {"hi", {9, 9, 9}}}));
  const std::string text = run_cli({"info", triangle, two}).out;
  EXPECT_EQ(
      text.find(run_cli({"info", triangle}).out + "\n" + run_cli({"info", two}).out + "\nall meshes        2\n"),
      0u)
      << text;
}

TEST_F(CliSeveralMeshes, ConvertWritesThemBehindEachOther) {
  const std::string ball = sphere(), box = write_box(path("box.ply"));
  const Outcome outcome = run_cli({"convert", box, ball, box, "-o", path("all.ply"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["files"].size(), 3u);
  const Mesh all = load_mesh(path("all.ply")), expected = joined({box, ball, box});
  EXPECT_EQ(all.positions, expected.positions);
  EXPECT_EQ(all.triangles, expected.triangles);
  // Standard input among them, and inputs of other kinds.
  const Outcome pipe = run_shell("$COPSE convert " + box + " - " + box + " -o - --to ply < " + ball + " | cmp - " +
                                 path("all.ply"));
  EXPECT_EQ(pipe.exit_code, 0) << pipe.out << pipe.err;
  const Json mixed = run_cli({"convert", "assets/grove.glb", box, "-o", path("mixed.stl"), "--json"}).json();
  EXPECT_EQ(mixed["triangles"], 38404 + 12);
}

TEST_F(CliSeveralMeshes, BenchTakesThemAsScenesOrTogether) {
  const std::string ball = sphere(), box = write_box(path("box.ply"));
  const auto bench = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), {"bench", ball, box});
    arguments.insert(arguments.end(), {"--repeats", "1", "--rays-size", "8", "--morton-bits", "30", "--json"});
    return run_cli(arguments).json()["results"];
  };
  const Json apart = bench({}), together = bench({"--together"});
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_EQ(apart[1]["triangles"], 12);
  ASSERT_EQ(together.size(), 1u);
  EXPECT_EQ(together[0]["triangles"], 332);
  EXPECT_EQ(together[0]["scene"], "sphere+box");
  EXPECT_EQ(together[0]["source"], ball + ", " + box);
}

TEST_F(CliSeveralMeshes, MistakesNameTheFile) {
  const std::string ball = sphere(), box = write_box(path("box.ply")), before = read_file(box);
  const std::string broken = write_text("c.obj", "v 0 0\n");
  ASSERT_EQ(run_cli({"build", ball, "-o", path("a.copse"), "--quiet"}).exit_code, 0);
  for (const std::string command : {"build", "render"}) {
    const auto run = [&](Arguments inputs) {
      inputs.insert(inputs.begin(), {command, "-o", path(command == "build" ? "b.copse" : "b.png")});
      return run_cli(inputs);
    };
    expect_error(run({ball, path("none.ply"), box}), bad_file, "none.ply': no such file");
    expect_error(run({ball, broken}), bad_file, "c.obj: line 1: the vertex has no z");
    expect_error(run({ball, "assets/grove.glb"}), bad_file,
                 "'assets/grove.glb': this is a file of a scene, but several files must all be meshes");
    expect_error(run({path("a.copse"), ball}), bad_file, "a.copse': this is a file of a structure, but several");
    expect_error(run({ball, "-", "-"}), usage,
                 "- stands for standard input, which can be read once; it is given 2");
    expect_error(run({ball, box, "--scene", "1"}), usage, "--scene needs a scene file");
  }
  expect_error(run_cli({"info", ball, path("none.ply")}), bad_file, "none.ply': no such file");
  expect_error(run_cli({"info", ball, box, "--validate"}), usage, "--validate takes a structure");
  expect_error(run_cli({"convert", ball, box, path("c.ply")}), usage,
               "3 files are given, and no -o: to write several inputs as one mesh, name it by -o OUT");
  expect_error(run_cli({"convert", ball, box, "-o", box}), usage, "input and output are the same file");
  expect_error(run_cli({"bench", "testball", ball, "--together"}), usage, "testball is the name of a scene");
  expect_error(run_cli({"bench", ball, path("none.ply"), "--together"}), bad_file, "no such file");
  EXPECT_EQ(read_file(box), before);
  EXPECT_EQ(files(), (std::vector<std::string>{"a.copse", "box.ply", "c.obj", "sphere.ply"}));
}

}  // namespace
}  // namespace copse::test
