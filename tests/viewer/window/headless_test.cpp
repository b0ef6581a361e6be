// The program without a display. A window shows the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/backends.h"
#include "tests/viewer/window/png.h"
#include "tests/viewer/window/program.h"

namespace copse::test {

namespace {

const std::string common = " --backend cpu --size 640x360 --settings '' ";
// Compilers and machines may round the shade of a pixel to another byte.
constexpr double shade_tolerance = 1;
// The visits of a ray may change with the traversal. Its hits may not.
constexpr double heat_tolerance = 8;

struct Shot {
  const char* name;
  const char* arguments;
  double tolerance;
};

class HeadlessPicture : public testing::TestWithParam<Shot> {};

TEST_P(HeadlessPicture, IsTheOneThatIsKept) {
  const TestFolder folder;
  const std::string file = folder / "shot.png";
  const Ending ending =
      run_viewer(testball_file + common + GetParam().arguments + " --headless --screenshot " + file);
  ASSERT_EQ(ending.exit_code, 0) << ending.text;
  const std::string name = std::string(GetParam().name) + ".png";
  EXPECT_LE(mean_difference(read_png(file), kept_picture(name, file)), GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(, HeadlessPicture,
                         testing::Values(Shot{"shaded", "", shade_tolerance},
                                         Shot{"heat", "--view heat --builder hploc", heat_tolerance},
                                         Shot{"boxes", "--boxes 6 --builder lbvh", shade_tolerance},
                                         Shot{"leaves", "--view leaves --builder lbvh", shade_tolerance},
                                         Shot{"twisted", "--play twist --update-mode refit --frames 40",
                                              shade_tolerance},
                                         Shot{"voxels", "--kind voxels --view normals", shade_tolerance},
                                         Shot{"dag", "--kind dag --boxes 4", shade_tolerance}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Headless, ShowsWhatAWindowShows) {
  std::string missing;
  if (!have_programs({"xvfb-run", "Xvfb"}, missing)) GTEST_SKIP() << missing << " is not installed";
  const TestFolder folder;
  for (const std::string arguments : {"--boxes 6 --view leaves", "--play wave --frames 10 --update-mode rebuild",
                                      "--builder lbvh --compare sah --view heat --ui-scale 1.5"}) {
    const std::string line = testball_file + common + arguments;
    const Ending without = run_viewer(line + " --headless --screenshot " + (folder / "a.png"));
    ASSERT_EQ(without.exit_code, 0) << without.text;
    const Ending with = run_viewer_in_window(line + " --screenshot " + (folder / "b.png"));
    ASSERT_EQ(with.exit_code, 0) << with.text;
    EXPECT_EQ(mean_difference(read_png(folder / "a.png"), read_png(folder / "b.png")), 0) << arguments;
  }
}

TEST(Headless, RecordsWhatAWindowRecords) {
  std::string missing;
  if (!have_programs({"xvfb-run", "Xvfb"}, missing)) GTEST_SKIP() << missing << " is not installed";
  const TestFolder folder;
  for (const std::string arguments : {"", "--frames 3", "--play twist --frames 3"}) {
    const std::string line = testball_file + common + arguments;
    const Ending without = run_viewer(line + " --headless --record " + (folder / "a"));
    ASSERT_EQ(without.exit_code, 0) << without.text;
    const Ending with = run_viewer_in_window(line + " --record " + (folder / "b"));
    ASSERT_EQ(with.exit_code, 0) << with.text;
    const char* last = arguments.empty() ? "frame-00000.png" : "frame-00002.png";
    const Png a = read_png(folder / (std::string("a/") + last)), b = read_png(folder / (std::string("b/") + last));
    EXPECT_EQ(a.width, 640u);
    EXPECT_EQ(mean_difference(a, b), 0) << arguments;
  }
}

TEST(Headless, SavesBothPicturesOfAComparison) {
  const TestFolder folder;
  const std::string line = testball_file + common + " --headless --builder lbvh --view heat ";
  ASSERT_EQ(run_viewer(line + "--compare lbvh --screenshot " + (folder / "same.png")).exit_code, 0);
  ASSERT_EQ(run_viewer(line + "--compare sah --screenshot " + (folder / "other.png")).exit_code, 0);
  const Png same = read_png(folder / "same.png"), other = read_png(folder / "other.png");
  ASSERT_EQ(same.width, 640u);
  ASSERT_EQ(same.height, 360u);
  ASSERT_EQ(other.width, 640u);
  u64 differing[2] = {0, 0};  // pixels of the left and of the right half, below the names
  for (u32 y = 60; y < 360; ++y) {
    for (u32 x = 0; x < 319; ++x) {
      const u8 *left = &same.bytes[(size_t(y) * 640 + x) * 3], *right = left + size_t{321} * 3;
      differing[0] += !std::equal(left, left + 3, right);
      const u8 *a = &other.bytes[(size_t(y) * 640 + x) * 3], *b = a + size_t{321} * 3;
      differing[1] += !std::equal(a, a + 3, b);
    }
  }
  EXPECT_EQ(differing[0], 0u) << "the same tree has the same heat";
  EXPECT_GT(differing[1], 5000u) << "SAH is colder";
}

TEST(Headless, SavesTheWindowWithItsPanels) {
  const TestFolder folder;
  const std::string line = testball_file + " --backend cpu --size 1280x800 --settings '' --headless --screenshot ";
  ASSERT_EQ(run_viewer(line + (folder / "picture.png")).exit_code, 0);
  const Ending ending = run_viewer(line + (folder / "window.png") + " --with-panels");
  ASSERT_EQ(ending.exit_code, 0) << ending.text;
  const Png window = read_png(folder / "window.png");
  EXPECT_EQ(window.width, 1280u);
  EXPECT_EQ(window.height, 800u);
  EXPECT_GT(mean_difference(read_png(folder / "picture.png"), window), 5);
  EXPECT_EQ(run_viewer(testball_file + " --headless --with-panels").exit_code, 2)
      << "no screenshot to have them in";
}

TEST(Headless, TakesMeshesBehindACamera) {
  const Ending ending = run_viewer("--headless " + common + " --camera 0,0,3,0,0,0,40 " + testball_file);
  EXPECT_EQ(ending.exit_code, 0) << ending.text;
}

TEST(Headless, EndsWithFourWithoutTheDevice) {
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers";
  const Ending ending = run_viewer(testball_file + " --headless --backend cuda");
  EXPECT_EQ(ending.exit_code, 4) << ending.text;
}

TEST(Headless, PrintsTheTimesOfStages) {
  const Ending ending = run_viewer(testball_file + common + "--headless --frames 3 --update-mode rebuild");
  EXPECT_EQ(ending.exit_code, 0) << ending.text;
  EXPECT_NE(ending.text.find("frames"), std::string::npos) << ending.text;
  EXPECT_NE(ending.text.find("hploc"), std::string::npos) << ending.text;
}

TEST(Headless, SharesFramesAmongDevices) {
  const Ending ending = run_viewer(testball_file + common + "--headless --frames 2 --gpus 3");
  EXPECT_EQ(ending.exit_code, 0) << ending.text;
  EXPECT_NE(ending.text.find("frames per second on 3 x "), std::string::npos) << ending.text;
  for (const char* line : {"--gpus 2", "--headless --gpus 2", "--headless --frames 0 --gpus 2"}) {
    const Ending refused = run_viewer(testball_file + common + line);
    EXPECT_EQ(refused.exit_code, 2) << line;
    EXPECT_NE(refused.text.find("--gpus needs --headless"), std::string::npos) << refused.text;
  }
}

TEST(Headless, PrintsHowFastTheSceneTurns) {
  const Ending ending =
      run_viewer(testball_file + " --backend cpu --size 1280x720 --headless --orbit 1 --while-building");
  EXPECT_EQ(ending.exit_code, 0) << ending.text;
  EXPECT_NE(ending.text.find(" times meanwhile"), std::string::npos) << ending.text;
  EXPECT_NE(ending.text.find("pictures per second"), std::string::npos) << ending.text;
  EXPECT_NE(ending.text.find("1280 x 720"), std::string::npos) << ending.text;
  EXPECT_EQ(run_viewer(testball_file + " --orbit 1").exit_code, 2) << "a window is turned by hand";
  EXPECT_EQ(run_viewer(testball_file + " --headless --while-building").exit_code, 2) << "nothing turns";
}

TEST(Headless, RecordsAFrameEach) {
  const TestFolder folder;
  const Ending ending =
      run_viewer(testball_file + common + "--headless --play explode --frames 3 --record " + (folder / "frames"));
  ASSERT_EQ(ending.exit_code, 0) << ending.text;
  const Png first = read_png(folder / "frames/frame-00000.png"),
            last = read_png(folder / "frames/frame-00002.png");
  EXPECT_EQ(first.width, 640u);
  EXPECT_GT(mean_difference(first, last), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "frames/frame-00003.png"));
}

TEST(Headless, SavesStatistics) {
  const TestFolder folder;
  const Ending ending = run_viewer(testball_file + common + "--headless --statistics " + (folder / "s.json"));
  ASSERT_EQ(ending.exit_code, 0) << ending.text;
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(folder / "s.json"), nullptr, false).is_object());
}

TEST(Headless, EndsWithACodeAndALineWhereSomethingIsWrong) {
  const TestFolder folder;
  const auto expect = [&](const std::string& arguments, int exit_code, const std::string& part) {
    const Ending ending = run_viewer(arguments);
    EXPECT_EQ(ending.exit_code, exit_code) << arguments << "\n" << ending.text;
    EXPECT_NE(ending.text.find(part), std::string::npos) << ending.text;
  };
  expect("--headless", 2, "--headless needs a mesh");
  expect(testball_file + " --view colourful --headless", 2, "shaded|normals");
  expect(testball_file + " --size 0x5 --headless", 2, "1 to 16384");
  expect(testball_file + " --camera 1,2,3 --headless", 2, "6 or 7 numbers");
  expect(testball_file + " --screenshot picture.jpg --headless", 2, ".png");
  expect("/no/such/mesh.ply --headless", 3, "/no/such/mesh.ply");
  expect(testball_file + common + " --headless --screenshot /no/such/folder/p.png", 3, "/no/such/folder");
  expect("--help", 0, "--headless");
  expect("--version", 0, "copse-viewer");
}

TEST(Headless, SaysHowToDoWithoutADisplay) {
  const Ending ending = run_viewer(testball_file + " --settings ''");
  EXPECT_EQ(ending.exit_code, 4);
  EXPECT_NE(ending.text.find("--headless"), std::string::npos) << ending.text;
}

}  // namespace
}  // namespace copse::test
