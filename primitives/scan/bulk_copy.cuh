#pragma once

// Bulk copies of Hopper from global to shared memory, and barriers in shared memory that count the bytes of the
// copies and the arrivals of threads (PTX ISA 8.0, cp.async.bulk and mbarrier). Only code for compute capability
// 9.0 and newer may call them.

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::cuda {

inline constexpr u32 min_architecture_for_bulk_copies = 90;

/// A barrier with phases. A phase ends once all arrivals, and the bytes that it was told to expect, are complete.
class SharedBarrier {
 public:
  __device__ void init(u32 arrivals) {
    if constexpr (COPSE_HAS_BULK_COPIES) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
    }
  }
  /// Makes the inits visible. The thread that did the last init calls it, before the barrier of the block.
  __device__ static void publish_inits() {
    if constexpr (COPSE_HAS_BULK_COPIES) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ void arrive() {
    if constexpr (COPSE_HAS_BULK_COPIES) {
      asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
  }
  __device__ void arrive_expecting(u32 bytes) {
    if constexpr (COPSE_HAS_BULK_COPIES) {
      asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                   "r"(bytes)
                   : "memory");
    }
  }
  /// Waits until the phase of this parity has ended: 0 for the first phase, 1 for the second, 0 for the third.
  __device__ void wait(u32 parity) {
    u32 passed = !COPSE_HAS_BULK_COPIES;
    while (passed == 0) {
      if constexpr (COPSE_HAS_BULK_COPIES) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; "
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(passed)
            : "r"(address()), "r"(parity)
            : "memory");
      }
    }
  }
  /// Copies `bytes` bytes to shared memory and counts them at this barrier. One thread calls it. Both addresses
  /// and `bytes` must be multiples of 16. The L2 cache evicts the source first.
  __device__ void copy_here(void* shared_to, const void* from, u32 bytes) {
    if constexpr (COPSE_HAS_BULK_COPIES) {
      u64 policy;
      asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
          "%4;" ::"r"(u32(__cvta_generic_to_shared(shared_to))),
          "l"(from), "r"(bytes), "r"(address()), "l"(policy)
          : "memory");
    }
  }

 private:
  __device__ u32 address() const { return u32(__cvta_generic_to_shared(&state_)); }

  u64 state_;
};

}  // namespace copse::cuda
