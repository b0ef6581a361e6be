// Signals, and that no half-written file is left.

#include <chrono>
#include <csignal>
#include <fstream>

#include "tests/cli/process.h"
#include "tests/support/forbid_unnamed_files.h"

namespace copse::test {
namespace {

using CliInterrupt = CliTest;

constexpr int interrupted = 130;

TEST_F(CliInterrupt, FirstSignalEndsTheGenerationOfAMesh) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Half a minute of work that does not ask for stop requests.
    Process process({"generate", "sphere", "10", "-o", path("s.ply")});
    ASSERT_TRUE(process.wait_until_it_watches_signals());
    const auto begin = std::chrono::steady_clock::now();
    process.send(signal);
    const Outcome outcome = process.finish();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
    EXPECT_EQ(outcome.exit_code, interrupted);
    EXPECT_EQ(outcome.err, "copse: interrupted\n");
    EXPECT_EQ(files().size(), 0u);
  }
}

TEST_F(CliInterrupt, FirstSignalEndsTheReadingOfAFile) {
  {
    std::ofstream file(path("large.obj"), std::ios::binary);
    std::string lines;
    for (int i = 0; i < 10000; ++i) lines += "v 0.123456 0.234567 0.345678\nf -1 -1 -1\n";
    for (int i = 0; i < 120; ++i) file << lines;
  }
  for (const Arguments& arguments :
       {Arguments{"info", path("large.obj")}, {"build", path("large.obj"), "--backend", "cpu"}}) {
    Process process(arguments);
    ASSERT_TRUE(process.wait_until_it_watches_signals());
    process.send(SIGINT);
    const Outcome outcome = process.finish();
    EXPECT_EQ(outcome.exit_code, interrupted);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "copse: interrupted\n");
  }
}

/// Waits until a file that is being written has a name, and sends a signal. Returns false if that cannot be tried.
bool signal_while_writing(Process& process, const std::function<size_t()>& file_count, int signal) {
  if (!process.wait_until([&] { return file_count() > 0; })) return false;
  process.send(signal);
  return true;
}

TEST_F(CliInterrupt, SignalsLeaveNothingHalfWritten) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    Process process({"generate", "grid", "2000", "-o", path("grid.ply")}, [] {
      if (!forbid_unnamed_files()) ::_exit(77);
    });
    if (!signal_while_writing(
            process, [&] { return files().size(); }, signal)) {
      ASSERT_EQ(process.finish().exit_code, 77);
      GTEST_SKIP() << "the kernel has no filters";
    }
    process.finish();
    // The whole file may have been written before the signal came.
    const std::vector<std::string> left = files();
    if (left.empty()) continue;
    EXPECT_EQ(left, std::vector<std::string>{"grid.ply"});
    EXPECT_EQ(run_cli({"info", path("grid.ply")}).exit_code, 0);
    std::filesystem::remove(path("grid.ply"));
  }
}

TEST_F(CliInterrupt, LimitOfTheSizeOfFilesIsAnError) {
  const std::string mesh = sphere();
  const Outcome outcome =
      run_shell("ulimit -f 1; $COPSE build " + mesh + " -o " + path("s.copse") + " --backend cpu");
  expect_error(outcome, 3, "File too large");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliInterrupt, OutputsMayHaveNamesAsLongAsTheSystemAllows) {
  const std::string name = std::string(248, 'n') + ".ply";
  const Outcome outcome = run_cli({"generate", "cube", "-o", path(name)});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(files(), std::vector<std::string>{name});
}

}  // namespace
}  // namespace copse::test
