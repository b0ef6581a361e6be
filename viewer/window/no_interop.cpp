#include "primitives/core/error.h"
#include "viewer/window/interop.h"

namespace copse::viewer::gl {

std::string interop_problem() {
  return "this build has no CUDA backend";
}

SharedBuffer::~SharedBuffer() = default;

void SharedBuffer::fill(const void*, size_t, void*) {
  throw Error(ErrorCode::device_failure, "a picture cannot be copied to OpenGL: " + interop_problem());
}

}  // namespace copse::viewer::gl
