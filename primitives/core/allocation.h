#pragma once

#include <new>
#include <string>

#include "primitives/core/error.h"
#include "primitives/core/memory_resource.h"

namespace copse::detail {

/// Returns memory of a resource, which may be one of the caller. If it breaks the contract of MemoryResource, the error
/// says how.
/// Throws: Error out_of_memory with the number of bytes, also for std::bad_alloc and for null. Error invalid_argument for
/// memory that is not aligned. All other exceptions of the resource.
inline void* allocate_from(MemoryResource& resource, u64 bytes, void* stream) {
  void* memory = nullptr;
  try {
    memory = resource.allocate(bytes, stream);
  } catch (const std::bad_alloc&) {
    // As null: nothing was allocated.
  }
  if (memory == nullptr) {
    throw Error(ErrorCode::out_of_memory,
                "the memory resource could not give " + std::to_string(bytes) + " bytes");
  }
  const u64 misalignment = reinterpret_cast<u64>(memory) % MemoryResource::alignment;
  if (misalignment == 0) return memory;
  resource.deallocate(memory, bytes, stream);
  throw Error(ErrorCode::invalid_argument, "the memory resource gave " + std::to_string(bytes) +
                                               " bytes at an address that is " + std::to_string(misalignment) +
                                               " past a multiple of " + std::to_string(MemoryResource::alignment) +
                                               "; it must be such a multiple");
}

}  // namespace copse::detail
