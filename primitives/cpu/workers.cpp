#include "primitives/cpu/workers.h"

#include "primitives/cpu/float_mode.h"

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
