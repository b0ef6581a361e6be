#include "primitives/run_if.h"

#include "primitives/core/check.h"
#include "primitives/core/context_parts.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

namespace {

void run_with(Context&, const cpu::Executor&, Work& work) {
  work.run();
}

/// Calls inside the work find the executor of the branch as that of the context.
[[maybe_unused]] void run_with(Context& context, const cuda::Executor& branch, Work& work) {
  void*& stream = context.parts().cuda_executor->stream;
  struct Restore {
    void*& stream;
    void* outer;
    ~Restore() { stream = outer; }
  } const restore{stream, stream};
  stream = branch.stream;
  work.run();
}

}  // namespace

void run_if(Context& context, BufferSpan<const u32> flag, Work& work) {
  if (flag.empty()) refuse("run_if", "the flag has no element; it takes one word");
  dispatch(context, [&](const auto& ex) {
    copse::run_if(ex, flag.data(), [&](const auto& branch) { run_with(context, branch, work); });
  });
}

}  // namespace copse::detail
