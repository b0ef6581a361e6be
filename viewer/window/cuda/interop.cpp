#include "viewer/window/interop.h"

#include <cuda_gl_interop.h>

#include "primitives/core/error.h"

namespace copse::viewer::gl {

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears the error, which is reported here and not by the next call
  throw Error(ErrorCode::device_failure, std::string(what) + ": " + cudaGetErrorString(error));
}

/// For destructors: clears an error that cannot be reported, so that the next call does not report it.
void forget(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
}

cudaGraphicsResource_t resource_of(void* resource) {
  return static_cast<cudaGraphicsResource_t>(resource);
}

/// A resource that is mapped for CUDA during its lifetime.
class Mapping {
 public:
  Mapping(cudaGraphicsResource_t resource, cudaStream_t stream) : resource_(resource), stream_(stream) {
    check(cudaGraphicsMapResources(1, &resource_, stream_), "OpenGL's buffer cannot be mapped");
  }
  ~Mapping() { forget(cudaGraphicsUnmapResources(1, &resource_, stream_)); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void* memory() {
    void* memory = nullptr;
    size_t bytes = 0;
    check(cudaGraphicsResourceGetMappedPointer(&memory, &bytes, resource_), "OpenGL's buffer has no address");
    return memory;
  }

 private:
  cudaGraphicsResource_t resource_;
  cudaStream_t stream_;
};

}  // namespace

std::string interop_problem() {
  constexpr int traced_on = 0;  // the ordinal of every Context of the viewer
  constexpr unsigned most = 16;
  int devices[most];
  unsigned count = 0;
  const cudaError_t error = cudaGLGetDevices(&count, devices, most, cudaGLDeviceListAll);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return std::string("no CUDA device draws this window (") + cudaGetErrorString(error) + ")";
  }
  for (unsigned i = 0; i < count; ++i) {
    if (devices[i] == traced_on) return {};
  }
  return "another GPU draws this window";
}

SharedBuffer::~SharedBuffer() {
  release();
}

void SharedBuffer::release() {
  if (resource_ != nullptr) forget(cudaGraphicsUnregisterResource(resource_of(resource_)));
  if (buffer_ != 0) glDeleteBuffers(1, &buffer_);
  resource_ = nullptr;
  buffer_ = 0;
  bytes_ = 0;
}

/// Previews are smaller than pictures at rest, so a buffer that fits those is reused for all.
void SharedBuffer::make_room(size_t bytes) {
  if (bytes <= bytes_) return;
  release();
  glGenBuffers(1, &buffer_);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
  glBufferData(GL_PIXEL_UNPACK_BUFFER, GLsizeiptr(bytes), nullptr, GL_STREAM_DRAW);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  cudaGraphicsResource_t resource = nullptr;
  check(cudaGraphicsGLRegisterBuffer(&resource, buffer_, cudaGraphicsRegisterFlagsWriteDiscard),
        "OpenGL's buffer cannot be registered");
  resource_ = resource;
  bytes_ = bytes;
}

void SharedBuffer::fill(const void* device_memory, size_t bytes, void* stream) {
  make_room(bytes);
  {
    const auto order = static_cast<cudaStream_t>(stream);
    Mapping mapping(resource_of(resource_), order);
    check(cudaMemcpyAsync(mapping.memory(), device_memory, bytes, cudaMemcpyDeviceToDevice, order),
          "a picture cannot be copied to OpenGL");
  }
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
}

}  // namespace copse::viewer::gl
