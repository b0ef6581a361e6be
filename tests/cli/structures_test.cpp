// copse build --structure grid, frustum, voxels, bricks, kdtree, points and point-bvh.

#include "builders/io/nano_file.h"
#include "builders/io/voxel_file.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliStructures = CliOnEachBackend;

TEST_P(CliStructures, BuildAGridAndPrintItsMeasures) {
  const Json report =
      run_cli(here({"build", sphere(), "--json", "--structure", "grid", "--resolution", "8x9x10"})).json();
  EXPECT_EQ(report["structure"], "grid");
  EXPECT_EQ(report["triangles"], 320);
  const Json& statistics = report["statistics"];
  EXPECT_EQ(statistics["resolution"], Json({8, 9, 10}));
  EXPECT_EQ(statistics["cells"], 720);
  EXPECT_GT(statistics["occupied_cells"], 100);
  EXPECT_GT(statistics["duplication"], 1.0);
  EXPECT_GT(report["build_ms"], 0.0);
  EXPECT_TRUE(report["output"].is_null());
}

TEST_P(CliStructures, BuildAFrustumGridOfACamera) {
  const auto statistics = [&](const Arguments& camera) {
    Arguments arguments = {"build", sphere(), "--json", "--structure", "frustum", "--resolution", "16x12x8"};
    arguments.insert(arguments.end(), camera.begin(), camera.end());
    const Json report = run_cli(here(arguments)).json();
    EXPECT_EQ(report["structure"], "frustum");
    EXPECT_GT(report["build_ms"], 0.0);
    return report["statistics"];
  };
  const Json all = statistics({});
  EXPECT_EQ(all["resolution"], Json({16, 12, 8}));
  EXPECT_EQ(all["cells"], 16 * 12 * 8);
  EXPECT_GE(all["references"], 320);
  EXPECT_LT(all["nearest"], all["farthest"]);
  EXPECT_EQ(statistics({"--eye", "0,0,5", "--target", "0,0,9"})["references"], 0);
  EXPECT_LT(statistics({"--eye", "0,0,5", "--fov", "1"})["references"], all["references"]);
}

