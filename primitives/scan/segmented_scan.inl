// The body of segmented_scan.cpp. Segments come as flags or as offsets, which are turned into bit flags first.

#include "primitives/flags.h"
#include "primitives/inputs.h"

namespace copse::detail {

template <class Executor, class T, class Flags>
void scan_flagged_segments(const Executor& ex, const T* in, u64 n, Flags starts, bool inclusive, T* out) {
  const char* label = "segmented scan";
  if (inclusive) {
    segmented_inclusive_scan(ex, label, n, starts, Elements<T>{in}, Plus{}, out);
  } else {
    segmented_exclusive_scan(ex, label, n, starts, Elements<T>{in}, T{0}, Plus{}, out);
  }
}

template <class Executor, class T>
void scan_segments_at(const Executor& ex, const T* in, u64 n, const u64* offsets, u64 segment_count,
                      bool inclusive, T* out) {
  ScratchArena::Frame frame(ex.scratch);
  u32* words = frame.allocate<u32>(divide_rounding_up(n, 32));
  start_bits(ex, "segmented scan: starts", n, offsets, segment_count, words);
  scan_flagged_segments(ex, in, n, BitFlags{words}, inclusive, out);
}

#define COPSE_SEGMENTED_SCAN(T)                                                                 \
  template void scan_flagged_segments(const BodyExecutor&, const T*, u64, ByteFlags, bool, T*); \
  template void scan_flagged_segments(const BodyExecutor&, const T*, u64, BitFlags, bool, T*);  \
  template void scan_segments_at(const BodyExecutor&, const T*, u64, const u64*, u64, bool, T*);
COPSE_SEGMENTED_SCAN(u32)
COPSE_SEGMENTED_SCAN(u64)
COPSE_SEGMENTED_SCAN(i32)
COPSE_SEGMENTED_SCAN(i64)
#undef COPSE_SEGMENTED_SCAN

}  // namespace copse::detail
