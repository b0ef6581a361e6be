// Every example of the help texts and of docs/guide/cli.md is run, in a folder that has the bundled meshes in assets.

#include <fstream>
#include <sstream>

#include "tests/cli/process.h"

namespace copse::test {
namespace {

class CliExamples : public CliTest {
 protected:
  CliExamples() {
    std::filesystem::create_symlink(std::filesystem::absolute("assets"), path("assets"));
    std::filesystem::create_directory(path("bin"));
    std::filesystem::create_directory(path("slices"));
    std::filesystem::create_symlink(cli_path(), path("bin/copse"));
  }

  /// Runs the lines of the text that begin with spaces and "copse", one after the other. Benchmarks take minutes, and
  /// tests of their own; they are left out. Pictures without a size are made small: ambient occlusion at the usual size
  /// takes ten seconds.
  void run_examples(const std::string& text, int expected_count) {
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
      const size_t begin = line.find_first_not_of(' ');
      if (begin == std::string::npos || begin == 0 || line.substr(begin, 6) != "copse ") continue;
      std::string command = line.substr(begin);
      if (command.rfind("copse bench", 0) == 0) continue;
      if (command.rfind("copse render", 0) == 0 && command.find("--size") == std::string::npos) {
        command.insert(std::string("copse render").size(), " --size 320x180");
      }
      ++count;
      const Outcome outcome =
          run_shell("cd " + path("") + " && PATH=" + path("bin") + ":$PATH && { " + command + "; } > output");
      const bool lacks_jq = outcome.exit_code == 127 && command.find("jq") != std::string::npos;
      if (lacks_jq) continue;
      EXPECT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.err;
    }
    EXPECT_GE(count, expected_count);
  }
};

TEST_F(CliExamples, OfTheHelpTextsRun) {
  for (const std::string command : {"build", "info", "render", "convert", "merge", "generate", "doctor"}) {
    run_examples(run_cli({command, "--help"}).out, 2);
  }
  for (const std::string kind : {"subdivide", "hairball", "random", "grid", "sphere", "cube"}) {
    run_examples(run_cli({"generate", kind, "--help"}).out, 1);
  }
}

TEST_F(CliExamples, OfTheGuideRun) {
  run_examples(read_file("docs/guide/cli.md"), 12);
}

}  // namespace
}  // namespace copse::test
