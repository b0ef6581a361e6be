#pragma once

#include <string>

#include "primitives/core/types.h"

// What tests ask of the library that stands for NCCL. Its ranks are threads, and it moves memory of the host.

namespace copse::test {

/// How a call of the library fails.
enum class NcclFault : u32 {
  none,
  refused,  // it returns an error
  later,    // it returns that it is in progress, and fails later
  stuck,    // it never ends
};

/// The library and its functions for tests. Its names of NCCL's functions stay hidden: NCCL itself calls some of its functions by
/// name, and would reach these.
struct NcclDouble {
  /// Loads it. It stays in the process.
  explicit NcclDouble(const std::string& path);

  /// Lets one call of this thread fail, the first being number 0. The count begins anew.
  void (*fail)(u32 call, NcclFault fault);

  /// Returns the calls of this thread since then that can fail.
  u32 (*calls)();

  /// Returns the communicators that are neither destroyed nor aborted.
  u32 (*open_communicators)();
};

}  // namespace copse::test
