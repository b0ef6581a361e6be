// Help, and messages that say what to do.

#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliUsage = CliTest;

TEST_F(CliUsage, HelpIsACommandToo) {
  const std::string help = run_cli({"--help"}).out;
  EXPECT_EQ(help.back(), '\n');
  EXPECT_EQ(run_cli({"help"}).out, help);
  for (const Arguments& words : {Arguments{"build"}, {"bench"}, {"generate"}, {"generate", "sphere"}}) {
    Arguments by_command = words, by_option = words;
    by_command.insert(by_command.begin(), "help");
    by_option.push_back("--help");
    const Outcome outcome = run_cli(by_command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, run_cli(by_option).out);
  }
  expect_error(run_cli({"help", "biuld"}), usage, "'biuld'; it takes build");
  expect_error(run_cli({"help", "generate", "ball"}), usage, "KIND is 'ball'; it takes subdivide");
  EXPECT_NE(run_cli({"help", "generate"}).out.find("copse generate [OPTIONS] KIND"), std::string::npos);
  expect_error(run_cli({"help", "build", "me"}), usage, "'me' is one word too many after help");
}

TEST_F(CliUsage, HelpOfBuildSaysWhenWhichDefaultHolds) {
  const std::string help = run_cli({"build", "--help"}).out;
  EXPECT_NE(help.find("If only other options of a tree by hand are given, the builder is lbvh"), help.npos)
      << help;
  EXPECT_NE(help.find("Without it, balanced, unless an option of a tree by hand is given: --builder, --radius"),
            help.npos)
      << help;
  EXPECT_EQ(help.find("lbvh (default)"), help.npos);
}

TEST_F(CliUsage, HelpSaysWhatSplitsAndANewTopBring) {
  for (const std::string command : {"build", "render", "bench"}) {
    const std::string help = run_cli({command, "--help"}).out;
    EXPECT_NE(
        help.find("Rays that pass by long thin triangles become faster. Rays that hit large walls become slower"),
        help.npos)
        << help;
    if (command == "render") continue;
    EXPECT_NE(help.find("sah, which rebuilds them with the SAH builder"), help.npos) << help;
  }
  EXPECT_NE(run_cli({"bench", "--help"}).out.find("a frame: a rebuild, then primary, diffuse and shadow rays"),
            std::string::npos);
}

TEST_F(CliUsage, MisspelledWordsGetASuggestion) {
  const std::string mesh = sphere();
  expect_error(run_cli({"biuld", mesh}), usage, "did you mean build?");
  expect_error(run_cli({"help", "rendr"}), usage, "did you mean render?");
  expect_error(run_cli({"generate", "hairbal", "-o", path("a.ply")}), usage, "did you mean hairball?");
  expect_error(run_cli({"render", mesh, "-o", path("a.png"), "--widht", "5"}), usage,
               "copse render has no option --widht; did you mean --width?");
  expect_error(run_cli({"build", mesh, "--builder", "hplco"}), usage, "did you mean hploc?");
  expect_error(run_cli({"bench", "tsetball"}), usage, "did you mean testball?");
  const Outcome far = run_cli({"build", mesh, "--builder", "magic"});
  expect_error(far, usage, "'magic'; it takes lbvh, hlbvh, hploc or sah");
  EXPECT_EQ(far.err.find("did you mean"), std::string::npos) << far.err;
}

TEST_F(CliUsage, MissingAndExtraArgumentsAreNamed) {
  const std::string mesh = sphere();
  const auto render = [&](Arguments options) {
    options.insert(options.begin(), {"render", mesh, "-o", path("a.png")});
    return run_cli(options);
  };
  expect_error(render({"--fov"}), usage, "--fov has no value: vertical angle of view, 0.1 to 179 degrees");
  expect_error(render({"--eye", "1,2"}), usage, "--eye has too few numbers; it takes three, as in --eye 1,2,-3");
  expect_error(render({"--eye", "1,2", "--fov", "3"}), usage, "--eye has too few numbers");
  expect_error(render({"--eye", "1,2,x"}), usage,
               "--eye is '1,2,x'; it takes three finite numbers, as in --eye 1,2,-3");
  expect_error(render({"--eye"}), usage, "--eye has too few numbers");
  expect_error(run_cli({"build"}), usage,
               "IN is missing: a mesh, .obj, .ply, .stl or .off, or several, which are built as one scene");
  expect_error(run_cli({"build", "--qualty"}), usage,
               "copse build has no option --qualty; did you mean --quality?");
  expect_error(run_cli({"build", "-x.obj"}), usage, "copse build has no option -x.obj");
  expect_error(run_cli({"generate", "subdivide", mesh, "1", "second.ply"}), usage,
               "'second.ply' is one argument too many; the arguments are copse generate subdivide IN TIMES");
  expect_error(run_cli({"generate", "cube", "3", "-o", path("c.ply")}), usage,
               "'3' is unexpected; copse generate cube takes options alone");
  expect_error(run_cli({"--json", "build", mesh}), usage,
               "--json stands before the command; write it after copse build");
  expect_error(run_cli({"--verson"}), usage, "copse has no option --verson; did you mean --version?");
}

TEST_F(CliUsage, NumbersTooSmallAreNoErrorOfTheirOwn) {
  const Outcome outcome =
      run_cli({"render", sphere(), "-o", path("a.png"), "--size", "8", "--eye", "0,1e-5000,4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(CliUsage, VersionNamesTheCommit) {
  const Json report = run_cli({"build", sphere(), "--json"}).json()["copse"];
  const std::string version = report["version"].get<std::string>(), commit = report["commit"].get<std::string>();
  EXPECT_EQ(run_cli({"--version"}).out.rfind("copse " + version + ", commit " + commit + " (", 0), 0u);
}

TEST_F(CliUsage, PicturesTooLargeToWriteAreRefusedBeforeTheWork) {
  const Outcome outcome = run_cli({"render", sphere(), "-o", path("a.png"), "--size", "11600"});
  expect_error(outcome, usage,
               "the picture of 11600 x 11600 has 134 560 000 pixels; a PNG of this height can have");
}

}  // namespace
}  // namespace copse::test
