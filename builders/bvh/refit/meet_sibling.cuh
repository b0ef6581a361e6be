#pragma once

// Where the two children of a node meet on their way up, and the second goes on with it. A child looks first
// whether the other was there before, and says that it is there itself only where that is not so: the way that
// takes longest, of those who always come second, waits for none of its own writes.

#include "primitives/core/atomic.h"

namespace copse::cuda::detail {

/// Whether the sibling was there before; then its writes are seen, and the place is as it was before both.
///   arrival: 0 before the first of both comes
__device__ inline bool sibling_was_here(u32* arrival) {
  if (load_acquire(arrival) == 0) return false;
  store_relaxed(arrival, 0u);
  return true;
}

/// Leaves the rest to the sibling, which will see all writes up to here. False where that has come meanwhile: then
/// as sibling_was_here().
__device__ inline bool leave_to_sibling(u32* arrival) {
  return fetch_increment_wrapping_acq_rel(arrival, 1u) == 0;
}

}  // namespace copse::cuda::detail
