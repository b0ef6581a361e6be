// copse convert, and meshes on standard input and output.

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliConvert = CliTest;

/// The corners of all triangles, in their order.
std::vector<vec3> corners_of(const Mesh& mesh) {
  std::vector<vec3> corners;
  for (const uvec3& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) corners.push_back(mesh.positions[t[k]]);
  }
  return corners;
}

TEST_F(CliConvert, EveryFormatHoldsTheSameTriangles) {
  const std::vector<vec3> corners = corners_of(load_mesh(sphere()));
  std::string input = sphere();
  for (const char* name : {"a.stl", "b.obj", "c.off", "d.PLY", "f.Off.GZ", "e.stl"}) {
    const Outcome outcome = run_cli({"convert", input, path(name), "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["triangles"], 320);
    EXPECT_EQ(outcome.json()["vertices"], 162);
    EXPECT_EQ(outcome.json()["file_bytes"], std::filesystem::file_size(path(name)));
    EXPECT_EQ(corners_of(load_mesh(path(name))), corners) << name;
    input = path(name);
  }
}

TEST_F(CliConvert, StructuresVoxelsAndScenesGiveTheirTriangles) {
  ASSERT_EQ(run_cli({"build", sphere(), "-o", path("a.copse")}).exit_code, 0);
  ASSERT_EQ(run_cli({"build", sphere(), "-o", path("b.copse"), "--builder", "lbvh"}).exit_code, 0);
  for (const char* name : {"a.copse", "b.copse"}) {
    EXPECT_EQ(run_cli({"convert", path(name), "-o", path("s.obj"), "--json"}).json()["triangles"], 320) << name;
  }
  ASSERT_EQ(
      run_cli({"build", sphere(), "-o", path("v.voxels"), "--structure", "voxels", "--resolution", "8"}).exit_code,
      0);
  const Json voxels = run_cli({"convert", path("v.voxels"), path("v.stl"), "--json"}).json();
  EXPECT_EQ(voxels["triangles"].get<int>() % 12, 0);
  // Two instances of a triangle: one moved, one mirrored, which turns its corners around.
  const std::string gltf = write_text("t.gltf", R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"mesh":0,"translation":[5,0,0]},{"mesh":0,"scale":[-1,1,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})");
  const Outcome scene = run_cli({"convert", gltf, path("scene.ply")});
  ASSERT_EQ(scene.exit_code, 0) << scene.err;
  EXPECT_EQ(corners_of(load_mesh(path("scene.ply"))),
            (std::vector<vec3>{{5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 0, 0}}));
}

TEST_F(CliConvert, MinusIsStandardInputAndOutput) {
  const std::string mesh = sphere();
  const Outcome pipe = run_shell("cat " + mesh + " | $COPSE convert - - --to obj | gzip | $COPSE convert - " +
                                 path("a.stl") + " --quiet && $COPSE info - --json < " + path("a.stl"));
  ASSERT_EQ(pipe.exit_code, 0) << pipe.err;
  const size_t json_at = pipe.out.find("{");
  ASSERT_NE(json_at, std::string::npos);
  const Json info = Json::parse(pipe.out.substr(json_at));
  EXPECT_EQ(info["triangles"], 320);
  EXPECT_EQ(info["vertices"], 162);
  EXPECT_TRUE(info["file_bytes"].is_null());
  EXPECT_EQ(corners_of(load_mesh(path("a.stl"))), corners_of(load_mesh(mesh)));
  const Outcome render =
      run_shell("$COPSE render - -o " + path("a.png") + " --size 16 < " + mesh + " && $COPSE build - < " + mesh);
  EXPECT_EQ(render.exit_code, 0) << render.err;
  const Outcome broken = run_shell("printf 'v 0 0\\n' | $COPSE info -");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_NE(broken.err.find("standard input: line 1: the vertex has no z"), std::string::npos) << broken.err;
}

TEST_F(CliConvert, OnlyAnOutputThatIsNamedReplacesAFile) {
  const std::string mesh = sphere(), second = path("second.ply");
  ASSERT_EQ(run_cli({"generate", "cube", "-o", second}).exit_code, 0);
  const std::string before = read_file(second);
  // As the shell expands "*.ply" in this folder.
  expect_error(
      run_cli({"convert", second, mesh}), usage,
      "'" + mesh + "' exists. Without -o, the second of two files is the output. To replace it, name it by -o;");
  expect_error(run_cli({"convert", "-", second}), usage, "second.ply' exists");
  EXPECT_EQ(read_file(second), before);
  EXPECT_EQ(files(), (std::vector<std::string>{"second.ply", "sphere.ply"}));
  EXPECT_EQ(run_cli({"convert", mesh, "-o", second}).exit_code, 0);
  EXPECT_EQ(corners_of(load_mesh(second)), corners_of(load_mesh(mesh)));
}

TEST_F(CliConvert, MistakesAreNamed) {
  const std::string mesh = sphere();
  expect_error(run_cli({"convert", mesh}), 2,
               "OUT is missing: the mesh: .obj, .ply, .stl or .off, with or without .gz");
  expect_error(run_cli({"convert", mesh, "-"}), 2, "OUT is -, standard output; --to must name its format");
  expect_error(run_cli({"convert", mesh, path("a.stl"), "--to", "obj"}), 2, "--to is for standard output");
  expect_error(run_cli({"convert", mesh, "-", "--to", "3ds"}), 2, "'3ds'; it takes ply, stl, obj or off");
  expect_error(run_cli({"convert", mesh, path("a.gz")}), 2,
               "the output file must end in .obj, .ply, .stl or .off, with or without .gz");
  expect_error(run_cli({"convert", mesh, path("a.glb")}), 2,
               "the output file must end in .obj, .ply, .stl or .off");
  expect_error(run_cli({"convert", mesh, mesh}), 2, "input and output are the same file");
  expect_error(run_cli({"convert", mesh, path("a.stl"), "--scene", "1"}), 2, "--scene needs a scene file");
  expect_error(run_cli({"convert", write_text("a.stl", "solid"), path("b.ply")}), 3,
               "line 1: the file ends before 'endsolid'");
}

}  // namespace
}  // namespace copse::test
