#include "primitives/reduce.h"

#include <limits>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/inputs.h"

namespace copse {

namespace detail {

// The body: reduce.inl, for either executor.
template <class Executor, class T, class Op>
void reduce_elements(const Executor& ex, const T* in, u64 n, T identity, Op op, T* out);

}  // namespace detail

namespace {

template <class T, class Op>
void run(Context& context, BufferSpan<const T> in, T identity, Op op, BufferSpan<T> out) {
  detail::check_room("reduce", "the output", out.size(), 1);
  dispatch(context,
           [&](const auto& ex) { detail::reduce_elements(ex, in.data(), in.size(), identity, op, out.data()); });
}

}  // namespace

template <class T>
void reduce_sum(Context& context, InputSpan<T> in, BufferSpan<T> out) {
  run(context, in, T{0}, Plus{}, out);
}

template <class T>
void reduce_min(Context& context, InputSpan<T> in, BufferSpan<T> out) {
  run(context, in, std::numeric_limits<T>::max(), Smaller{}, out);
}

template <class T>
void reduce_max(Context& context, InputSpan<T> in, BufferSpan<T> out) {
  run(context, in, std::numeric_limits<T>::lowest(), Larger{}, out);
}

#define COPSE_REDUCE(T)                                                             \
  template COPSE_API void reduce_sum(Context&, BufferSpan<const T>, BufferSpan<T>); \
  template COPSE_API void reduce_min(Context&, BufferSpan<const T>, BufferSpan<T>); \
  template COPSE_API void reduce_max(Context&, BufferSpan<const T>, BufferSpan<T>);
COPSE_REDUCE(u32)
COPSE_REDUCE(u64)
COPSE_REDUCE(i32)
COPSE_REDUCE(i64)
COPSE_REDUCE(float)
COPSE_REDUCE(double)
#undef COPSE_REDUCE

}  // namespace copse
