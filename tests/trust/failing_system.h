#pragma once

// Calls of the system on files that fail on request. This program defines open, read, write and so on itself, so that the
// library calls these; they pass everything on to the kernel, but for the one call that is to fail.

#include "primitives/core/types.h"

namespace copse::test {

/// What becomes of the call: an error number such as ENOSPC, or this, which transfers half of the bytes.
inline constexpr int half_of_the_bytes = -1;

/// Makes call `k` from now on fail, of all calls of all threads. The object ends it.
class SystemFault {
 public:
  SystemFault(u64 k, int error);
  ~SystemFault();
  SystemFault(const SystemFault&) = delete;
  SystemFault& operator=(const SystemFault&) = delete;

  /// Returns true once the call has failed.
  bool has_happened() const;
};

}  // namespace copse::test
