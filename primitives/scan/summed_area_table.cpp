#include "primitives/summed_area_table.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: summed_area_table.inl, for either executor.
template <class Executor, class T>
void sum_areas(const Executor& ex, u64 width, u64 height, const T* in, T* out);

}  // namespace detail

namespace {

constexpr const char* summed_area_table_name = "summed-area table";

template <class T>
void check(u64 width, u64 height, BufferSpan<const T> in, BufferSpan<T> out) {
  const bool fits = in.size() == out.size() && (width == 0 ? in.empty() : in.size() / width == height) &&
                    (width == 0 || in.size() % width == 0);
  if (!fits) {
    detail::refuse(summed_area_table_name, "an input of " + detail::counted(in.size(), "elements") +
                                               " and an output of " + std::to_string(out.size()) +
                                               " for an image of " + std::to_string(width) + " by " +
                                               std::to_string(height));
  }
  if (in.data() != out.data())
    detail::check_apart(summed_area_table_name, in, out, "the output overlaps the input in part");
}

}  // namespace

template <class T>
void summed_area_table(Context& context, u64 width, u64 height, InputSpan<T> in, BufferSpan<T> out) {
  check(width, height, in, out);
  if (in.empty()) return;
  dispatch(context, [&](const auto& ex) { detail::sum_areas(ex, width, height, in.data(), out.data()); });
}

template COPSE_API void summed_area_table(Context&, u64, u64, BufferSpan<const u32>, BufferSpan<u32>);
template COPSE_API void summed_area_table(Context&, u64, u64, BufferSpan<const u64>, BufferSpan<u64>);
template COPSE_API void summed_area_table(Context&, u64, u64, BufferSpan<const i32>, BufferSpan<i32>);
template COPSE_API void summed_area_table(Context&, u64, u64, BufferSpan<const i64>, BufferSpan<i64>);
template COPSE_API void summed_area_table(Context&, u64, u64, BufferSpan<const float>, BufferSpan<float>);
template COPSE_API void summed_area_table(Context&, u64, u64, BufferSpan<const double>, BufferSpan<double>);

}  // namespace copse
