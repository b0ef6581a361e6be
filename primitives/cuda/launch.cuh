#pragma once

#include <cuda_runtime.h>

#include <string>
#include <unordered_map>

#include "primitives/core/error.h"
#include "primitives/core/executor.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::cuda {

/// Checks the status that a CUDA call returned.
/// Throws: Error out_of_memory or device_failure, with `what` and the words of CUDA, if `status` is an error.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not find this error again
  const ErrorCode code =
      status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device_failure;
  throw Error(code, std::string(what) + ": " + cudaGetErrorString(status));
}

/// Launches overlap in code for this architecture and above.
inline constexpr u32 min_architecture_for_overlap = 90;

/// The first architecture after Turing.
inline constexpr u32 ampere = 80;

/// What is left of the shared memory of a block of Turing for static shared memory.
inline constexpr u32 static_shared_bytes = 1u << 10;

/// Every GPU that runs this code allows a block at least this much dynamic shared memory. From architecture 80 on, those
/// of 86, 89 and 120 allow no more. In device code for Turing it is less. On the host it is that of newer GPUs.
inline constexpr u32 shared_bytes_everywhere = COPSE_TURING_CODE ? (64u << 10) - static_shared_bytes : 99u << 10;

struct LaunchShape {
  u64 blocks;
  u32 threads;

  /// Bytes of dynamic shared memory per block.
  u32 shared_bytes = 0;

  /// Lets the launch start while the previous one still runs (programmatic dependent launch), if the GPU supports
  /// it. The kernel must call wait_for_earlier_launch() before it touches memory that any earlier work wrote or
  /// still reads.
  bool overlaps_earlier_launch = false;
};

/// Lets the next launch start, if that one may overlap. Called in a kernel.
__device__ inline void let_next_launch_start() {
  if constexpr (COPSE_HAS_BULK_COPIES) cudaTriggerProgrammaticLaunchCompletion();
}

/// Waits until all earlier launches have finished and their writes are visible. Called in a kernel.
__device__ inline void wait_for_earlier_launch() {
  if constexpr (COPSE_HAS_BULK_COPIES) cudaGridDependencySynchronize();
}

/// Does both of the above. It is for the first line of a kernel that has nothing to do before it touches memory.
__device__ inline void overlap_launches() {
  let_next_launch_start();
  wait_for_earlier_launch();
}

/// The architectures of the kernels that a context has asked for, by kernel.
struct KernelArchitectures {
  std::unordered_map<const void*, u32> of;
};

/// Returns the architecture that the code of a kernel was compiled for, where this GPU runs it: 90 for compute
/// capability 9.0. It is older than the GPU's if the driver compiled PTX. Then its tiles are those of the older one,
/// and it does not wait for earlier launches. The driver is asked once per kernel, which takes half a microsecond.
template <class... Parameters>
u32 architecture_of(const Executor& ex, const char* label, void (*kernel)(Parameters...)) {
  u32& architecture = ex.memos.get<KernelArchitectures>().of[reinterpret_cast<const void*>(kernel)];
  if (architecture == 0) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), label);
    architecture = u32(attributes.ptxVersion);
  }
  return architecture;
}

/// Returns the dynamic shared memory for a kernel that needs `bytes`, or less in code for Turing, where it checks that
/// it needs at most shared_bytes_everywhere.
inline u32 available_shared_bytes(const Executor& ex, u32 bytes) {
  if (ex.max_shared_bytes >= shared_bytes_everywhere || bytes <= ex.max_shared_bytes - static_shared_bytes)
    return bytes;
  return ex.max_shared_bytes - static_shared_bytes;
}

/// Checks that a block may have this much shared memory.
/// Throws: Error invalid_argument if the GPU has less.
inline void check_shared_bytes(const Executor& ex, const char* label, u32 shared_bytes) {
  if (shared_bytes <= ex.max_shared_bytes) return;
  throw Error(ErrorCode::invalid_argument, std::string(label) + ": a block needs " + std::to_string(shared_bytes) +
                                               " bytes of shared memory, but this GPU allows at most " +
                                               std::to_string(ex.max_shared_bytes));
}

/// Returns how many blocks of `shared_bytes` each a multiprocessor has the memory for. It has 1 KiB more than a
/// block may ask for, and keeps 1 KiB for each block.
inline u64 blocks_by_memory(const Executor& ex, u32 shared_bytes) {
  constexpr u64 kept = 1u << 10;
  return (ex.max_shared_bytes + kept) / (shared_bytes + kept);
}

/// Launches a kernel on the stream of the executor, under its label.
/// Throws: Error cancelled, Error device_failure, Error invalid_argument for a grid or shared memory past the limit
/// of the GPU.
template <class... Parameters, class... Arguments>
void launch(const Executor& ex, const char* label, void (*kernel)(Parameters...), const LaunchShape& shape,
            const Arguments&... arguments) {
  constexpr u64 max_blocks = 0x7fffffffu;
  constexpr u32 shared_bytes_without_asking = 32u << 10;  // the limit is 48 KiB including static shared memory
  throw_if_cancelled(ex);
  if (shape.blocks == 0) return;
  if (shape.blocks > max_blocks) {
    throw Error(ErrorCode::invalid_argument,
                std::string(label) + ": the launch needs " + std::to_string(shape.blocks) +
                    " blocks, but a GPU allows at most " + std::to_string(max_blocks));
  }
  check_shared_bytes(ex, label, shape.shared_bytes);
  ex.profile.count_launch(label);
  ProfileScope scope(ex.profile, label);
  if (shape.shared_bytes > shared_bytes_without_asking) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shape.shared_bytes)),
          label);
  }
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(u32(shape.blocks));
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = static_cast<cudaStream_t>(ex.stream);
  config.attrs = &overlap;
  const bool overlaps = shape.overlaps_earlier_launch && 10 * ex.capability >= min_architecture_for_overlap &&
                        architecture_of(ex, label, kernel) >= min_architecture_for_overlap;
  config.numAttrs = overlaps ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), label);
  const auto stream = config.stream;
  if (ex.check_every_launch && !is_capturing(ex)) check(cudaStreamSynchronize(stream), label);
}

}  // namespace copse::cuda
