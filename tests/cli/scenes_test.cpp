// build, info and render of scene files.

#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliScenes = CliTest;
class CliScenesOnEachBackend : public CliOnEachBackend {};
COPSE_ON_EACH_BACKEND(CliScenesOnEachBackend);

const std::string grove = "assets/grove.glb";

TEST_F(CliScenes, InfoCountsMeshesAndInstances) {
  const Json report = run_cli({"info", grove, "--json"}).json();
  EXPECT_EQ(report["kind"], "scene");
  EXPECT_EQ(report["triangles"], 806);
  EXPECT_EQ(report["instances"], 340);
  EXPECT_EQ(report["instanced_triangles"], 38404);
  ASSERT_EQ(report["meshes"].size(), 5u);
  EXPECT_EQ(report["meshes"][4]["name"], "panel");
  EXPECT_EQ(report["meshes"][4]["instances"], 64);
  EXPECT_EQ(report["meshes"][1]["parts"], 2);
  const Outcome text = run_cli({"info", grove});
  EXPECT_NE(text.out.find("340, of 38 404 triangles"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("36 triangles in 64 places: panel"), std::string::npos) << text.out;
}

TEST_P(CliScenesOnEachBackend, BuildDescribesBothLevels) {
  const Json report = run_cli(here({"build", grove, "--json", "--quality", "fast"})).json();
  EXPECT_EQ(report["quality"], "fast");
  EXPECT_EQ(report["meshes"], 5);
  EXPECT_EQ(report["scene"]["statistics"]["primitives"], 340);
  EXPECT_EQ(report["scene"]["left_out"], 0);
  EXPECT_GT(report["scene"]["bytes"], 340);
  EXPECT_GT(report["scene"]["build_ms"], 0.0);
  EXPECT_GT(report["scene"]["refit_ms"], 0.0);
  EXPECT_GT(report["accels"]["bytes"], 806 * 20);
}

TEST_P(CliScenesOnEachBackend, RenderDrawsTheSamePictureWithAnyNumberOfThreads) {
  const auto draw = [&](const std::string& name, const char* threads) {
    const Json report = run_cli(here({"render", grove, "-o", path(name), "--size", "96x64", "--eye", "9,6,16",
                                      "--target", "0,0.5,0", "--threads", threads, "--json"}))
                            .json();
    EXPECT_EQ(report["instances"], 340);
    return read_file(path(name));
  };
  const std::string one = draw("one.png", "1");
  EXPECT_EQ(png_size(path("one.png")), std::pair(96u, 64u));
  EXPECT_EQ(draw("all.png", "4"), one);
}

TEST_P(CliScenesOnEachBackend, OpeningChangesTheTreeAndNotThePicture) {
  const Json plain = run_cli(here({"build", grove, "--json"})).json()["scene"];
  const Json opened = run_cli(here({"build", grove, "--json", "--opening", "4"})).json()["scene"];
  EXPECT_EQ(plain["references"], 340);
  EXPECT_EQ(plain["opening"], 1);
  EXPECT_GT(opened["references"], 400);
  EXPECT_LE(opened["references"], 4 * 340);
  EXPECT_EQ(opened["left_out"], 0);
  EXPECT_GT(opened["bytes"], plain["bytes"]);
  const auto draw = [&](const std::string& name, const std::string& opening, const char* shading = "normal") {
    EXPECT_EQ(run_cli(here({"render", grove, "-o", path(name), "--size", "64", "--eye", "9,6,16", "--target",
                            "0,0.5,0", "--opening", opening, "--shading", shading}))
                  .exit_code,
              0);
    return read_file(path(name));
  };
  EXPECT_EQ(draw("opened.png", "4"), draw("plain.png", "1"));
  EXPECT_NE(draw("opened.png", "4", "heat"), draw("plain.png", "1", "heat"));
}

TEST_F(CliScenes, RefuseOptionsThatAreForOneTree) {
  expect_error(run_cli({"build", sphere(), "--opening", "2"}), 2, "--opening needs a scene file");
  expect_error(run_cli({"render", sphere(), "-o", path("a.png"), "--opening", "2"}), 2,
               "--opening needs a scene file");
  expect_error(run_cli({"build", grove, "--opening", "65"}), 2, "--opening");
  expect_error(run_cli({"build", grove, "-o", path("a.copse")}), 2, "a .copse file holds a single tree");
  expect_error(run_cli({"build", grove, "--builder", "sah"}), 2, "--builder takes a mesh, not a scene");
  expect_error(run_cli({"build", grove, "--structure", "grid"}), 2, "--structure takes a mesh, not a scene");
  expect_error(run_cli({"info", grove, "--validate"}), 2, "--validate takes a structure (.copse), not a scene");
  expect_error(run_cli({"render", grove, "-o", path("a.png"), "--structure", "grid"}), 2,
               "--structure grid needs a mesh, but the input is a scene");
  expect_error(run_cli({"info", sphere(), "--scene", "0"}), 2, "--scene needs a scene file");
  for (Arguments arguments : std::vector<Arguments>{{"info", grove},
                                                    {"build", grove},
                                                    {"render", grove, "-o", path("a.png")},
                                                    {"convert", grove, "-o", path("a.ply")}}) {
    arguments.insert(arguments.end(), {"--scene", "7"});
    expect_error(run_cli(arguments), 3, "--scene is 7; the file has 1 scene, number 0");
  }
  expect_error(run_cli({"info", write_text("a.gltf", "{}")}), 3, "asset.version is missing");
  expect_error(run_cli({"bench", grove}), 3,
               "this is a file of a scene, but a mesh (.obj, .ply, .stl or .off) is wanted");
}

}  // namespace
}  // namespace copse::test
