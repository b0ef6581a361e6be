#pragma once

// Tells the thread sanitizer what oneTBB promises: a task sees what was written before it was forked, and the
// thread that waits for a task sees what the task wrote. The sanitizer does not see this by itself, since the
// library of oneTBB is not instrumented. So what its headers compile to is not instrumented either
// (cmake/CopseSanitizers.cmake), and calls of the sanitizer repeat the promise. Races between the tasks themselves
// stay visible.

#include <oneapi/tbb/blocked_range.h>

#include "primitives/core/types.h"

#if COPSE_SHOWS_HAND_OVER
#include <sanitizer/tsan_interface.h>
#endif

namespace copse::cpu {

#if COPSE_SHOWS_HAND_OVER
class TsanAnnotations {
 public:
  TsanAnnotations() { __tsan_release(&forked_); }
  void begin_task() { __tsan_acquire(&forked_); }
  void end_task() { __tsan_release(&joined_); }
  void join() { __tsan_acquire(&joined_); }

 private:
  char forked_, joined_;
};
#else
class TsanAnnotations {
 public:
  void begin_task() {}
  void end_task() {}
  void join() {}
};
#endif

/// Calls body(begin, end) for a range of oneTBB.
template <class Body>
struct RangeTask {
  const Body& body;
  TsanAnnotations& tsan;

  void operator()(const tbb::blocked_range<u64>& range) const {
    const Body& run = body;
    TsanAnnotations& edge = tsan;
    const u64 begin = range.begin(), end = range.end();
    edge.begin_task();
    run(begin, end);
    edge.end_task();
  }
};

}  // namespace copse::cpu
