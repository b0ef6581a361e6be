#pragma once

namespace copse::cli {

// Documented in docs/cli.md and in the footer of copse --help.
enum ExitCode : int {
  exit_ok = 0,
  exit_usage = 2,
  exit_bad_file = 3,
  exit_no_device = 4,
  exit_no_memory = 5,
  exit_internal = 6,
  exit_invalid_structure = 7,
  exit_interrupted = 130,  // 128 + SIGINT, as shells have it
};

/// Prints the exception being handled as one line on stderr and returns the exit code for it. Call it in a
/// catch block.
int report_current_exception() noexcept;

}  // namespace copse::cli
