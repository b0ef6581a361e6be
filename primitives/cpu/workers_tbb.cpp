// Workers by oneTBB. Nothing else of Copse calls oneTBB.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "primitives/cpu/tsan_annotations.h"
#include "primitives/cpu/usable_workers.h"
#include "primitives/cpu/workers.h"

namespace copse::cpu {

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
  TsanLoop loop;
  const RangeTask<RangeBody> task{body, loop};
  arena_->threads.execute([&] { tbb::parallel_for(tbb::blocked_range<u64>(0, n, grain), task); });
}

u32 usable_workers(u32 wanted) {
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return u32(std::min<size_t>(wanted, limit));
}

u32 this_worker() {
  const int worker = tbb::this_task_arena::current_thread_index();
  return worker < 0 ? 0 : u32(worker);  // negative for a thread outside of any arena
}

}  // namespace copse::cpu
