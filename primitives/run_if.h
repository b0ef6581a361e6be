#pragma once

#include "primitives/core/context.h"
#include "primitives/core/device.h"
#include "primitives/core/executor.h"
#include "primitives/core/span.h"

namespace copse {

namespace detail {

COPSE_API void run_if(Context& context, BufferSpan<const u32> flag, Work& work);

}  // namespace detail

/// Does `work()` if the word at `flag` is not 0 when the earlier work of the context is done. In a captured graph
/// every launch looks at the word, and the GPU decides: on CUDA the work becomes the body of a conditional node. So
/// work that was captured once may depend on what earlier work of the same graph found.
///   flag: one word in the memory of the context
///   work: calls of this library on the same context. While it is captured it must not wait or allocate
/// Throws: Error invalid_argument if `flag` has no element, what `work` throws, Error no_device while capturing in a
/// build by a CUDA toolkit before version 13.
/// Waits: for the word, on CUDA outside of a capture.
template <class Function>
void run_if(Context& context, BufferSpan<const u32> flag, const Function& work) {
  detail::WorkOf<Function> owned(work);
  detail::run_if(context, flag, owned);
}

// For bodies, on either executor. They call work(ex) with the executor that takes the work.

template <class Function>
void run_if(const cpu::Executor& ex, const u32* flag, const Function& work) {
  if (*flag != 0) work(ex);
}

template <class Function>
void run_if(const cuda::Executor& ex, const u32* flag, const Function& work) {
  if (!is_capturing(ex)) {
    u32 value = 0;
    ex.device.download(&value, flag, sizeof(value));
    if (value != 0) work(ex);
    return;
  }
  cuda::Executor branch = ex;
  branch.stream = ex.device.begin_branch(flag);
  try {
    work(branch);
  } catch (...) {
    ex.device.abandon_branch();
    throw;
  }
  ex.device.end_branch();
}

}  // namespace copse
