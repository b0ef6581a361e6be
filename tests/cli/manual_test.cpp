// The manual page and the completions that the program makes of its own options.

#include <sstream>

#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliManual = CliTest;

/// Returns the names of the options in a help text, such as "--builder" and "-o".
std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  -", 0) != 0) continue;
    std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
    for (std::string name; std::getline(names, name, ',');) options.push_back(name);
  }
  return options;
}

const std::vector<Arguments> commands = {
    {"build"}, {"info"},   {"render"},           {"convert"}, {"generate", "subdivide"}, {"generate", "sphere"},
    {"bench"}, {"doctor"}, {"generate", "cube"}, {"merge"}};

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

/// Returns what a manual page reads as in a terminal, or "" where man or col is missing.
std::string shown_page(const std::string& page, u32 columns) {
  const Outcome shown =
      run_shell("command -v man > /dev/null && command -v col > /dev/null || exit 77; MANROFFOPT=-ww MANWIDTH=" +
                std::to_string(columns) + " man --warnings=w -l " + page + " | col -bx");
  if (shown.exit_code == 77) return "";
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.err, "") << "warnings of groff";
  return shown.out;
}

TEST_F(CliManual, ThePageHasEveryOptionOfEveryCommand) {
  const Outcome outcome = run_cli({"help", "--man"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind(".TH COPSE 1 ", 0), 0u);
  for (const Arguments& command : commands) {
    Arguments help = command;
    help.push_back("--help");
    std::string words = "copse";
    for (const std::string& word : command) words += " " + word;
    const size_t begin = outcome.out.find("\n.SS " + words + "\n");
    ASSERT_NE(begin, std::string::npos) << words;
    const std::string section = outcome.out.substr(begin, outcome.out.find("\n.SS", begin + 1) - begin);
    const std::vector<std::string> options = options_in(run_cli(help).out);
    EXPECT_GE(options.size(), 6u) << words;
    for (const std::string& option : options) {
      EXPECT_NE(section.find("\\fB" + replace_all(option, "-", "\\-") + "\\fR"), std::string::npos)
          << words << option;
    }
  }
  EXPECT_NE(outcome.out.find("\\fBcopse generate\\fR \\fIKIND\\fR"), std::string::npos);
  const std::string shown = shown_page(write_text("copse.1", outcome.out), 1000);
  if (shown.empty()) GTEST_SKIP() << "man or col is not installed";
  for (const char* part : {"NAME", "copse - build acceleration structures", "--quality fast|balanced|best",
                           "  copse build assets/spot.obj -o spot.copse --quality best", "Exit codes:"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part;
  }
  const std::string narrow = shown_page(path("copse.1"), 80);
  EXPECT_NE(narrow.find("octree|"), std::string::npos) << "a value of --structure is hyphenated\n" << narrow;
}

/// Asks bash what it would complete.
///   line: the words, of which the last is completed
std::string completed(const std::string& script, const std::string& line) {
  const Outcome outcome = run_shell("bash -c '. " + script + "; compopt() { true; }; COMP_WORDS=(" + line +
                                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _copse; echo \"${COMPREPLY[*]}\"'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << line;
  return outcome.out.substr(0, outcome.out.size() - 1);
}

TEST_F(CliManual, BashCompletesCommandsOptionsAndWords) {
  const std::string script = write_text("copse.bash", run_cli({"help", "--completion", "bash"}).out);
  EXPECT_EQ(completed(script, "copse b"), "build bench");
  EXPECT_EQ(completed(script, "copse generate s"), "subdivide sphere");
  EXPECT_EQ(completed(script, "copse help ren"), "render");
  EXPECT_EQ(completed(script, "copse build --qual"), "--quality");
  EXPECT_EQ(completed(script, "copse build a.obj --quality b"), "balanced best");
  EXPECT_EQ(completed(script, "copse generate sphere 5 --back"), "--backend");
  EXPECT_EQ(completed(script, "copse bench --builder h"), "hlbvh hploc");
  EXPECT_EQ(completed(script, "copse build --radius \"\""), "") << "a number has no completion";
  const std::string mesh = sphere(), start = mesh.substr(0, mesh.size() - 3);
  EXPECT_EQ(completed(script, "copse info " + start), mesh);
  EXPECT_EQ(completed(script, "copse render -o " + start), mesh);
  for (const Arguments& command : commands) {
    Arguments help = command;
    help.push_back("--help");
    std::string words = "copse";
    for (const std::string& word : command) words += " " + word;
    const std::string all = " " + completed(script, words + " -") + " ";
    for (const std::string& option : options_in(run_cli(help).out)) {
      EXPECT_NE(all.find(" " + option + " "), std::string::npos) << words << " " << option;
    }
  }
}

/// Runs a shell's own check of a script; an absent shell is no fault.
void expect_no_fault(const std::string& shell, const std::string& script) {
  const Outcome check = run_shell("command -v " + shell + " > /dev/null || exit 0; " + shell + " -n " + script);
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_EQ(check.err, "");
}

TEST_F(CliManual, ZshAndFishHaveEveryOption) {
  const std::string zsh = run_cli({"help", "--completion", "zsh"}).out,
                    fish = run_cli({"help", "--completion", "fish"}).out;
  EXPECT_EQ(zsh.rfind("#compdef copse\n", 0), 0u);
  expect_no_fault("zsh", write_text("_copse", zsh));
  expect_no_fault("fish", write_text("copse.fish", fish));
  for (const Arguments& command : commands) {
    Arguments help = command;
    help.push_back("--help");
    for (const std::string& option : options_in(run_cli(help).out)) {
      EXPECT_NE(zsh.find("'" + option + "["), std::string::npos) << option;
      const std::string name =
          option[1] == '-' ? " -l " + option.substr(2) + " " : " -s " + option.substr(1) + " ";
      EXPECT_NE(fish.find(name), std::string::npos) << option;
    }
  }
  EXPECT_NE(zsh.find("'--splits[Room for references per triangle, 1 to 4, default 1]:value:'"), std::string::npos)
      << "a description is cut behind its first sentence";
  EXPECT_NE(fish.find("-l quality -x -a 'fast balanced best' -d "), std::string::npos);
}

TEST_F(CliManual, OtherShellsAreRefused) {
  expect_error(run_cli({"help", "--completion", "csh"}), 2, "--completion is 'csh'; it takes bash, zsh or fish");
  expect_error(run_cli({"help", "--completion"}), 2, "--completion is ''; it takes bash, zsh or fish");
}

}  // namespace
}  // namespace copse::test
