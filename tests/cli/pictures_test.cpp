#include "tests/cli/process.h"

namespace copse::test {
namespace {

using Cli = CliTest;

TEST_P(CliOnEachBackend, PicturesOfEachKindOfStructureAreTheSame) {
  ASSERT_EQ(run_cli(here({"build", sphere(), "-o", path("a.copse")})).exit_code, 0);
  ASSERT_EQ(run_cli(here({"build", sphere(), "-o", path("b.copse"), "--builder", "lbvh"})).exit_code, 0);
  for (const char* name : {"a", "b"}) {
    const Outcome outcome = run_cli(here({"render", path(std::string(name) + ".copse"), "-o",
                                          path(std::string(name) + ".png"), "--size", "40", "--shading", "ao"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_EQ(read_file(path("a.png")), read_file(path("b.png")));
}

TEST_P(CliOnEachBackend, SplitsKeepThePicture) {
  for (const std::vector<std::string>& splits : {std::vector<std::string>{}, {"--splits", "2"}}) {
    Arguments render{"render", sphere(), "-o", path(splits.empty() ? "whole.png" : "split.png"), "--size", "64"};
    render.insert(render.end(), splits.begin(), splits.end());
    ASSERT_EQ(run_cli(here(render)).exit_code, 0);
  }
  EXPECT_EQ(read_file(path("whole.png")), read_file(path("split.png")));
}

TEST_P(CliOnEachBackend, PictureOfStructureEqualsPictureOfMesh) {
  const std::string mesh = sphere(), structure = path("s.copse");
  ASSERT_EQ(run_cli(here({"build", mesh, "-o", structure})).exit_code, 0);
  for (const std::string shading : {"normal", "primitive", "distance", "ao", "heat"}) {
    Arguments options{"--size", "40x30", "--shading", shading};
    if (shading == "ao") options.insert(options.end(), {"--ao-rays", "4"});
    for (const auto& [input, output] :
         {std::pair(mesh, path("mesh.png")), std::pair(structure, path("tree.png"))}) {
      Arguments arguments = here({"render", input, "-o", output});
      arguments.insert(arguments.end(), options.begin(), options.end());
      const Outcome outcome = run_cli(arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    }
    EXPECT_EQ(png_size(path("mesh.png")), std::pair(40u, 30u));
    EXPECT_EQ(read_file(path("mesh.png")), read_file(path("tree.png"))) << shading;
  }
}

TEST_P(CliOnEachBackend, PictureThroughGridsEqualsPictureThroughTree) {
  for (const std::string shading : {"normal", "primitive", "distance"}) {
    std::vector<std::string> pictures;
    for (const std::string structure : {"bvh", "grid", "frustum"}) {
      const Json report = run_cli(here({"render", sphere(), "-o", path("a.png"), "--size", "40x30", "--shading",
                                        shading, "--structure", structure, "--json"}))
                              .json();
      EXPECT_EQ(report["structure"], structure);
      pictures.push_back(read_file(path("a.png")));
    }
    EXPECT_EQ(pictures[1], pictures[0]) << shading;
    EXPECT_EQ(pictures[2], pictures[0]) << shading;
  }
}

TEST_P(CliOnEachBackend, RenderReportsItsRays) {
  const Json report =
      run_cli(here({"render", sphere(), "-o", path("a.png"), "--width", "16", "--height", "8", "--json"})).json();
  EXPECT_EQ(report["rays"], 128);
  EXPECT_EQ(report["shading"], "normal");
  EXPECT_EQ(report["output"], path("a.png"));
  EXPECT_GT(report["render_ms"], 0.0);
}

TEST_F(Cli, SharedPicturesAreTheSame) {
  const std::string mesh = sphere();
  for (const std::string shading : {"normal", "heat"}) {
    const Arguments common{"--size", "70x51", "--shading", shading, "--backend", "cpu", "--json"};
    for (const std::string gpus : {"", "1", "3"}) {
      Arguments arguments{"render", mesh, "-o", path("by" + gpus + ".png")};
      arguments.insert(arguments.end(), common.begin(), common.end());
      if (!gpus.empty()) arguments.insert(arguments.end(), {"--gpus", gpus});
      const Outcome outcome = run_cli(arguments);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(outcome.json().value("gpus", 0), gpus.empty() ? 0 : std::stoi(gpus));
    }
    EXPECT_EQ(read_file(path("by1.png")), read_file(path("by.png")));
    EXPECT_EQ(read_file(path("by3.png")), read_file(path("by.png")));
  }
}

TEST_F(Cli, CpuAndCudaWriteTheSamePicture) {
  COPSE_SKIP_WITHOUT_GPU();
  const std::string mesh = sphere();
  for (const std::string backend : {"cpu", "cuda"}) {
    ASSERT_EQ(
        run_cli({"render", mesh, "-o", path(backend + ".png"), "--size", "64", "--backend", backend}).exit_code,
        0);
    ASSERT_EQ(run_cli({"build", mesh, "-o", path(backend + ".copse"), "--backend", backend}).exit_code, 0);
  }
  EXPECT_EQ(read_file(path("cpu.png")), read_file(path("cuda.png")));
  EXPECT_EQ(read_file(path("cpu.copse")), read_file(path("cuda.copse")));
}

TEST_F(Cli, CameraMovesThePicture) {
  const std::string mesh = sphere();
  const auto picture = [&](Arguments camera) {
    Arguments arguments{"render", mesh, "-o", path("a.png"), "--size", "32"};
    arguments.insert(arguments.end(), camera.begin(), camera.end());
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_file(path("a.png"));
  };
  const std::string framed = picture({});
  const std::string left = picture({"--eye", "-4,0,0"});
  EXPECT_NE(left, framed);
  EXPECT_EQ(left, picture({"--eye", "-4", "0", "0", "--target", "0,0,0", "--up", "0,1,0", "--fov", "40"}));
  EXPECT_NE(left, picture({"--eye=-4,0,0", "--fov", "20"}));
  EXPECT_NE(left, picture({"--eye=-4,0,0", "--target", "0,1,0"}));
  EXPECT_NE(left, picture({"--eye=-4,0,0", "--target", "0,0,0", "--up", "0,1,1"}));
}

TEST_F(Cli, UpMustSayWhatIsUp) {
  const auto render = [&](const char* up) {
    return run_cli({"render", sphere(), "-o", path("a.png"), "--size", "32", "--eye", "0,5,0", "--target", "0,0,0",
                    "--up", up});
  };
  expect_error(render("0,0,0"), 2, "--up is 0,0,0; it takes a direction across the view, such as 0,0,1");
  expect_error(render("0,-2,0"), 2, "--up is 0,-2,0, along the view from 0,5,0 to 0,0,0; it takes a direction");
  expect_error(run_cli({"build", sphere(), "--structure", "frustum", "--eye", "0,0,5", "--target", "0,0,0", "--up",
                        "0,0,1"}),
               2, "such as 0,1,0");
  EXPECT_EQ(render("0,0,1").exit_code, 0);
}

}  // namespace
}  // namespace copse::test
