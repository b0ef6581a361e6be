#pragma once

#include <exception>
#include <string>

#include "primitives/core/types.h"

namespace copse::cli {

/// Starts so many threads beside this one, all alive at once, and ends them. oneTBB starts its threads while it works,
/// and where one cannot be started, it ends the program or says nothing of limits.
/// Throws: Error out_of_memory, with the limits, if the system does not start them.
void check_threads(u32 count);

/// True for the exceptions of std::thread and oneTBB for a thread that cannot be started.
bool is_about_threads(const std::exception& error);

/// "no thread can be started; the limits are ...", with those limits of the system that are set.
std::string no_thread_message();

}  // namespace copse::cli
