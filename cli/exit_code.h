#pragma once

#include <string>

#include "primitives/core/exit_code.h"

namespace copse::cli {

/// How a command ended.
struct Outcome {
  int code = exit_ok;
  std::string line;  // for standard error, or empty
};

/// Describes the exception that is being handled. Call it in a catch block.
Outcome outcome_of_current_exception() noexcept;

/// Returns the outcome of arguments that are wrong.
Outcome wrong_usage(const std::string& message);

/// Prints the line of an outcome on standard error, and returns its exit code.
int report(const Outcome& outcome) noexcept;

}  // namespace copse::cli
