#pragma once

#include "primitives/core/error.h"

namespace copse {

/// The exit codes of the programs of Copse, as in docs/guide/cli.md. 1 is left to other programs, such as a shell.
enum ExitCode : int {
  exit_ok = 0,
  exit_usage = 2,
  exit_bad_file = 3,
  exit_no_device = 4,
  exit_no_memory = 5,
  exit_internal = 6,
  exit_invalid_structure = 7,
  exit_regression = 8,     // copse bench --compare: a time is worse than before
  exit_interrupted = 130,  // 128 + SIGINT, as in shells
  exit_closed_pipe = 141,  // 128 + SIGPIPE
};

/// The exit code of a program that an error ends.
constexpr ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return exit_usage;
    case ErrorCode::capacity: return exit_usage;
    case ErrorCode::bad_file: return exit_bad_file;
    case ErrorCode::no_device: return exit_no_device;
    case ErrorCode::out_of_memory: return exit_no_memory;
    case ErrorCode::device_failure: return exit_internal;
    case ErrorCode::cancelled: return exit_interrupted;
  }
  return exit_internal;
}

}  // namespace copse
