// Threads: how many there are, and what is said if they cannot be started.

#include <thread>

#include "primitives/core/sanitizers.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliThreads = CliTest;

TEST_F(CliThreads, ReportTheNumberThatRuns) {
  const std::string mesh = sphere();
  const Outcome all = run_cli({"build", mesh, "--json", "--backend", "cpu"});
  const Outcome many = run_cli({"build", mesh, "--json", "--backend", "cpu", "--threads", "4096", "--quiet"});
  EXPECT_EQ(many.err, "");
  EXPECT_EQ(many.json()["copse"]["workers"], all.json()["copse"]["workers"]);
  const Outcome loud = run_cli({"build", mesh, "--json", "--backend", "cpu", "--threads", "4096"});
  const std::string workers = all.json()["copse"]["workers"].dump();
  EXPECT_EQ(loud.err, "copse: --threads is 4096; this machine runs " + workers + " at once; " + workers +
                          (workers == "1" ? " is" : " are") + " used\n");
}

#if COPSE_ADDRESS_SANITIZER || COPSE_THREAD_SANITIZER
constexpr bool has_sanitizer = true;
#else
constexpr bool has_sanitizer = false;
#endif

/// Limits the address space, in kB, where each thread takes a million of them for its stack.
std::string within(const std::string& kilobytes) {
  return "ulimit -s 1000000 2>/dev/null && ulimit -v " + kilobytes + " || exit 77; ";
}

TEST_F(CliThreads, ThatCannotBeStartedNameTheLimit) {
  if (has_sanitizer) GTEST_SKIP() << "sanitizers take more address space than the limit";
  const std::string command = "$COPSE build " + sphere() + " --backend cpu --threads 2";
  const Outcome none = run_shell(within("900000") + command);
  if (none.exit_code == 77) GTEST_SKIP() << "the shell does not allow these limits";
  expect_error(none, 5, "no thread can be started; the limits are ");
  EXPECT_NE(none.err.find("921.6 MB of address space (ulimit -v)"), std::string::npos) << none.err;
  if (std::thread::hardware_concurrency() < 2) return;
  // Room for the thread that waits for signals alone.
  expect_error(run_shell(within("1900000") + command), 5, "only 1 of 2 threads can be started at once");
  EXPECT_EQ(run_shell(within("1900000") + command.substr(0, command.size() - 1) + "1").exit_code, 0);
}

}  // namespace
}  // namespace copse::test
