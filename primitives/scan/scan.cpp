#include "primitives/scan.h"

#include <string>

#include "primitives/core/dispatch.h"
#include "primitives/scan/scan_body.h"

namespace copse {

namespace {

template <class T>
void run(Context& context, BufferSpan<const T> in, bool inclusive, BufferSpan<T> out) {
  if (in.size() != out.size()) {
    throw Error(ErrorCode::invalid_argument, "scan: the output has " + std::to_string(out.size()) +
                                                 " elements, the input " + std::to_string(in.size()));
  }
  dispatch(context,
           [&](const auto& ex) { detail::scan_elements(ex, in.data(), in.size(), inclusive, out.data()); });
}

}  // namespace

template <class T>
void inclusive_scan(Context& context, BufferSpan<const T> in, BufferSpan<T> out) {
  run(context, in, true, out);
}

template <class T>
void exclusive_scan(Context& context, BufferSpan<const T> in, BufferSpan<T> out) {
  run(context, in, false, out);
}

#define COPSE_SCAN(T)                                                         \
  template void inclusive_scan(Context&, BufferSpan<const T>, BufferSpan<T>); \
  template void exclusive_scan(Context&, BufferSpan<const T>, BufferSpan<T>);
COPSE_SCAN(u32)
COPSE_SCAN(u64)
COPSE_SCAN(i32)
COPSE_SCAN(i64)
#undef COPSE_SCAN

}  // namespace copse
