#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <xmmintrin.h>

#include "primitives/core/bits.h"
#include "primitives/core/executor.h"
#include "primitives/core/types.h"
#include "primitives/cpu/tsan_annotations.h"

namespace copse::cpu {

/// The threads of one context.
class Workers {
 public:
  /// Makes `count` threads, or, if it is 0, one for each core that the process may use.
  explicit Workers(u32 count) : arena_(count == 0 ? int(tbb::task_arena::automatic) : int(count)) {}

  u32 count() const { return u32(const_cast<tbb::task_arena&>(arena_).max_concurrency()); }
  tbb::task_arena& arena() { return arena_; }

 private:
  tbb::task_arena arena_;
};

/// Sets round to nearest, with denormals, for the life of the object; restores the mode of the caller at its end.
class FloatMode {
 public:
  FloatMode() : before_(_mm_getcsr()) { _mm_setcsr((before_ & ~changed_bits) | 0x1f80u); }
  ~FloatMode() { _mm_setcsr(before_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  // Flush to zero, rounding mode and denormals are zero: bits 15, 14..13 and 6.
  static constexpr u32 changed_bits = 0x8000u | 0x6000u | 0x0040u;
  u32 before_;
};

/// Calls body(begin, end) on all workers, for ranges of about `grain` elements at most that cover 0 to n.
/// Throws: Error cancelled; any exception of `body`.
template <class Body>
void parallel_ranges(const Executor& ex, const char* label, u64 n, u64 grain, const Body& body) {
  throw_if_cancelled(ex);
  ex.profile.count_launch(label);
  ProfileScope scope(ex.profile, label);
  const auto run = [&](u64 begin, u64 end) {
    if (ex.cancel.stop_requested()) return;
    const FloatMode mode;
    body(begin, end);
  };
  if (n <= grain) {
    if (n > 0) run(0, n);
  } else {
    TsanAnnotations tsan;
    const RangeTask<decltype(run)> task{run, tsan};
    ex.workers.arena().execute([&] { tbb::parallel_for(tbb::blocked_range<u64>(0, n, grain), task); });
    tsan.join();
  }
  throw_if_cancelled(ex);
}

}  // namespace copse::cpu
