#include "primitives/segmented_scan.h"

#include "primitives/core/dispatch.h"
#include "primitives/select/flagged.h"

namespace copse {

namespace detail {

// The body: segmented_scan.inl, for either executor.
template <class Executor, class T, class Flags>
void scan_flagged_segments(const Executor& ex, const T* in, u64 n, Flags starts, bool inclusive, T* out);
template <class Executor, class T>
void scan_segments_at(const Executor& ex, const T* in, u64 n, const u64* offsets, u64 segment_count,
                      bool inclusive, T* out);

}  // namespace detail

namespace {

constexpr const char* segmented_scan_name = "segmented scan";

template <class T>
void check_values(BufferSpan<const T> in, BufferSpan<T> out) {
  detail::check_same_count(segmented_scan_name, "elements in the output", out.size(), "in the input", in.size());
  if (in.data() != out.data()) detail::check_apart(segmented_scan_name, in, out);
}

template <class T, class Flags>
void run(Context& context, BufferSpan<const T> in, Flags starts, bool inclusive, BufferSpan<T> out) {
  check_values(in, out);
  detail::check_same_count(segmented_scan_name, "flags", detail::flag_count(starts), "elements", in.size());
  detail::check_flags_and_output(segmented_scan_name, starts, out);
  dispatch(context, [&](const auto& ex) {
    detail::scan_flagged_segments(ex, in.data(), in.size(), detail::flags_of(starts), inclusive, out.data());
  });
}

template <class T>
void run_by_offsets(Context& context, BufferSpan<const T> in, BufferSpan<const u64> offsets, bool inclusive,
                    BufferSpan<T> out) {
  check_values(in, out);
  detail::check_apart(segmented_scan_name, offsets, out);
  dispatch(context, [&](const auto& ex) {
    detail::scan_segments_at(ex, in.data(), in.size(), offsets.data(), offsets.size(), inclusive, out.data());
  });
}

}  // namespace

template <class T>
void segmented_inclusive_scan(Context& context, InputSpan<T> in, BufferSpan<const u8> starts, BufferSpan<T> out) {
  run(context, in, starts, true, out);
}
template <class T>
void segmented_inclusive_scan(Context& context, InputSpan<T> in, BitSpan starts, BufferSpan<T> out) {
  run(context, in, starts, true, out);
}
template <class T>
void segmented_exclusive_scan(Context& context, InputSpan<T> in, BufferSpan<const u8> starts, BufferSpan<T> out) {
  run(context, in, starts, false, out);
}
template <class T>
void segmented_exclusive_scan(Context& context, InputSpan<T> in, BitSpan starts, BufferSpan<T> out) {
  run(context, in, starts, false, out);
}

template <class T>
void segmented_inclusive_scan_by_offsets(Context& context, InputSpan<T> in, BufferSpan<const u64> offsets,
                                         BufferSpan<T> out) {
  run_by_offsets(context, in, offsets, true, out);
}
template <class T>
void segmented_exclusive_scan_by_offsets(Context& context, InputSpan<T> in, BufferSpan<const u64> offsets,
                                         BufferSpan<T> out) {
  run_by_offsets(context, in, offsets, false, out);
}

#define COPSE_SEGMENTED_SCAN_FLAGS(T, Flags)                                                             \
  template COPSE_API void segmented_inclusive_scan(Context&, BufferSpan<const T>, Flags, BufferSpan<T>); \
  template COPSE_API void segmented_exclusive_scan(Context&, BufferSpan<const T>, Flags, BufferSpan<T>);
#define COPSE_SEGMENTED_SCAN(T)                                                                      \
  COPSE_SEGMENTED_SCAN_FLAGS(T, BufferSpan<const u8>)                                                \
  COPSE_SEGMENTED_SCAN_FLAGS(T, BitSpan)                                                             \
  template COPSE_API void segmented_inclusive_scan_by_offsets(Context&, BufferSpan<const T>,         \
                                                              BufferSpan<const u64>, BufferSpan<T>); \
  template COPSE_API void segmented_exclusive_scan_by_offsets(Context&, BufferSpan<const T>,         \
                                                              BufferSpan<const u64>, BufferSpan<T>);
COPSE_SEGMENTED_SCAN(u32)
COPSE_SEGMENTED_SCAN(u64)
COPSE_SEGMENTED_SCAN(i32)
COPSE_SEGMENTED_SCAN(i64)
#undef COPSE_SEGMENTED_SCAN
#undef COPSE_SEGMENTED_SCAN_FLAGS

}  // namespace copse
