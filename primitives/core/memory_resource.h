#pragma once

#include "primitives/core/types.h"

namespace copse {

/// Where a Context takes its memory from. Implement it to put Copse on your own allocator.
///
/// One thread of control calls it at a time. On CUDA, `stream` is the context's cudaStream_t: memory may be
/// used by work put on that stream after allocate, and is in use until the work put there before deallocate
/// has run. On the CPU it is null.
class MemoryResource {
 public:
  static constexpr u64 alignment = 256;

  virtual ~MemoryResource() = default;

  /// Memory of at least `bytes` bytes (never 0), aligned to `alignment`.
  /// Throws: Error out_of_memory.
  virtual void* allocate(u64 bytes, void* stream) = 0;
  virtual void deallocate(void* memory, u64 bytes, void* stream) noexcept = 0;
};

}  // namespace copse
