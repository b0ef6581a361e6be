// Tests several stages in one launch, work counters and locks, on each backend.

#include <gtest/gtest.h>

#include "primitives/spin_lock.h"
#include "tests/support/body_test.h"
#include "tests/support/sizes.h"
#include "tests/support/two_contexts.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

/// Each stage reads what neighbours wrote in the stage before. Some of these neighbours are far away.
struct Diffuse {
  u32* fields[2];
  u64 n;

  COPSE_HD u64 size(u32) const { return n; }
  COPSE_HD void operator()(u32 stage, u64 i) const {
    const u32* from = fields[stage % 2];
    fields[(stage + 1) % 2][i] = from[i] * 3 + from[(i + 1) % n] + from[(i + n / 2) % n] + stage;
  }
};

/// Breadth-first search over the complete binary tree. Only the device knows the size of its frontier.
struct SearchTree {
  u64 node_count;
  u32* frontiers[2];
  u32* sizes;  // one per stage, and one more
  u32* depths;

  COPSE_HD u64 size(u32 stage) const { return sizes[stage] == 0 ? no_more_stages : sizes[stage]; }
  COPSE_HD void operator()(u32 stage, u64 i) const {
    const u64 node = frontiers[stage % 2][i];
    depths[node] = stage;
    for (u64 child : {2 * node + 1, 2 * node + 2}) {
      if (child >= node_count) continue;
      frontiers[(stage + 1) % 2][fetch_add_relaxed(sizes + stage + 1, 1u)] = u32(child);
    }
  }
};

/// Stage s has one element. The next stage depends on its count.
struct CountStages {
  u64* count;
  COPSE_HD u64 size(u32 stage) const { return *count == stage ? 1 : 0; }
  COPSE_HD void operator()(u32, u64) const { ++*count; }
};

struct CountVisits {
  u32* visits;
  COPSE_HD void operator()(u64 i) const { fetch_add_relaxed(visits + i, 1u); }
};

/// Adds one to each of two counters. Only a lock keeps them equal.
struct BothCounters {
  u64* first;
  u64* second;
  COPSE_HD void operator()() const {
    const u64 a = *first;
    *second = *second + 1;
    *first = a + 1;
  }
};
struct CountUnderLocks {
  SpinLock* locks;
  u64* counters;  // two per lock
  u64 lock_count;
  COPSE_HD void operator()(u64 i) const {
    const u64 k = (u32(i) * 2654435761u >> 8) % lock_count;
    locked(locks[k], BothCounters{counters + 2 * k, counters + 2 * k + 1});
  }
};
struct TryOnce {
  SpinLock* lock;
  u64* entered;
  u64* successes;
  COPSE_HD void operator()(u64) const {
    if (lock->try_lock()) {
      *entered = *entered + 1;
      lock->unlock();
      fetch_add_relaxed(successes, u64{1});
    }
  }
};

template <class Executor>
class PersistentTypes : public test::BodyTest<Executor> {
 protected:
  Executor small_executor() {
    Executor ex = this->executor();
    if constexpr (body_backend == Backend::cuda) ex.multiprocessor_count = 1;
    return ex;
  }
  template <class T>
  Buffer<T> zeros(u64 n) {
    return Buffer<T>(this->context(), std::vector<T>(n, T(0)));
  }

  void expect_diffuses(const Executor& ex, u64 n, u32 stage_count) {
    std::vector<u32> fields[2] = {std::vector<u32>(n), std::vector<u32>(n)};
    for (u64 i = 0; i < n; ++i) fields[0][i] = u32(i * 2654435761u);
    Buffer<u32> a(this->context(), fields[0]), b(this->context(), n);
    const Diffuse slow{{fields[0].data(), fields[1].data()}, n};
    for (u32 stage = 0; stage < stage_count; ++stage) {
      for (u64 i = 0; i < n; ++i) slow(stage, i);
    }
    persistent_stages(ex, "diffuse", stage_count, Diffuse{{a.data(), b.data()}, n});
    ASSERT_EQ((stage_count % 2 == 0 ? a : b).download(), fields[stage_count % 2]) << n << ", " << stage_count;
  }

  void expect_counts(const Executor& ex, u64 n, u64 lock_count) {
    Buffer<SpinLock> locks(this->context(), lock_count);
    fill_bytes(ex, "free locks", locks.data(), lock_count, 0);
    auto counters = zeros<u64>(2 * lock_count);
    for_each(ex, "count", n, CountUnderLocks{locks.data(), counters.data(), lock_count});
    std::vector<u64> expected(2 * lock_count);
    for (u64 i = 0; i < n; ++i) {
      const u64 k = (u32(i) * 2654435761u >> 8) % lock_count;
      ++expected[2 * k];
      ++expected[2 * k + 1];
    }
    ASSERT_EQ(counters.download(), expected) << lock_count;
  }

 private:
  test::Watchdog watchdog_{300, "a test of persistent threads"};
};
TYPED_TEST_SUITE(PersistentTypes, TheBackend, BackendName);

TYPED_TEST(PersistentTypes, StagesSeeWhatAllEarlierStagesWrote) {
  for (u64 n : {1, 2, 33, 5000, 300000}) this->expect_diffuses(this->executor(), n, 7);
  this->expect_diffuses(this->small_executor(), 50000, 7);
  this->expect_diffuses(this->executor(), 1000, 0);
  this->expect_diffuses(this->executor(), 1000, 1);
}

