#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/backends.h"

namespace copse::test {

using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

/// How a process ended and what it wrote.
struct Outcome {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string out;
  std::string err;

  /// Returns stdout as JSON. The test fails if it is not JSON.
  Json json() const;
};

/// The path of the executable: $COPSE_CLI, else that of this build.
std::string cli_path();

/// Runs the command with stdout going to `stdout_path`, or captured if that is empty.
Outcome run_cli(const Arguments& arguments, const std::string& stdout_path = "");

/// A running command.
class Process {
 public:
  /// Starts the command. `before` is called in the new process, just before it becomes the command.
  explicit Process(const Arguments& arguments, const std::function<void()>& before = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits until `is_true()`; returns false if the process ends before.
  bool wait_until(const std::function<bool()>& is_true);
  /// Waits until the process answers SIGINT as the command does, not as every program does.
  bool wait_until_it_watches_signals();
  void send(int signal);

  /// Waits for the end.
  Outcome finish();

 private:
  std::string folder_;
  pid_t process_;
  int status_ = 0;
  bool has_ended_ = false;
};

/// Runs a line in a shell in which $COPSE is the command.
Outcome run_shell(const std::string& line);

/// Runs the command on a terminal of its own. `out` is all that appeared there. Once `marker` has appeared, types
/// `answer`.
Outcome run_on_terminal(const Arguments& arguments, const std::vector<std::string>& environment = {},
                        const std::string& marker = "", const std::string& answer = "");

/// A folder for the files of a test, removed after it.
class CliTest : public testing::Test {
 protected:
  CliTest();
  ~CliTest() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write_text(const std::string& name, const std::string& text) const;
  /// A sphere of 320 triangles.
  std::string sphere() const;
  std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
};

class CliOnEachBackend : public CliTest, public testing::WithParamInterface<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
  }
  /// The arguments with --backend.
  Arguments here(Arguments arguments) const;
};

std::string read_file(const std::string& path);

/// Width and height in the header of a PNG.
std::pair<unsigned, unsigned> png_size(const std::string& path);

/// Exit codes.
inline constexpr int usage = 2, bad_file = 3, no_device = 4, no_memory = 5;

/// Expects the exit code, nothing on stdout, and one line on stderr that holds `part`.
void expect_error(const Outcome& outcome, int exit_code, const std::string& part);

}  // namespace copse::test
