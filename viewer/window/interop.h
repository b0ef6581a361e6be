#pragma once

#include <string>

#include "viewer/window/gl.h"

// Copies pictures from CUDA's memory to OpenGL's textures, without the host. Implemented in cuda/interop.cpp, or
// in no_interop.cpp if this build has no CUDA backend.

namespace copse::viewer::gl {

/// Returns why this does not work with the current OpenGL context; empty if it works, because the CUDA device that
/// traces also draws the window.
std::string interop_problem();

/// A pixel buffer of OpenGL that CUDA writes to.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  /// Copies `bytes` bytes of the device's memory to the buffer, after the work on the stream, and binds the buffer
  /// to GL_PIXEL_UNPACK_BUFFER. Later work of OpenGL sees the copy. Throws: Error device_failure. Then nothing is
  /// bound.
  void fill(const void* device_memory, size_t bytes, void* stream);

 private:
  void make_room(size_t bytes);
  void release();

  GLuint buffer_ = 0;
  size_t bytes_ = 0;
  void* resource_ = nullptr;  // CUDA's view of it
};

}  // namespace copse::viewer::gl
