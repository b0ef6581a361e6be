#include "primitives/scan.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: scan.inl, for either executor.
template <class Executor, class T>
void scan_elements(const Executor& ex, const T* in, u64 n, bool inclusive, T* out);

}  // namespace detail

namespace {

template <class T>
void run(Context& context, BufferSpan<const T> in, bool inclusive, BufferSpan<T> out) {
  if (in.size() != out.size()) {
    detail::refuse("scan", "the output has " + detail::counted(out.size(), "elements") + ", but the input has " +
                               std::to_string(in.size()));
  }
  dispatch(context,
           [&](const auto& ex) { detail::scan_elements(ex, in.data(), in.size(), inclusive, out.data()); });
}

}  // namespace

template <class T>
void inclusive_scan(Context& context, InputSpan<T> in, BufferSpan<T> out) {
  run(context, in, true, out);
}

template <class T>
void exclusive_scan(Context& context, InputSpan<T> in, BufferSpan<T> out) {
  run(context, in, false, out);
}

#define COPSE_SCAN(T)                                                                   \
  template COPSE_API void inclusive_scan(Context&, BufferSpan<const T>, BufferSpan<T>); \
  template COPSE_API void exclusive_scan(Context&, BufferSpan<const T>, BufferSpan<T>);
COPSE_SCAN(u32)
COPSE_SCAN(u64)
COPSE_SCAN(i32)
COPSE_SCAN(i64)
#undef COPSE_SCAN

}  // namespace copse
