#include <set>
#include <sstream>

#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliTerminal = CliTest;

/// Many seconds of work on one thread, ended by Ctrl-C.
Arguments long_render(const std::string& mesh, const std::string& picture) {
  return {"render", mesh,        "-o",  picture,     "--size", "2048",      "--shading",
          "ao",     "--ao-rays", "256", "--threads", "1",      "--backend", "cpu"};
}

const std::string ctrl_c = "\x03";

TEST_F(CliTerminal, CtrlCEndsALongRenderThatShowsItsProgress) {
  const Outcome outcome = run_on_terminal(long_render(sphere(), path("a.png")), {}, "] rendering", ctrl_c);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.out.find("\x1b[36m["), std::string::npos) << "no colour";
  EXPECT_NE(outcome.out.find("copse: interrupted\r\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliTerminal, BarMovesDuringAStage) {
  const Outcome outcome = run_on_terminal(long_render(sphere(), path("a.png")), {}, "] rendering  1.", ctrl_c);
  std::set<std::string> bars;
  for (size_t end = 0; (end = outcome.out.find("] rendering", end + 1)) != std::string::npos;) {
    const size_t begin = outcome.out.rfind('[', end);
    bars.insert(outcome.out.substr(begin, end - begin));
  }
  EXPECT_GE(bars.size(), 2u) << outcome.out;
}

TEST_F(CliTerminal, NoColorLeavesTheBarWithoutColour) {
  const Outcome outcome =
      run_on_terminal(long_render(sphere(), path("a.png")), {"NO_COLOR=1"}, "] rendering", ctrl_c);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.out.find("\x1b[36m"), std::string::npos);
}

TEST_F(CliTerminal, ShortWorkAndQuietWorkShowNoBar) {
  const std::string mesh = sphere();
  const Outcome fast = run_on_terminal({"info", mesh});
  EXPECT_EQ(fast.exit_code, 0);
  EXPECT_EQ(fast.out.find("reading"), std::string::npos) << fast.out;
  const Outcome quiet = run_on_terminal({"render", mesh, "-o", path("a.png"), "--size", "512", "--shading", "ao",
                                         "--threads", "1", "--backend", "cpu", "--quiet", "--json"});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.out.find("rendering"), std::string::npos) << quiet.out;
  EXPECT_TRUE(quiet.json().is_object());
}

/// The words of a text, with one space between them.
std::string words_of(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += word + " ";
  return joined;
}

TEST_F(CliTerminal, HelpBreaksLongDescriptionsBetweenWords) {
  for (const char* command : {"build", "render", "bench"}) {
    const std::string whole = run_cli({command, "--help"}).out;
    const std::string broken = run_on_terminal({command, "--help"}).out;  // 80 columns
    EXPECT_EQ(words_of(broken), words_of(whole));
    std::istringstream lines(broken);
    size_t continued = 0;
    for (std::string line; std::getline(lines, line);) {
      line.pop_back();  // the \r of a terminal
      const size_t begin = line.find_first_not_of(' ');
      if (begin == 0 || begin == 34) {  // others are names of options, and examples
        EXPECT_LE(line.size(), 80u);
      }
      continued += begin == 34 ? 1 : 0;
    }
    EXPECT_GE(continued, 10u) << broken;
  }
}

TEST_F(CliTerminal, DumbTerminalShowsNoBar) {
  const Outcome outcome = run_on_terminal({"render", sphere(), "-o", path("a.png"), "--size", "512", "--shading",
                                           "ao", "--threads", "1", "--backend", "cpu"},
                                          {"TERM=dumb"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.find("rendering"), std::string::npos) << outcome.out;
}

TEST_F(CliTerminal, TerminationEndsLikeCtrlC) {
  const std::string command = "$COPSE render " + sphere() + " -o " + path("a.png") +
                              " --size 2048 --shading ao --ao-rays 256 --threads 1 --backend cpu";
  const Outcome outcome = run_shell(command + " & process=$!; sleep 1; kill -TERM $process; wait $process");
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.err, "copse: interrupted\n");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

}  // namespace
}  // namespace copse::test
