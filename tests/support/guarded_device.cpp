// Guards round the memory of contexts on CUDA, in every test program: with COPSE_CANARIES=1 in the environment, all memory
// of a context's pool has 256 bytes before it and after it that hold a pattern. They are checked when it is freed. The
// memory itself holds 0xff at first, which is NaN in floats and no id.
//
// The linker gives the calls of the library to the functions __wrap_... of this file (tests/CMakeLists.txt). They pass
// them on to CUDA as __real_....

#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace {

constexpr size_t guard_bytes = 256;
constexpr unsigned char guard = 0xa5;

bool has_guards() {
  static const bool has = [] {
    const char* value = std::getenv("COPSE_CANARIES");
    return value != nullptr && std::strcmp(value, "0") != 0 && std::strcmp(value, "") != 0;
  }();
  return has;
}

/// The bytes of each guarded allocation, by the address that the library got.
struct Sizes {
  std::mutex mutex;
  std::unordered_map<void*, size_t> of;
};

Sizes& sizes() {
  static Sizes all;
  return all;
}

void check_guard(bool is_before, const unsigned char* its_guard, size_t bytes, cudaStream_t stream) {
  std::array<unsigned char, guard_bytes> found;
  const cudaError_t copied = cudaMemcpyAsync(found.data(), its_guard, guard_bytes, cudaMemcpyDeviceToHost, stream);
  // A test may have made calls of CUDA fail.
  if (copied != cudaSuccess || cudaStreamSynchronize(stream) != cudaSuccess) return;
  for (size_t i = 0; i < guard_bytes; ++i) {
    if (found[is_before ? guard_bytes - 1 - i : i] == guard) continue;
    std::fprintf(stderr, "canaries: byte %zu %s an allocation of %zu bytes was written\n", i + 1,
                 is_before ? "before" : "after", bytes);
    std::abort();
  }
}

}  // namespace

extern "C" {

cudaError_t __real_cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t __real_cudaFreeAsync(void* memory, cudaStream_t stream);

cudaError_t __wrap_cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  if (!has_guards()) return __real_cudaMallocFromPoolAsync(memory, bytes, pool, stream);
  void* whole = nullptr;
  const cudaError_t status =
      __real_cudaMallocFromPoolAsync(&whole, guard_bytes + bytes + guard_bytes, pool, stream);
  if (status != cudaSuccess) return status;
  auto* const first = static_cast<unsigned char*>(whole);
  const auto fill = [&](size_t from, int value, size_t count) {
    return cudaMemsetAsync(first + from, value, count, stream);
  };
  for (const cudaError_t filled : {fill(0, guard, guard_bytes), fill(guard_bytes, 0xff, bytes),
                                   fill(guard_bytes + bytes, guard, guard_bytes)}) {
    if (filled == cudaSuccess) continue;
    __real_cudaFreeAsync(whole, stream);
    return filled;
  }
  *memory = first + guard_bytes;
  const std::lock_guard lock(sizes().mutex);
  sizes().of[*memory] = bytes;
  return cudaSuccess;
}

cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  size_t bytes = 0;
  {
    const std::lock_guard lock(sizes().mutex);
    const auto at = sizes().of.find(memory);
    if (at == sizes().of.end()) return __real_cudaFreeAsync(memory, stream);
    bytes = at->second;
    sizes().of.erase(at);
  }
  auto* const first = static_cast<unsigned char*>(memory) - guard_bytes;
  check_guard(true, first, bytes, stream);
  check_guard(false, first + guard_bytes + bytes, bytes, stream);
  return __real_cudaFreeAsync(first, stream);
}

}  // extern "C"
