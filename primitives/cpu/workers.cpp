#include "primitives/cpu/workers.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "primitives/cpu/float_mode.h"
#include "primitives/cpu/tsan_annotations.h"

namespace copse::cpu {

namespace {

/// Runs ranges of one loop, unless the context is cancelled.
struct RunRange {
  const Executor& ex;
  RangeBody body;

  void operator()(u64 begin, u64 end) const {
    if (ex.cancel.stop_requested()) return;
    const FloatMode mode;
    body(begin, end);
  }
};

}  // namespace

struct Workers::Arena {
  tbb::task_arena threads;
};

Workers::Workers(u32 count)
    : arena_(new Arena{tbb::task_arena(count == 0 ? int(tbb::task_arena::automatic) : int(count))}) {}
Workers::~Workers() = default;

u32 Workers::count() const {
  return u32(arena_->threads.max_concurrency());
}

void Workers::run(u64 n, u64 grain, RangeBody body) {
  TsanAnnotations tsan;
  const RangeTask<RangeBody> task{body, tsan};
  arena_->threads.execute([&] { tbb::parallel_for(tbb::blocked_range<u64>(0, n, grain), task); });
  tsan.join();
}

void parallel_ranges(const Executor& ex, const char* label, u64 n, u64 grain, RangeBody body) {
  throw_if_cancelled(ex);
  ex.profile.count_launch(label);
  ProfileScope scope(ex.profile, label);
  const RunRange run{ex, body};
  if (n > grain) {
    ex.workers.run(n, grain, run);
  } else if (n > 0) {
    run(0, n);
  }
  throw_if_cancelled(ex);
}

}  // namespace copse::cpu
