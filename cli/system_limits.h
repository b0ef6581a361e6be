#pragma once

#include <sys/resource.h>

#include <optional>
#include <string>

#include "primitives/core/types.h"

namespace copse::cli {

/// Returns a limit of the shell, such as RLIMIT_AS, or nothing if there is none.
std::optional<u64> limit_of(__rlimit_resource_t resource);

/// Returns the number in a file of the system, or nothing if the file is missing or says "max".
std::optional<u64> number_in(const char* file);

/// Returns the bytes behind a name in /proc/meminfo, such as "MemTotal", or nothing if they are not there.
std::optional<u64> memory_bytes(const std::string& name);

/// Returns the name of the CPU as the system tells it; "unknown" where it does not.
std::string cpu_model();

/// Returns how many CPUs this container may use, by its quota; nothing if it has none.
std::optional<double> cpu_quota();

}  // namespace copse::cli
