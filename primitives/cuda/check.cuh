#pragma once

#include <cuda_runtime.h>

#include <string>

#include "primitives/core/error.h"

namespace copse::cuda {

/// Throws: Error out_of_memory or device_failure, with `what` and CUDA's own words.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what has been reported must not be found again by the next call
  const ErrorCode code =
      status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device_failure;
  throw Error(code, std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace copse::cuda
