// Guards round the memory of contexts on CUDA, in every test program: with COPSE_CANARIES=1 in the environment, all memory
// of a context's pool has 256 bytes before it and after it that hold a pattern. They are checked when it is freed. The
// memory itself holds 0xff at first, which is NaN in floats and no id.
//
// The linker gives the calls of the library to the functions __wrap_... of this file (tests/CMakeLists.txt). They pass
// them on to CUDA as __real_....

#include <cuda_runtime.h>

#include <array>
#include <mutex>
#include <unordered_map>

#include "tests/support/guards.h"

namespace {

using copse::test::guard;
using copse::test::guard_bytes;
using copse::test::has_guards;

/// While it lives, the calls of CUDA in this thread are those of the guards.
struct GuardCalls {
  GuardCalls() { copse::test::guards_call_cuda = true; }
  ~GuardCalls() { copse::test::guards_call_cuda = false; }
};

/// The bytes of each guarded allocation, by the address that the library got.
struct Sizes {
  std::mutex mutex;
  std::unordered_map<void*, size_t> of;
};

Sizes& sizes() {
  static Sizes all;
  return all;
}

/// Checks the guards of an allocation. After an error on the stream, they are not looked at.
void check_guards_on_device(const unsigned char* first, size_t bytes, cudaStream_t stream) {
  const GuardCalls calls;
  std::array<unsigned char, guard_bytes> before, after;
  const auto fetch = [&](auto& to, const unsigned char* from) {
    return cudaMemcpyAsync(to.data(), from, guard_bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess;
  };
  if (!fetch(before, first) || !fetch(after, first + guard_bytes + bytes)) return;
  if (cudaStreamSynchronize(stream) != cudaSuccess) return;
  copse::test::check_guards(before.data(), after.data(), bytes);
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
  const GuardCalls calls;
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
  check_guards_on_device(first, bytes, stream);
  return __real_cudaFreeAsync(first, stream);
}

}  // extern "C"
