// copse render --turntable.

#include "tests/cli/process.h"

namespace copse::test {
namespace {

class CliTurntable : public CliTest {
 protected:
  /// Renders the sphere with these options behind the others.
  Outcome render(const std::string& output, Arguments more) const {
    Arguments arguments{"render", sphere(),    "-o",        path(output), "--size",
                        "32x16",  "--shading", "primitive", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  std::string picture(const std::string& name) const { return read_file(path(name)); }
};

TEST_F(CliTurntable, FramesAreThePicturesFromPlacesOnACircle) {
  std::filesystem::create_directory(path("turn"));
  const Outcome turn = render("turn", {"--turntable", "4", "--eye", "1,0,5", "--target", "1,0,1"});
  ASSERT_EQ(turn.exit_code, 0) << turn.err;
  EXPECT_EQ(turn.json()["frames"], 4);
  EXPECT_EQ(turn.json()["rays"], 4 * 32 * 16);
  // Around the y axis through (1, 0, 1), from +z over +x on.
  const char* const eyes[] = {"1,0,5", "5,0,1", "1,0,-3", "-3,0,1"};
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(render("single.png", {"--eye", eyes[i], "--target", "1,0,1"}).exit_code, 0);
    EXPECT_EQ(picture("turn/frame-000" + std::to_string(i) + ".png"), picture("single.png")) << i;
  }
  EXPECT_NE(picture("turn/frame-0001.png"), picture("turn/frame-0002.png"));
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(path("turn")), std::filesystem::directory_iterator()), 4);
}

TEST_F(CliTurntable, AStripHasThePicturesSideBySide) {
  ASSERT_EQ(render("strip.png", {"--turntable", "6"}).exit_code, 0);
  EXPECT_EQ(png_size(path("strip.png")), (std::pair<unsigned, unsigned>(6 * 32, 16)));
  std::filesystem::create_directory(path("turn"));
  ASSERT_EQ(render("turn", {"--turntable", "1"}).exit_code, 0);
  ASSERT_EQ(render("one.png", {"--turntable", "1"}).exit_code, 0);
  EXPECT_EQ(picture("one.png"), picture("turn/frame-0000.png"));
}

TEST_F(CliTurntable, EveryKindOfInputAndStructureTurns) {
  ASSERT_EQ(run_cli({"build", sphere(), "-o", path("s.copse")}).exit_code, 0);
  for (const Arguments& more : {Arguments{path("s.copse")},
                                {sphere(), "--structure", "grid"},
                                {sphere(), "--structure", "frustum"},
                                {"assets/grove.glb"}}) {
    Arguments arguments{"render"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"-o", path("t.png"), "--turntable", "3", "--size", "16"});
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("3 frames of 16 x 16"), std::string::npos) << outcome.out;
    EXPECT_EQ(png_size(path("t.png")), (std::pair<unsigned, unsigned>(48, 16)));
  }
}

TEST_F(CliTurntable, MistakesAreNamed) {
  expect_error(render("none", {"--turntable", "4"}), 3, "-o takes an existing folder, or a .png for a strip");
  expect_error(render("a.png", {"--turntable", "0"}), 2,
               "--turntable is '0'; it takes a whole number from 1 to 10000");
  expect_error(run_cli({"render", sphere(), "-o", path("a.png"), "--turntable", "10000", "--size", "256"}), 2,
               "the picture of 2560000 x 256 has 655 360 000 pixels; a PNG of this height can have up to");
  std::filesystem::create_directory(path("folder"));
  expect_error(render("folder", {}), 2, "the output file must end in .png");
}

}  // namespace
}  // namespace copse::test
