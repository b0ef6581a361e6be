#pragma once

// Code that calls of CUB and the CUDA runtime share. The file of each row includes the one CUB header that it
// needs.

#include "bench/support/gpu_copy.h"
#include "primitives/cuda/launch.cuh"

namespace copse::bench {

/// Runs `call(temporary storage or null, its bytes)`, a call of CUB, with its temporary storage made ready.
template <class Call>
Work with_temporary_storage(Comparison& c, Call call) {
  size_t bytes = 0;
  cuda::check(call(nullptr, bytes), "asking CUB for its temporary storage");
  const BufferSpan<u8> storage = c.buffer<u8>(bytes + 1);
  return [=] {
    size_t given = bytes;
    cuda::check(call(storage.data(), given), "calling CUB");
  };
}

/// Adds `call(temporary storage, its bytes, count)` as a rival with 32-bit counts. If n is large, it adds the call
/// with 64-bit counts too. The two counts choose different kernels of CUB.
template <class Call>
void add_cub_rival(Comparison& c, Call call) {
  constexpr u64 large = u64{1} << 24;
  c.add_rival(
      with_temporary_storage(c, [=, n = int(c.n)](void* temp, size_t& bytes) { return call(temp, bytes, n); }));
  if (c.n < large) return;
  c.add_rival(
      with_temporary_storage(c, [=, n = i64(c.n)](void* temp, size_t& bytes) { return call(temp, bytes, n); }));
}

}  // namespace copse::bench