TYPED_TEST(PersistentTypes, ManyStagesMeetEveryTime) {
  this->expect_diffuses(this->executor(), 3000, 1000);
  this->expect_diffuses(this->small_executor(), 3000, 1000);
}

TYPED_TEST(PersistentTypes, StagesKnowTheirSizeFromEarlierOnes) {
  for (u64 n : {1, 2, 1000, 65537}) {
    std::vector<u32> sizes(40);
    sizes[0] = 1;
    Buffer<u32> device_sizes(this->context(), sizes);
    auto a = this->template zeros<u32>(n), b = this->template zeros<u32>(n), depths = this->template zeros<u32>(n);
    persistent_stages(this->executor(), "search", 39,
                      SearchTree{n, {a.data(), b.data()}, device_sizes.data(), depths.data()});
    const auto got = depths.download();
    for (u64 i = 0; i < n; ++i) ASSERT_EQ(got[i], 31 - leading_zeros(u32(i + 1))) << i << " of " << n;
  }
}

TYPED_TEST(PersistentTypes, StagesRunOneAfterTheOther) {
  auto count = this->template zeros<u64>(1);
  persistent_stages(this->executor(), "count", 500, CountStages{count.data()});
  EXPECT_EQ(count.download()[0], 500u);
}

TYPED_TEST(PersistentTypes, WorkCounterVisitsEveryElementOnce) {
  for (u64 n : test::boundary_sizes()) {
    for (u64 chunk : {u64{1}, u64{32}, u64{100}, ~u64{0}}) {
      auto visits = this->template zeros<u32>(n);
      persistent_for_each(this->executor(), "visit", n, chunk, CountVisits{visits.data()});
      ASSERT_EQ(visits.download(), std::vector<u32>(n, 1)) << n << " by " << chunk;
    }
  }
  auto visits = this->template zeros<u32>(100003);
  persistent_for_each(this->small_executor(), "visit", 100003, 64, CountVisits{visits.data()});
  EXPECT_EQ(visits.download(), std::vector<u32>(100003, 1));
}

TYPED_TEST(PersistentTypes, WorkCounterRefusesEmptyChunks) {
  auto visits = this->template zeros<u32>(1);
  EXPECT_COPSE_ERROR(persistent_for_each(this->executor(), "visit", 1, 0, CountVisits{visits.data()}),
                     ErrorCode::invalid_argument, "chunks of 0 elements");
}

TYPED_TEST(PersistentTypes, ReplaysInAGraph) {
  auto count = this->template zeros<u64>(1);
  auto visits = this->template zeros<u32>(1000);
  Graph graph = this->context().capture([&] {
    fill_bytes(this->executor(), "clear", count.data(), 1, 0);
    persistent_stages(this->executor(), "count", 5, CountStages{count.data()});
    persistent_for_each(this->executor(), "visit", 1000, 32, CountVisits{visits.data()});
  });
  for (u32 repeat = 1; repeat <= 30; ++repeat) {
    graph.launch();
    ASSERT_EQ(count.download()[0], 5u);
    ASSERT_EQ(visits.download(), std::vector<u32>(1000, repeat));
  }
}

TYPED_TEST(PersistentTypes, AThousandTimesAtOnceOnTwoContexts) {
  test::on_two_contexts(body_backend, [](Context& own) {
    const auto& ex = test::BodyTest<TypeParam>::executor_of(own);
    Buffer<u64> count(own, 1);
    Buffer<u32> visits(own, std::vector<u32>(5000, 0));
    for (u32 repeat = 1; repeat <= 1000; ++repeat) {
      fill_bytes(ex, "clear", count.data(), 1, 0);
      persistent_stages(ex, "count", 9, CountStages{count.data()});
      persistent_for_each(ex, "visit", 5000, 96, CountVisits{visits.data()});
      if (repeat % 50 != 0) continue;
      ASSERT_EQ(count.download()[0], 9u);
    }
    EXPECT_EQ(visits.download(), std::vector<u32>(5000, 1000));
  });
}

TYPED_TEST(PersistentTypes, LocksKeepCountersInStep) {
  for (u64 lock_count : {1, 3, 1000}) this->expect_counts(this->executor(), 20000, lock_count);
  this->expect_counts(this->small_executor(), 3000, 1);
}

TYPED_TEST(PersistentTypes, AThousandLockedRunsOfOneWarpEnd) {
  Buffer<SpinLock> lock(this->context(), 1);
  fill_bytes(this->executor(), "free the lock", lock.data(), 1, 0);
  auto counters = this->template zeros<u64>(2);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    for_each(this->executor(), "count", 32, CountUnderLocks{lock.data(), counters.data(), 1});
  }
  EXPECT_EQ(counters.download(), std::vector<u64>(2, 32000));
}

TYPED_TEST(PersistentTypes, TryLockLetsOneInAtATime) {
  Buffer<SpinLock> lock(this->context(), 1);
  fill_bytes(this->executor(), "free the lock", lock.data(), 1, 0);
  auto entered = this->template zeros<u64>(1), successes = this->template zeros<u64>(1);
  for_each(this->executor(), "try", 10000, TryOnce{lock.data(), entered.data(), successes.data()});
  EXPECT_GE(entered.download()[0], 1u);
  EXPECT_EQ(entered.download(), successes.download());
}

}  // namespace
}  // namespace copse::detail
