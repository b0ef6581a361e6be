#pragma once

// Tells the thread sanitizer what oneTBB promises: a task sees what was written before it was forked, and the
// thread that waits for a task sees what the task wrote. The sanitizer does not see this by itself, since the
// library of oneTBB is not instrumented. So under the sanitizer our own atomics repeat the promise. Races between
// the tasks themselves stay visible. tests/support/tsan.supp excludes this file, since oneTBB copies its tasks.

#include <oneapi/tbb/blocked_range.h>

#include <atomic>

#include "primitives/core/sanitizers.h"
#include "primitives/core/types.h"

namespace copse::cpu {

#if COPSE_THREAD_SANITIZER
class TsanAnnotations {
 public:
  TsanAnnotations() { forked_.store(1, std::memory_order_release); }
  void begin_task() { (void)forked_.load(std::memory_order_acquire); }
  void end_task() { joined_.fetch_add(1, std::memory_order_release); }
  void join() { (void)joined_.load(std::memory_order_acquire); }

 private:
  std::atomic<u32> forked_{0};
  std::atomic<u32> joined_{0};
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
