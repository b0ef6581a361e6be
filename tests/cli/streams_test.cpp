#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliStreams = CliTest;

TEST_F(CliStreams, MessagesGoToStderrAndQuietDropsThem) {
  const std::string mesh = sphere();
  const Outcome loud = run_cli({"build", mesh, "-o", path("a.copse")});
  EXPECT_EQ(loud.err, "copse: wrote " + path("a.copse") + "\n");
  EXPECT_NE(loud.out.find("SAH cost"), std::string::npos);
  const Outcome quiet = run_cli({"build", mesh, "-o", path("b.copse"), "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_NE(quiet.out.find("SAH cost"), std::string::npos);
  EXPECT_EQ(read_file(path("a.copse")), read_file(path("b.copse")));
}

TEST_F(CliStreams, JsonIsAllThatStandsOnStdout) {
  const std::string mesh = sphere();
  EXPECT_TRUE(run_cli({"build", mesh, "-o", path("s.copse"), "--json"}).json().is_object());
  EXPECT_TRUE(run_cli({"info", path("s.copse"), "--json"}).json().is_object());
  EXPECT_TRUE(run_cli({"info", mesh, "--json"}).json().is_object());
  EXPECT_TRUE(run_cli({"render", mesh, "-o", path("s.png"), "--size", "8", "--json"}).json().is_object());
  EXPECT_TRUE(run_cli({"generate", "cube", "-o", path("c.ply"), "--json"}).json().is_object());
}

TEST_F(CliStreams, JsonHoldsNamesThatAreNotUtf8) {
  const std::string name = path("\xff.ply");
  std::filesystem::copy_file(sphere(), name);
  EXPECT_EQ(run_cli({"info", name, "--json"}).json()["triangles"], 320);
}

TEST_F(CliStreams, ControlCharactersOfNamesDoNotReachTheTerminal) {
  const Outcome outcome = run_cli({"build", path("a\x1b[31m\nb.ply")});
  expect_error(outcome, 3, "?[31m b.ply");
}

TEST_F(CliStreams, NoProgressWhereStderrIsNoTerminal) {
  // More than half a second of work.
  const Outcome outcome = run_cli({"render", sphere(), "-o", path("a.png"), "--size", "512", "--shading", "ao",
                                   "--ao-rays", "32", "--threads", "1", "--backend", "cpu"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CliStreams, FullDiskBehindStdoutIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const Arguments& arguments :
       {Arguments{"info", sphere()}, {"info", sphere(), "--json"}, {"--help"}, {"--version"}}) {
    expect_error(run_cli(arguments, "/dev/full"), 3, "standard output");
  }
}

TEST_F(CliStreams, ClosedStdoutIsAnError) {
  expect_error(run_shell("$COPSE info " + sphere() + " >&-"), 3, "standard output");
}

TEST_F(CliStreams, EndsQuietlyIfTheReaderOfStdoutHasEnded) {
  for (const std::string& command : {"info " + sphere(), "info --json " + sphere(), std::string("--help")}) {
    const Outcome pipe =
        run_shell("{ sleep 0.5; $COPSE " + command + "; echo $? > " + path("code") + "; } | true");
    EXPECT_EQ(read_file(path("code")), "141\n") << command;
    EXPECT_EQ(pipe.err, "") << command;
  }
}

TEST_F(CliStreams, OutputFileDoesNotTakeTheNumberOfAClosedStream) {
  const std::string mesh = sphere();
  const Outcome outcome = run_shell("$COPSE build " + mesh + " -o " + path("a.copse") + " <&- 2>&-");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(run_cli({"info", path("a.copse"), "--validate"}).exit_code, 0);
}

}  // namespace
}  // namespace copse::test
