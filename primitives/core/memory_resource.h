#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// The source of the memory of a Context. Implement it to use your own allocator.
///
/// Only one thread calls it at a time. On CUDA, `stream` is the cudaStream_t of the context. Work that is put on
/// that stream after allocate may use the memory; work that was put there before deallocate may still use it until
/// it has run. On the CPU `stream` is null.
class COPSE_API MemoryResource {
 public:
  static constexpr u64 alignment = 256;

  virtual ~MemoryResource() = default;

  /// Returns memory of at least `bytes` bytes (never 0), aligned to `alignment`.
  /// Throws: Error out_of_memory.
  virtual void* allocate(u64 bytes, void* stream) = 0;
  virtual void deallocate(void* memory, u64 bytes, void* stream) noexcept = 0;
};

}  // namespace copse