TEST_P(CliStructures, BuildVoxelsAndWriteThemAndTheirSlices) {
  const Outcome outcome = run_cli(here({"build", sphere(), "--json", "--structure", "voxels", "--resolution", "20",
                                        "--rule", "inside", "-o", path("v.voxels"), "--slices", path("")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const HostVoxels voxels = load_voxels(path("v.voxels"));
  EXPECT_FALSE(voxels.is_sparse);
  EXPECT_EQ(voxels.shape.resolution, uvec3(20));
  EXPECT_TRUE(voxels.at(uvec3(10)));
  EXPECT_FALSE(voxels.at(uvec3(0)));
  EXPECT_EQ(outcome.json()["statistics"]["rule"], "inside");
  EXPECT_EQ(png_size(path("slice-0019.png")), (std::pair<unsigned, unsigned>(20, 20)));
}

TEST_P(CliStructures, BuildBricksAndWriteThem) {
  const Outcome outcome = run_cli(
      here({"build", sphere(), "--json", "--structure", "bricks", "--resolution", "300", "-o", path("b.voxels")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const HostVoxels voxels = load_voxels(path("b.voxels"));
  EXPECT_TRUE(voxels.is_sparse);
  EXPECT_EQ(outcome.json()["statistics"]["bricks"], voxels.keys.size());
  EXPECT_EQ(voxels.shape.resolution, uvec3(300));
}

TEST_P(CliStructures, BuildBricksAndWriteThemForNanoVDB) {
  for (const std::string type : {"mask", "index"}) {
    for (const std::string codec : {"none", "zip"}) {
      const Outcome outcome = run_cli(here({"build", sphere(), "--json", "--structure", "bricks", "--resolution",
                                            "300", "-o", path("b.nvdb"), "--nvdb", type, "--codec", codec}));
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      const Json info = run_cli({"info", path("b.nvdb"), "--json"}).json();
      EXPECT_EQ(info["voxels"], outcome.json()["statistics"]["voxels"]);
      EXPECT_EQ(info["structure"], "bricks");
    }
  }
  EXPECT_EQ(run_cli(here({"render", path("b.nvdb"), "-o", path("b.png"), "--size", "32"})).exit_code, 0);
}

TEST_P(CliStructures, BuildDistancesAndWriteThemForNanoVDB) {
  const Outcome outcome = run_cli(here({"build", sphere(), "--json", "--structure", "distance", "--resolution",
                                        "50", "--band", "2.5", "-o", path("d.nvdb"), "--codec", "zip"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json statistics = outcome.json()["statistics"];
  EXPECT_EQ(statistics["resolution"], Json({58, 58, 58}));
  EXPECT_NEAR(double(statistics["band"]), 2.5 * 2 / 50, 1e-3);
  const HostNanoGrid grid = load_nano_grid(path("d.nvdb"));
  EXPECT_EQ(grid.type, NanoType::floats);
  EXPECT_LT(value_at(grid, 29, 29, 29), 0);
  EXPECT_GT(value_at(grid, 0, 0, 0), 0);
  EXPECT_EQ(run_cli({"info", path("d.nvdb"), "--json"}).json()["voxels"], statistics["voxels"]);
}

TEST_P(CliStructures, BuildOctreesAndDagsOfVoxels) {
  const auto statistics = [&](const std::string& structure) {
    const Json report = run_cli(here({"build", sphere(), "--json", "--structure", structure, "--resolution", "300",
                                      "-o", path(structure + ".voxels")}))
                            .json();
    EXPECT_EQ(report["structure"], structure);
    return report["statistics"];
  };
  const Json bricks = statistics("bricks"), octree = statistics("octree"), dag = statistics("dag");
  EXPECT_EQ(octree["voxels"], bricks["voxels"]);
  EXPECT_EQ(dag["voxels"], bricks["voxels"]);
  EXPECT_EQ(octree["levels"], 7);
  EXPECT_EQ(dag["octree_nodes"], octree["nodes"]);
  EXPECT_EQ(dag["octree_leaves"], octree["leaves"]);
  EXPECT_LT(dag["leaves"], octree["leaves"]);
  for (const std::string structure : {"octree", "dag"}) {
    const Json info = run_cli({"info", path(structure + ".voxels"), "--validate", "--json"}).json();
    EXPECT_EQ(info["structure"], structure);
    EXPECT_EQ(info["voxels"], bricks["voxels"]);
    EXPECT_EQ(info["nodes"], (structure == "dag" ? dag : octree)["nodes"]);
    EXPECT_EQ(info["octree_leaves"], octree["leaves"]);
    EXPECT_EQ(info["validation"]["message"], "valid");
    expect_error(run_cli({"info", path(structure + ".voxels"), "--epo"}), 2, "this file holds voxels");
  }
  EXPECT_EQ(run_cli(here({"render", path("dag.voxels"), "-o", path("t.png"), "--size", "32"})).exit_code, 0);
}

TEST_P(CliStructures, VoxelsAreDescribedAndRendered) {
  ASSERT_EQ(run_cli({"generate", "cube", "-o", path("cube.ply")}).exit_code, 0);
  for (const std::string structure : {"voxels", "bricks"}) {
    ASSERT_EQ(run_cli(here({"build", path("cube.ply"), "--structure", structure, "--resolution", "16", "-o",
                            path("c.voxels")}))
                  .exit_code,
              0);
    const Json info = run_cli({"info", path("c.voxels"), "--validate", "--json"}).json();
    EXPECT_EQ(info["kind"], "voxels");
    EXPECT_EQ(info["validation"]["message"], "valid");
    expect_error(run_cli({"info", path("c.voxels"), "--epo"}), 2, "this file holds voxels");
    EXPECT_EQ(info["structure"], structure);
    EXPECT_EQ(info["resolution"], Json({16, 16, 16}));
    // The shell of the cube, one voxel thick, and the faces of its outside and inside.
    EXPECT_EQ(info["voxels"], 16 * 16 * 16 - 14 * 14 * 14);
    EXPECT_EQ(info["bounds"]["hi"], Json({1, 1, 1}));
    EXPECT_EQ(info["edge"], 1.0 / 16);
    const Json picture =
        run_cli(here({"render", path("c.voxels"), "-o", path("c.png"), "--size", "32", "--json"})).json();
    EXPECT_EQ(picture["triangles"], 2 * 6 * (16 * 16 + 14 * 14));
    EXPECT_EQ(png_size(path("c.png")), std::pair(32u, 32u));
  }
  // Voxels of a cube look like the cube.
  const std::string voxels = read_file(path("c.png"));
  ASSERT_EQ(run_cli(here({"render", path("cube.ply"), "-o", path("m.png"), "--size", "32"})).exit_code, 0);
  EXPECT_EQ(voxels, read_file(path("m.png")));
}

TEST_P(CliStructures, KdTreesTellTheirSizes) {
  const Json triangles = run_cli(here({"build", sphere(), "--json", "--structure", "kdtree"})).json();
  EXPECT_EQ(triangles["structure"], "kdtree");
  const Json& of_triangles = triangles["statistics"];
  EXPECT_GE(of_triangles["references"], triangles["triangles"]);
  EXPECT_EQ(of_triangles["invalid_triangles"], 0);
  EXPECT_EQ(of_triangles["bytes"], 8 * u64(of_triangles["nodes"]) + 4 * u64(of_triangles["references"]) + 24);

  const Json points = run_cli(here({"build", sphere(), "--json", "--structure", "points"})).json();
  EXPECT_EQ(points["structure"], "points");
  EXPECT_EQ(points["statistics"]["points"], points["vertices"]);
  EXPECT_EQ(points["statistics"]["invalid_points"], 0);
  EXPECT_EQ(points["statistics"]["bytes"], 16 * u64(points["vertices"]) + 16);
}

TEST_P(CliStructures, TreesAreWrittenDescribedAndValidated) {
  for (const std::string structure : {"kdtree", "points", "point-bvh"}) {
    SCOPED_TRACE(structure);
    const Outcome built =
        run_cli(here({"build", sphere(), "--json", "--structure", structure, "-o", path("t.copse")}));
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const Json statistics = built.json()["statistics"];
    const Json info = run_cli(here({"info", path("t.copse"), "--validate", "--json"})).json();
    EXPECT_EQ(info["kind"], "structure");
    EXPECT_EQ(info["structure"], structure);
    EXPECT_EQ(info["bytes"], statistics["bytes"]);
    EXPECT_EQ(info["validation"]["message"], "valid");
    if (structure == "kdtree") {
      for (const char* name : {"nodes", "depth", "references"}) EXPECT_EQ(info[name], statistics[name]) << name;
    } else {
      EXPECT_EQ(info["points"], statistics["points"]);
    }
    expect_error(run_cli(here({"info", path("t.copse"), "--epo"})), 2,
                 "--epo takes a structure with a binary tree");
    const std::string held = structure == "kdtree"   ? "a kd-tree of triangles"
                             : structure == "points" ? "a kd-tree of points"
                                                     : "a tree of boxes over points";
    expect_error(run_cli(here({"render", path("t.copse"), "-o", path("t.png")})), 3,
                 "t.copse': this file holds " + held + "; copse render takes a .copse file of an Accel");
    expect_error(run_cli({"convert", path("t.copse"), path("t.ply")}), 3,
                 "t.copse': this file holds " + held + "; copse convert takes a .copse file of an Accel");
  }
}

COPSE_ON_EACH_BACKEND(CliStructures);

using CliStructureErrors = CliTest;

TEST_F(CliStructureErrors, NameTheOptionThatDoesNotFit) {
  const auto expect = [&](Arguments options, int exit_code, const std::string& part) {
    Arguments arguments = {"build", sphere(), "--structure"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_error(run_cli(arguments), exit_code, part);
  };
  expect({"grid", "--radius", "3"}, 2, "--radius is for bvh only; the structure is grid");
  expect({"grid", "--reinsertion", "3"}, 2, "--reinsertion is for bvh only; the structure is grid");
  expect({"grid", "--top", "sah"}, 2, "--top is for bvh only; the structure is grid");
  expect({"grid", "--density", "3", "--resolution", "5"}, 2,
         "--resolution is 5 and --density is 3; a grid takes one of them");
  expect({"voxels", "--density", "3"}, 2, "--density is for grid only");
  expect({"bricks", "--rule", "inside"}, 2, "--rule is for voxels only");
  expect({"grid", "-o", path("g.voxels")}, 2,
         "--output is for bvh, voxels, bricks, distance, octree, dag, kdtree, points and point-bvh only");
  expect({"voxels", "-o", path("g.copse")}, 2,
         "g.copse': the output of --structure voxels must end in .voxels; .copse is written by --structure bvh, "
         "kdtree, points or point-bvh");
  expect({"bricks", "-o", path("g.copse")}, 2,
         "the output of --structure bricks must end in .voxels or .nvdb; .copse");
  expect({"bvh", "-o", path("g.voxels")}, 2,
         "g.voxels': the output of a tree must end in .copse; .voxels is written by --structure voxels, bricks, "
         "octree or dag");
  expect({"bvh", "-o", path("g.nvdb")}, 2, "; .nvdb is written by --structure bricks or distance");
  expect({"bvh", "-o", path("g.copsed")}, 2, "must end in .copse; .copsed is written by --gpus");
  expect({"bvh", "-o", path("g.png")}, 2, "g.png': the output of a tree must end in .copse\n");
  expect({"voxels", "-o", path("g.nvdb")}, 2, "must end in .voxels");
  expect({"voxels", "--codec", "zip"}, 2, "--codec is for bricks and distance only; the structure is voxels");
  expect({"octree", "--nvdb", "mask"}, 2, "--nvdb is for bricks only; the structure is octree");
  expect({"dag", "-o", path("d.copse")}, 2, "must end in .voxels");
  expect({"distance", "-o", path("d.voxels")}, 2, "must end in .nvdb");
  expect({"distance", "--nvdb", "index"}, 2, "--nvdb is for bricks only; the structure is distance");
  expect({"distance", "--resolution", "4097"}, 2,
         "--resolution is 4097; --structure distance takes 1 to 4096 voxels along the longest edge");
  expect({"distance", "--band", "1"}, 2, "--band");
  expect({"bricks", "--band", "3"}, 2, "--band is for distance only; the structure is bricks");
  expect({"octree", "--resolution", "65537"}, 2,
         "--resolution is 65537; --structure octree takes 1 to 65536 voxels along the longest edge");
  expect({"voxels", "--resolution", "4096"}, 2, "--resolution is 4096; --structure voxels takes 1 to 2048 voxels");
  expect({"voxels", "--resolution", "4x4x4"}, 2,
         "--resolution is 4x4x4; --structure voxels takes one number, because voxels are cubes");
  expect({"grid", "--resolution", "4x"}, 2, "'4x'");
  expect({"grid", "--eye", "1,2,3"}, 2, "--eye is for frustum only; the structure is grid");
  expect({"frustum", "--density", "3"}, 2, "--density is for grid only");
  expect({"frustum", "--resolution", "64"}, 2, "three numbers");
  expect({"frustum", "--resolution", "999x9x9"}, 2,
         "--resolution is 999x9x9; a frustum takes 1 to 512 tiles each way and 1 to 256 slabs");
  expect({"frustum", "--resolution", "9x9x257"}, 2, "1 to 256 slabs");
  expect({"frustum", "-o", path("f.voxels")}, 2, "--output is for");
  expect({"kdtree", "--resolution", "64"}, 2,
         "--resolution is for grid, frustum, voxels, bricks, distance, octree and dag only");
  expect({"kdtree", "-o", path("k.voxels")}, 2, "must end in .copse");
  expect({"points", "--slices", path("")}, 2, "--slices is for voxels and bricks only; the structure is points");
  expect({"points", "--builder", "sah"}, 2, "--builder is for bvh only; the structure is points");
  expect({"grid", "--resolution", "4096"}, 2,
         "--resolution is 4096; a grid takes 1 to 2048 cells along each axis");
  expect({"grid", "--resolution", "0"}, 2, "--resolution is 0; a grid takes 1 to 2048 cells");
  expect({"grid", "--resolution", "2048x2048x257"}, 2, "a grid takes up to 1 073 741 824");
  expect({"grid", "--resolution", "2x2"}, 2, "--resolution is 2x2; a grid takes one number or three");
  expect({"bricks", "--resolution", "70000"}, 2, "--structure bricks takes 1 to 65536 voxels");
  expect({"voxels", "--slices", path("nowhere")}, 3, "does not exist");
  EXPECT_EQ(files().size(), 1u);
}

}  // namespace
}  // namespace copse::test
