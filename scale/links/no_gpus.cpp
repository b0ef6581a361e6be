// For builds without CUDA.

#include "primitives/core/error.h"
#include "scale/devices.h"
#include "scale/links/links.h"
#include "scale/links/staged_copies.h"

namespace copse {

namespace detail {

std::unique_ptr<Links> make_gpu_links(bool) {
  throw Error(ErrorCode::no_device, "this build of Copse has no CUDA backend");
}

std::unique_ptr<StagedCopies> make_gpu_copies(Context&) {
  throw Error(ErrorCode::no_device, "this build of Copse has no CUDA backend");
}

}  // namespace detail

u32 gpu_count() {
  return 0;
}

}  // namespace copse
