#pragma once

// The heap of the host that fails on request. This program defines operator new itself, so that all vectors, texts and
// functions of the library take their memory here, beside what stands behind a MemoryResource.

#include "primitives/core/types.h"

namespace copse::test {

/// Makes allocation `k` from now on fail, and all after it, of this thread or of all threads. The object ends it.
class HeapFault {
 public:
  enum class Of { this_thread, all_threads };

  explicit HeapFault(u64 k, Of of = Of::this_thread);
  ~HeapFault();
  HeapFault(const HeapFault&) = delete;
  HeapFault& operator=(const HeapFault&) = delete;

  /// Returns true once an allocation has failed.
  bool has_happened() const;

  /// Returns how many allocations did not fail.
  u64 passed_count() const;

 private:
  u64 k_;
  Of of_;
};

/// Returns how many allocations of the whole program are not freed.
u64 live_heap_allocations();

}  // namespace copse::test
