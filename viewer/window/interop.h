#pragma once

#include <string>

#include "viewer/window/gl.h"

// Pictures from CUDA's memory into OpenGL's textures without a way over the host. Which of both files stands
// behind it, cuda/interop.cpp or no_interop.cpp, is up to whether this build has a CUDA half.

namespace copse::viewer::gl {

/// Why pictures cannot go that way with the OpenGL context that is current; empty where they can: the CUDA device
/// that structures are traced on draws the window too.
std::string interop_problem();

/// A pixel buffer of OpenGL's that CUDA writes to.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  /// Copies `bytes` bytes of the device's memory to it, behind what is on the stream, and binds it to
  /// GL_PIXEL_UNPACK_BUFFER. OpenGL's work that follows sees the copy.
  /// Throws: Error device_failure; nothing is bound then.
  void fill(const void* device_memory, size_t bytes, void* stream);

 private:
  void make_room(size_t bytes);
  void release();

  GLuint buffer_ = 0;
  size_t bytes_ = 0;
  void* resource_ = nullptr;  // CUDA's view of it
};

}  // namespace copse::viewer::gl
