// On the CPU, a thread that waits gives up if what it waits for will not come.

#include <gtest/gtest.h>

#include <thread>

#include "primitives/cpu/for_each.h"
#include "primitives/cpu/waterfall.h"
#include "tests/support/backends.h"
#include "tests/support/watchdog.h"

namespace copse::test {
namespace {

struct NeverDone {
  bool operator()(u64) const { return false; }
};
struct FailsOnTheFirst {
  bool operator()(u64 i) const {
    if (i == 0) throw Error(ErrorCode::capacity, "task 0 failed");
    return false;
  }
};

struct PushNumber {
  TaskQueueView<u32> queue;
  u32 value;
  void operator()(u64) const { queue.push(value); }
};
struct FailsOnSevens {
  void operator()(u64, const u32& task, const TaskQueueView<u32>& queue) const {
    if (task == 7) throw Error(ErrorCode::capacity, "task 7 failed");
    queue.push(task + 1);
  }
};
struct DoesNothing {
  void operator()(u64, const u32&, const TaskQueueView<u32>&) const {}
};

TEST(WaterfallOnTheCpu, EndsWhenCancelled) {
  const Watchdog watchdog(300, "a cancelled waterfall");
  std::stop_source stop;
  Context context({.backend = Backend::cpu, .workers = 2, .cancel = stop.get_token()});
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  EXPECT_COPSE_ERROR(cpu::waterfall(context.cpu_executor(), "never", 1000, NeverDone{}), ErrorCode::cancelled,
                     "cancelled");
}

TEST(WaterfallOnTheCpu, EndsWhereATaskThrows) {
  const Watchdog watchdog(300, "a waterfall that throws");
  Context context({.backend = Backend::cpu, .workers = 2});
  EXPECT_COPSE_ERROR(cpu::waterfall(context.cpu_executor(), "fails", 1000, FailsOnTheFirst{}), ErrorCode::capacity,
                     "task 0 failed");
}

TEST(WaterfallOnTheCpu, ClearedQueueRunsAgainAfterATaskThrew) {
  const Watchdog watchdog(300, "a queue whose task throws");
  Context context({.backend = Backend::cpu, .workers = 2});
  const auto& ex = context.cpu_executor();
  TaskQueue<u32> queue(context, 100);
  cpu::for_each(ex, "push", 1, PushNumber{queue.view(), 0});
  EXPECT_COPSE_ERROR(cpu::run_tasks(ex, "fails", queue.view(), FailsOnSevens{}), ErrorCode::capacity,
                     "task 7 failed");
  queue.clear();
  cpu::for_each(ex, "push", 1, PushNumber{queue.view(), 0});
  cpu::run_tasks(ex, "nothing", queue.view(), DoesNothing{});
  queue.check();
}

}  // namespace
}  // namespace copse::test
