#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "primitives/core/memory_resource.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

/// A stream-ordered memory pool of one context. It keeps freed memory for the next allocation.
class MemoryPool final : public MemoryResource {
 public:
  explicit MemoryPool(int ordinal) : MemoryPool(properties_for(ordinal)) {
    // The destructor runs if this throws.
    std::uint64_t keep_all = ~std::uint64_t{0};
    check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_all),
          "setting up the memory pool");
  }
  ~MemoryPool() override { cudaMemPoolDestroy(pool_); }

  void* allocate(u64 bytes, void* stream) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, pool_, static_cast<cudaStream_t>(stream));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      size_t free_bytes = 0, total_bytes = 0;
      cudaMemGetInfo(&free_bytes, &total_bytes);
      throw Error(ErrorCode::out_of_memory, "the GPU cannot give " + std::to_string(bytes) +
                                                " bytes of memory: " + std::to_string(free_bytes) + " of " +
                                                std::to_string(total_bytes) + " bytes are free");
    }
    check(status, "allocating device memory");
    return memory;
  }
  void deallocate(void* memory, u64, void* stream) noexcept override {
    cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
  }

  /// Lets these GPUs read and write all memory of the pool, what it gave before too.
  /// Throws: Error device_failure if one of them has no peer access to the pool's GPU.
  void share_with(std::span<const int> ordinals) {
    std::vector<cudaMemAccessDesc> access;
    for (const int ordinal : ordinals) {
      access.push_back({{cudaMemLocationTypeDevice, ordinal}, cudaMemAccessFlagsProtReadWrite});
    }
    if (access.empty()) return;
    check(cudaMemPoolSetAccess(pool_, access.data(), access.size()), "sharing the memory pool with other GPUs");
  }

 private:
  explicit MemoryPool(const cudaMemPoolProps& properties) {
    check(cudaMemPoolCreate(&pool_, &properties), "creating the memory pool");
  }
  static cudaMemPoolProps properties_for(int ordinal) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, ordinal};
    return properties;
  }

  cudaMemPool_t pool_ = nullptr;
};

}  // namespace copse::cuda
