#pragma once

#include <string>
#include <vector>

#include "primitives/core/types.h"

namespace copse::cli {

struct Gpu {
  std::string name;
  int major = 0, minor = 0;  // of its compute capability
  u64 memory_bytes = 0;
};

/// What the NVIDIA driver of this machine says.
struct CudaDriver {
  int version = 0;      // the newest CUDA that it runs, 12040 for 12.4; 0 if there is no driver
  std::string problem;  // why there is no driver, or why it lists no GPU; else empty
  std::vector<Gpu> gpus;
};

/// Asks the driver. Its library is loaded while the program runs, so that a build without CUDA can ask too.
CudaDriver ask_cuda_driver();

/// Returns "12.4" for 12040.
std::string cuda_version_text(int version);

}  // namespace copse::cli
