#pragma once

#include <functional>

#include "primitives/core/types.h"

namespace copse::detail {

/// Calls body(i) for each i below `count`, in any order, on `thread_count` threads, of which the caller is one; with
/// 0, on one thread per core. If the system starts fewer threads, those do the work. (oneTBB ends the program then,
/// which a file should not be a reason for.)
/// Throws: an exception of `body`, once all threads have ended.
void for_each_on_threads(u64 count, u32 thread_count, const std::function<void(u64)>& body);

}  // namespace copse::detail
