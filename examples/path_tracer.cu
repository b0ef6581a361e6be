// A small path tracer, by a kernel of its own on the GPU, or on all cores. Both make the same picture, byte for
// byte, if nvcc gets --fmad=false. Without it, nvcc fuses products and sums in path_tracer.h.

#include <cuda_runtime.h>

#include "path_tracer_program.h"

namespace {

// snippet begins
__global__ void trace_pixels(const path_tracer::TracePixel trace, copse::u64 pixel_count) {
  const copse::u64 pixel = copse::u64(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel < pixel_count) trace(pixel);
}

struct ShareOut {
  void operator()(copse::Context& context, const path_tracer::TracePixel& trace, copse::u64 pixel_count) const {
    if (context.backend() == copse::Backend::cpu) return path_tracer::trace_on_host(trace, pixel_count);
    constexpr unsigned threads = 128;
    const unsigned blocks = unsigned((pixel_count + threads - 1) / threads);
    trace_pixels<<<blocks, threads, 0, static_cast<cudaStream_t>(context.stream())>>>(trace, pixel_count);
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
      throw copse::Error(copse::ErrorCode::device_failure, cudaGetErrorString(error));
    }
  }
};
// snippet ends

}  // namespace

int main(int argument_count, char** words) {
  return path_tracer::run(argument_count, words, ShareOut{});
}
