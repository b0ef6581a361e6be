#pragma once

// Workers take chunks by ticket. A worker that waits yields to other threads, which may hold what it waits for. So
// any number of threads is enough, even one: it meets every task after those for which the task waits.

#include <atomic>

#include "primitives/core/atomic.h"
#include "primitives/core/warp_atomic.h"
#include "primitives/cpu/workers.h"
#include "primitives/task_queue.h"
#include "primitives/waterfall.h"

namespace copse::cpu {

namespace detail {

/// Tells whether waiting workers should give up, since a task threw or the context was cancelled.
class Abandoned {
 public:
  explicit Abandoned(const Executor& ex) : ex_(ex) {}
  explicit operator bool() const { return thrown_.load(std::memory_order_relaxed) || ex_.cancel.stop_requested(); }

  /// Runs `work`. If it throws, tells the other workers, then passes the exception on.
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      thrown_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

 private:
  const Executor& ex_;
  std::atomic<bool> thrown_{false};
};

/// Calls a task until it is done. Returns false if it was given up.
template <class Task>
bool run_waiting_task(const Task& task, u64 i, const Abandoned& abandoned) {
  for (SpinWait wait; !task(i); wait()) {
    if (abandoned) return false;
  }
  return true;
}

inline constexpr u64 waterfall_chunk = 256;

/// Takes the next chunk of a waterfall of n tasks by ticket, and runs its tasks in order.
template <class Task>
void run_next_chunk(u64* ticket, u64 n, const Task& task, const Abandoned& abandoned) {
  const u64 first = fetch_add_relaxed(ticket, u64{1}) * waterfall_chunk;
  for (u64 i = first; i < smaller(first + waterfall_chunk, n); ++i) {
    if (!run_waiting_task(task, i, abandoned)) return;
  }
}

/// Takes tasks of a queue by ticket, and runs them until none is left.
template <class T, class Task>
void run_tasks_of(const TaskQueueView<T>& queue, const Task& task, const Abandoned& abandoned) {
  while (!queue.has_ended()) {
    const u64 place = fetch_add_relaxed(&queue.counters()->ticket, u64{1});
    if (place >= queue.capacity()) return;
    T value;
    for (SpinWait wait; !queue.take(place, value); wait()) {
      if (queue.has_ended() || abandoned) return;
    }
    task(place, value, queue);
    queue.finish(1);
  }
}

}  // namespace detail

/// Contract: primitives/waterfall.h.
template <class Task>
void waterfall(const Executor& ex, const char* label, u64 n, Task task, const WaterfallOptions& = {}) {
  u64 ticket = 0;
  detail::Abandoned abandoned(ex);
  const auto run_chunk = [&] { detail::run_next_chunk(&ticket, n, task, abandoned); };
  parallel_ranges(ex, label, divide_rounding_up(n, detail::waterfall_chunk), 1, [&](u64 begin, u64 end) {
    for (u64 k = begin; k < end; ++k) abandoned.guard(run_chunk);
  });
}

/// Contract: primitives/task_queue.h.
template <class T, class Task>
void run_tasks(const Executor& ex, const char* label, const TaskQueueView<T>& queue, Task task,
               const WaterfallOptions& = {}) {
  detail::Abandoned abandoned(ex);
  const auto run_all = [&] { detail::run_tasks_of(queue, task, abandoned); };
  if (queue.accepted_count() > 0) {
    parallel_ranges(ex, label, ex.workers.count(), 1, [&](u64 begin, u64 end) {
      for (u64 k = begin; k < end; ++k) abandoned.guard(run_all);
    });
  }
  queue.reset();
}

}  // namespace copse::cpu
