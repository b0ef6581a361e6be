#pragma once

// Memory that holds a chosen byte when it is handed out. If a result depends on memory that was never written, two
// fillings give two results, and a test sees the difference.

#include <vector>

#include "primitives/core/context.h"
#include "primitives/core/device.h"

namespace copse::test {

/// Hands on the memory of a context, filled. It serves contexts on that context's stream.
class FilledMemory final : public MemoryResource {
 public:
  FilledMemory(Context& behind, u8 filling) : behind_(behind), filling_(filling) {}

  void* allocate(u64 bytes, void* stream) override {
    void* memory = behind_.memory().allocate(bytes, stream);
    const std::vector<u8> filled(bytes, filling_);
    behind_.device().upload(memory, filled.data(), bytes);
    return memory;
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    behind_.memory().deallocate(memory, bytes, stream);
  }

 private:
  Context& behind_;
  u8 filling_;
};

}  // namespace copse::test
