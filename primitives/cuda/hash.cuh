#pragma once

// The templates of hash_templates.h on the CUDA backend.

#include "primitives/cuda/compact.cuh"
#include "primitives/cuda/count.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/split.cuh"
#include "primitives/hash_templates.h"
#include "primitives/loops/for_each_interleaved.cuh"
#include "primitives/loops/for_each_prefetched.cuh"

namespace copse::cuda {

/// Returns the size of the part of a table that stays in the second-level cache while its keys are inserted: half
/// of that cache on an H200. In a smaller part, more threads work per slot, and they disturb each other at a high
/// load.
inline u64 hash_part_bytes(const Executor&) {
  return u64{24} << 20;
}

}  // namespace copse::cuda
