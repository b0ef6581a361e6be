#pragma once

#include <string>

#include "primitives/core/executor.h"
#include "primitives/cuda/check.cuh"

namespace copse::cuda {

/// Puts a kernel on the executor's stream, under its label.
/// Throws: Error cancelled, Error device_failure, Error invalid_argument for a grid past the GPU's limit.
template <class... Parameters, class... Arguments>
void launch(const Executor& ex, const char* label, void (*kernel)(Parameters...), u64 blocks, u32 threads,
            const Arguments&... arguments) {
  constexpr u64 most_blocks = 0x7fffffffu;
  throw_if_cancelled(ex);
  if (blocks == 0) return;
  if (blocks > most_blocks) {
    throw Error(ErrorCode::invalid_argument, std::string(label) + ": " + std::to_string(blocks) +
                                                 " blocks, at most " + std::to_string(most_blocks));
  }
  ex.profile.count_launch(label);
  ProfileScope scope(ex.profile, label);
  const auto stream = static_cast<cudaStream_t>(ex.stream);
  kernel<<<u32(blocks), threads, 0, stream>>>(arguments...);
  check(cudaGetLastError(), label);
  if (ex.check_every_launch && !ex.device.capturing()) check(cudaStreamSynchronize(stream), label);
}

}  // namespace copse::cuda
