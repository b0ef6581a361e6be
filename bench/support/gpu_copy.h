#pragma once

#include <cuda_runtime.h>

#include <string>

#include "bench/support/comparison.h"
#include "primitives/core/error.h"

namespace copse::bench {

inline cudaStream_t stream_of(Context& context) {
  return static_cast<cudaStream_t>(context.stream());
}

/// Puts a plain copy on the context's stream. The speed of rows is compared with the speed of this copy.
inline void copy_on_gpu(Context& context, void* to, const void* from, u64 bytes) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_of(context));
  if (status == cudaSuccess) return;
  throw Error(ErrorCode::device_failure, std::string("copying: ") + cudaGetErrorString(status));
}

}  // namespace copse::bench
