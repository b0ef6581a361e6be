#pragma once

// What hash_templates.h calls, on the CUDA backend.

#include "primitives/cuda/compact.cuh"
#include "primitives/cuda/count.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/split.cuh"
#include "primitives/hash_templates.h"
#include "primitives/loops/for_each_interleaved.cuh"
#include "primitives/loops/for_each_prefetched.cuh"

namespace copse::cuda {

/// A table's part that stays in the second cache while its keys are inserted: half of that of an H200. Smaller
/// parts are filled by more threads a slot, which get in each other's way at a high load.
inline u64 hash_part_bytes(const Executor&) {
  return u64{24} << 20;
}

}  // namespace copse::cuda
