#pragma once

#include <initializer_list>
#include <string>

namespace copse::cuda {

/// Returns "13.0" for 13000, as CUDA writes versions.
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Returns why no GPU answers, and what to do, where CUDA says that the driver is insufficient: it is older than the
/// build, or there is none.
///   driver_version: of cudaDriverGetVersion, 0 if there is no driver
///   build_version:  CUDART_VERSION
inline std::string insufficient_driver_text(int driver_version, int build_version) {
  const std::string needed = "CUDA " + version_text(build_version);
  if (driver_version == 0) {
    return "no NVIDIA driver is installed; install one for " + needed + " or newer, or run on the CPU";
  }
  return "the NVIDIA driver is for CUDA " + version_text(driver_version) + ", but this build needs " + needed +
         "; install a newer driver, build with an older CUDA, or run on the CPU";
}

/// Returns "9.0" for 90, as NVIDIA writes compute capabilities.
inline std::string capability_text(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

/// Returns that this build has no kernels for a GPU, and what to do.
///   architecture: of the GPU: 120 for compute capability 12.0
///   built_for:    tenfold the architectures of the build, ascending, as in __CUDA_ARCH_LIST__; at least one
inline std::string no_kernels_text(const std::string& gpu, int architecture,
                                   std::initializer_list<int> built_for) {
  std::string built;
  for (const int one : built_for) built += (built.empty() ? "" : ", ") + capability_text(one / 10);
  return gpu + " has compute capability " + capability_text(architecture) + ", but this build has kernels for " +
         built + "; build with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(architecture) + ", or run on the CPU";
}

}  // namespace copse::cuda
