#pragma once

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

}  // namespace copse::cuda
