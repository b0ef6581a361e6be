#include <cstring>

#include "builders/bvh/lbvh.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure_file.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using Cli = CliTest;

TEST_F(Cli, InfoMeasuresAMesh) {
  const std::string file = write_text("m.obj",
                                      "v 0 0 0\nv 3 0 0\nv 0 4 0\nv 9 9 9\n"
                                      "f 1 2 3\nf 1 2 2\n");
  const Json report = run_cli({"info", file, "--json"}).json();
  EXPECT_EQ(report["kind"], "mesh");
  EXPECT_EQ(report["triangles"], 2);
  EXPECT_EQ(report["vertices"], 4);
  EXPECT_EQ(report["unused_vertices"], 1);
  EXPECT_EQ(report["flat_triangles"], 1);
  EXPECT_EQ(report["area"], 6.0);
  EXPECT_EQ(report["bounds"]["hi"], Json({9, 9, 9}));
}

TEST_F(Cli, WhatIsLeftOutOfAMeshIsSaid) {
  const std::string file = write_text("m.obj", "v 0 0 0\nv 3 0 0\nv 0 4 0\nv nan 9 9\nf 1 2 3\nf 1 2 4\nf 1 2\n");
  const Outcome info = run_cli({"info", file, "--json"});
  EXPECT_EQ(info.json()["left_out"], Json({{"vertices", 1}, {"faces", 1}, {"short_faces", 1}}));
  EXPECT_EQ(info.err.rfind("copse: " + file + ": ", 0), 0u) << info.err;
  EXPECT_NE(info.err.find("left out"), std::string::npos) << info.err;
  for (const Arguments& arguments : {Arguments{"build", file},
                                     {"render", file, "-o", path("m.png"), "--size", "8"},
                                     {"bench", file, "--repeats", "1", "--rays-size", "8"}}) {
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find("left out"), std::string::npos) << arguments[0] << outcome.err;
  }
  EXPECT_EQ(run_cli({"info", file, "--quiet"}).err, "");
}

TEST_F(Cli, InfoExitsWith7ForAnInvalidStructure) {
  Context context({.backend = Backend::cpu});
  const Mesh mesh = load_mesh(sphere());
  const Buffer<vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  Bvh bvh =
      build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()}, LbvhOptions{});
  std::vector<BvhNode> nodes = bvh.nodes.download();
  nodes[0].hi.x += 1;
  bvh.nodes.upload(nodes);
  save_structure(path("loose.copse"), context, mesh, bvh, "lbvh", 63, 1);

  const Outcome plain = run_cli({"info", path("loose.copse"), "--backend", "cpu"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  const Outcome outcome = run_cli({"info", path("loose.copse"), "--validate", "--json", "--backend", "cpu"});
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_EQ(outcome.json()["validation"]["valid"], false);
  EXPECT_EQ(outcome.json()["validation"]["loose_boxes"], 1);
}

/// A byte of a box is changed, and the checksum made right.
TEST_F(Cli, InfoExitsWith7ForAnAccelWithALooseBox) {
  ASSERT_EQ(run_cli({"build", sphere(), "-o", path("a.copse"), "--backend", "cpu"}).exit_code, 0);
  std::string bytes = read_file(path("a.copse"));
  detail::StructureHeader header;
  detail::StructureWideHeader wide;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(&wide, bytes.data() + sizeof header, sizeof wide);
  bytes[detail::StructureLayout::of(header, wide).wide_nodes + offsetof(CompressedBvh4Node, hi_x)] ^= 1;
  write_text("loose.copse", test::sealed(bytes));
  const Outcome outcome = run_cli({"info", path("loose.copse"), "--validate", "--json", "--backend", "cpu"});
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_EQ(outcome.json()["validation"]["valid"], false);
}

}  // namespace
}  // namespace copse::test
