#pragma once

// Tells the thread sanitizer what oneTBB promises: a task sees what was written before it was forked, and the
// thread that waits for a task sees what the task wrote. The sanitizer does not see this by itself, since the
// library of oneTBB is not instrumented. So what its headers compile to is not instrumented either
// (cmake/CopseSanitizers.cmake), and calls of the sanitizer repeat the promise. Races between the tasks themselves
// stay visible.

#include <oneapi/tbb/blocked_range.h>

#include "primitives/core/types.h"

#if COPSE_SHOWS_HAND_OVER
// Functions of the sanitizer, as its <sanitizer/tsan_interface.h> has them.
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace copse::cpu {

/// A loop over tasks, for as long as the object lives. A task may throw.
class TsanLoop {
 public:
#if COPSE_SHOWS_HAND_OVER
  TsanLoop() {
    __tsan_release(&forked_);
  }
  ~TsanLoop() {
    __tsan_acquire(&joined_);
  }
  void begin_task() {
    __tsan_acquire(&forked_);
  }
  void end_task() {
    __tsan_release(&joined_);
  }
#else
  TsanLoop() = default;
  void begin_task() {}
  void end_task() {}
#endif
  TsanLoop(const TsanLoop&) = delete;
  TsanLoop& operator=(const TsanLoop&) = delete;

 private:
  [[maybe_unused]] char forked_ = 0, joined_ = 0;
};

/// A task of a loop.
class TsanTask {
 public:
  explicit TsanTask(TsanLoop& loop) : loop_(loop) { loop_.begin_task(); }
  ~TsanTask() { loop_.end_task(); }
  TsanTask(const TsanTask&) = delete;
  TsanTask& operator=(const TsanTask&) = delete;

 private:
  TsanLoop& loop_;
};

/// Calls body(begin, end) for a range of oneTBB.
template <class Body>
struct RangeTask {
  const Body& body;
  TsanLoop& loop;

  void operator()(const tbb::blocked_range<u64>& range) const {
    const Body& run = body;
    const u64 begin = range.begin(), end = range.end();
    const TsanTask task(loop);
    run(begin, end);
  }
};

}  // namespace copse::cpu
