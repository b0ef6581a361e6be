#pragma once

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

extern "C" {

/// Lets one call of this thread fail, the first being number 0. The count begins anew.
void nccl_double_fail(u32 call, NcclFault fault);

/// Returns the calls of this thread since then that can fail.
u32 nccl_double_calls();

/// Returns the communicators that are neither destroyed nor aborted.
u32 nccl_double_open_communicators();
}

}  // namespace copse::test
