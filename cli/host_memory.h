#pragma once

#include <string>

#include "primitives/core/types.h"

namespace copse::cli {

/// Throws: Error out_of_memory where `what` of `bytes` bytes is larger than this machine's memory, which the
/// system might promise and then end the program.
void check_host_memory(u64 bytes, const std::string& what);

}  // namespace copse::cli
