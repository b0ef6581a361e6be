#pragma once

#include "primitives/core/exit_code.h"

namespace copse::cli {

/// Prints the exception that is being handled as one line on stderr and returns its exit code. Call it in a catch
/// block.
int report_current_exception() noexcept;

}  // namespace copse::cli
