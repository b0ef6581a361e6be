#pragma once

// A heap with a limit. It acts like a machine with less memory.

#include <algorithm>
#include <cstdlib>
#include <string>

#include "primitives/core/error.h"
#include "primitives/core/memory_resource.h"

namespace copse::test {

/// Serves contexts on the CPU.
class LimitedMemory final : public MemoryResource {
 public:
  explicit LimitedMemory(u64 limit = ~u64{0}) : limit_(limit) {}

  void* allocate(u64 bytes, void*) override {
    if (bytes > limit_ - in_use_) {
      throw Error(ErrorCode::out_of_memory, std::to_string(bytes) + " bytes, " + std::to_string(limit_ - in_use_) +
                                                " of " + std::to_string(limit_) + " are left");
    }
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate(void* memory, u64 bytes, void*) noexcept override {
    in_use_ -= bytes;
    std::free(memory);
  }

  u64 in_use() const { return in_use_; }
  u64 peak() const { return peak_; }

 private:
  u64 limit_, in_use_ = 0, peak_ = 0;
};

}  // namespace copse::test
