#pragma once

#include "primitives/core/exit_code.h"

namespace copse::cli {

/// Prints the exception being handled as one line on stderr and returns the exit code for it. Call it in a
/// catch block.
int report_current_exception() noexcept;

}  // namespace copse::cli
