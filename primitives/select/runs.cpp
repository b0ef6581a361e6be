#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/run_length.h"
#include "primitives/unique.h"

namespace copse {

namespace detail {

// The body: runs.inl, for either executor.
template <class Executor, class T>
void find_runs(const Executor& ex, const T* in, u64 n, bool with_lengths, T* values, u32* lengths, u64* count);

}  // namespace detail

namespace {

/// Integers are compared as unsigned words of their size: these are equal if the integers are.
template <class T>
using Compared = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 4, u32, u64>, T>;

template <class T>
void run(Context& context, BufferSpan<const T> in, bool with_lengths, T* values, u32* lengths, u64* count) {
  using C = Compared<T>;
  dispatch(context, [&](const auto& ex) {
    detail::find_runs(ex, reinterpret_cast<const C*>(in.data()), in.size(), with_lengths,
                      reinterpret_cast<C*>(values), lengths, count);
  });
}

}  // namespace

template <class T>
void unique(Context& context, InputSpan<T> in, BufferSpan<T> out, BufferSpan<u64> count) {
  detail::check_room("unique", "the output", out.size(), in.size());
  detail::check_room("unique", "the count", count.size(), 1);
  detail::check_apart("unique", in, out);
  run(context, in, false, out.data(), nullptr, count.data());
}

template <class T>
void run_length_encode(Context& context, InputSpan<T> in, BufferSpan<T> values, BufferSpan<u32> lengths,
                       BufferSpan<u64> count) {
  constexpr const char* name = "run-length encode";
  constexpr u64 max_elements = 0xffffffffu;
  detail::check_room(name, "the output of values", values.size(), in.size());
  detail::check_room(name, "the output of lengths", lengths.size(), in.size());
  detail::check_room(name, "the count", count.size(), 1);
  detail::check_apart(name, in, values);
  detail::check_apart(name, in, lengths);
  detail::check_apart(name, values, lengths);
  if (in.size() > max_elements) {
    detail::refuse(name, "runs of " + std::to_string(in.size()) +
                             " elements do not fit in 32 bits; those of at most " + std::to_string(max_elements) +
                             " do");
  }
  run(context, in, true, values.data(), lengths.data(), count.data());
}

#define COPSE_RUNS(T)                                                                                      \
  template COPSE_API void unique(Context&, BufferSpan<const T>, BufferSpan<T>, BufferSpan<u64>);           \
  template COPSE_API void run_length_encode(Context&, BufferSpan<const T>, BufferSpan<T>, BufferSpan<u32>, \
                                            BufferSpan<u64>);
COPSE_RUNS(u32)
COPSE_RUNS(u64)
COPSE_RUNS(i32)
COPSE_RUNS(i64)
COPSE_RUNS(float)
COPSE_RUNS(double)
#undef COPSE_RUNS

}  // namespace copse
