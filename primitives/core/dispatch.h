#pragma once

// The only place that knows whether this build has the CUDA backend. For the .cpp files of the library.

#include "primitives/core/context.h"
#include "primitives/core/device.h"
#include "primitives/core/executor.h"

namespace copse {

namespace detail {

/// The call of a thread that uses a context, for as long as the object lives. Calls may stand inside each other.
/// Throws: Error invalid_argument while another thread is in a call.
class COPSE_API CallOfOneThread {
 public:
  explicit CallOfOneThread(Context& context);
  ~CallOfOneThread();
  CallOfOneThread(const CallOfOneThread&) = delete;
  CallOfOneThread& operator=(const CallOfOneThread&) = delete;

 private:
  ContextParts& parts_;
};

}  // namespace detail

/// Calls `f` with the context's executor, cpu::Executor or cuda::Executor.
/// Throws: Error invalid_argument while another thread uses the context.
template <class F>
decltype(auto) dispatch(Context& context, F&& f) {
  const detail::CallOfOneThread call(context);
#if COPSE_HAS_CUDA
  if (context.backend() == Backend::cuda) {
    context.device().make_current();
    return f(context.cuda_executor());
  }
#endif
  return f(context.cpu_executor());
}

inline std::unique_ptr<Device> make_cuda_device([[maybe_unused]] int ordinal,
                                                [[maybe_unused]] void* const* stream) {
#if COPSE_HAS_CUDA
  return cuda::make_device(ordinal, stream);
#else
  throw Error(ErrorCode::no_device, "this build of Copse has no CUDA backend");
#endif
}

inline u32 cuda_multiprocessor_count([[maybe_unused]] int ordinal) {
#if COPSE_HAS_CUDA
  return u32(cuda::multiprocessor_count(ordinal));
#else
  return 0;
#endif
}

inline u32 cuda_capability([[maybe_unused]] int ordinal) {
#if COPSE_HAS_CUDA
  return u32(cuda::capability(ordinal));
#else
  return 0;
#endif
}

inline u32 cuda_max_shared_bytes([[maybe_unused]] int ordinal) {
#if COPSE_HAS_CUDA
  return u32(cuda::max_shared_bytes(ordinal));
#else
  return 0;
#endif
}

inline constexpr bool has_cuda_half = COPSE_HAS_CUDA;

}  // namespace copse
