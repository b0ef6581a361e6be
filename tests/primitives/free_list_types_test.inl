// Many threads allocate and free nodes at the same time, on each backend.

#include <algorithm>

#include "primitives/core/warp_atomic.h"
#include "primitives/free_list.h"
#include "tests/support/body_test.h"
#include "tests/support/two_contexts.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

struct Allocate {
  FreeListView list;
  u32* nodes;
  COPSE_HD void operator()(u64 i) const { nodes[i] = list.allocate(); }
};
struct Free {
  FreeListView list;
  const u32* nodes;
  COPSE_HD void operator()(u64 i) const { list.free(nodes[i]); }
};

/// Takes nodes and gives them back, several times in a row. Checks that no other thread has the same node. A plain
/// word per node counts its users.
struct Churn {
  FreeListView list;
  u32 rounds;
  u32* holders;  // [node]
  u32* uses;     // [node], plain
  u32* counts;   // all uses, and faults

  COPSE_HD void operator()(u64) const {
    for (u32 round = 0; round < rounds; ++round) {
      const u32 node = list.allocate();
      if (node == invalid_id) continue;
      if (fetch_add_relaxed(holders + node, 1u) != 0) fetch_add_relaxed(counts + 1, 1u);
      ++uses[node];
      fetch_add_relaxed(counts, 1u);
      fetch_add_relaxed(holders + node, ~0u);
      list.free(node);
    }
  }
};

/// Tries until it has held a node once.
struct InsistOnNode {
  FreeListView list;
  u32* uses;
  COPSE_HD void operator()(u64) const {
    bool done = false;
    for (SpinWait wait; !all_lanes_done(done); wait()) {
      const u32 node = done ? invalid_id : list.allocate();
      if (node == invalid_id) continue;
      ++uses[node];
      list.free(node);
      done = true;
    }
  }
};

template <class Executor>
class FreeLists : public test::BodyTest<Executor> {
 protected:
  /// Runs `thread_count` threads on `capacity` nodes. Returns how many allocations were refused.
  u64 churn(u64 thread_count, u64 capacity, u32 rounds) {
    return churn_on(this->context(), thread_count, capacity, rounds);
  }

  static u64 churn_on(Context& context, u64 thread_count, u64 capacity, u32 rounds) {
    FreeList list(context, capacity);
    Buffer<u32> holders(context, std::vector<u32>(capacity, 0)), uses(context, holders.download()),
        counts(context, std::vector<u32>{0, 0});
    const Churn functor{list.view(), rounds, holders.data(), uses.data(), counts.data()};
    for_each(test::BodyTest<Executor>::executor_of(context), "test", thread_count, functor);
    const std::vector<u32> used = uses.download(), seen = counts.download();
    u64 sum = 0;
    for (u32 of_one : used) sum += of_one;
    EXPECT_EQ(sum, seen[0]);
    EXPECT_EQ(seen[1], 0u);
    const FreeListReport report = list.report();
    EXPECT_EQ(report.held_count, 0u);
    EXPECT_EQ(report.bad_free_count, 0u);
    EXPECT_EQ(report.refused_count + sum, thread_count * rounds);
    return report.refused_count;
  }

  /// Checks that each node is handed out once, and that no further node is.
  void take_all(FreeList& list, u64 too_many) {
    const u64 n = list.capacity() + too_many;
    Buffer<u32> nodes(this->context(), n);
    for_each(this->executor(), "test", n, Allocate{list.view(), nodes.data()});
    std::vector<u32> numbers = nodes.download();
    std::sort(numbers.begin(), numbers.end());
    for (u64 k = 0; k < n; ++k) ASSERT_EQ(numbers[k], k < list.capacity() ? u32(k) : invalid_id) << k;
    EXPECT_EQ(list.report().held_count, list.capacity());
    EXPECT_EQ(list.report().refused_count, too_many);
  }

 private:
  test::Watchdog watchdog_{300, "a test of free lists"};
};
TYPED_TEST_SUITE(FreeLists, TheBackend, BackendName);

TYPED_TEST(FreeLists, HandOutEveryNodeOnce) {
  for (u64 capacity : {1, 2, 31, 32, 33, 1000, 1024, 70001}) {
    FreeList list(this->context(), capacity);
    this->take_all(list, 0);
    list.check();
  }
}

TYPED_TEST(FreeLists, RefuseAndCountWhatIsTooMuch) {
  FreeList list(this->context(), 1000);
  this->take_all(list, 137);
  EXPECT_COPSE_ERROR(list.check(), ErrorCode::capacity, "137");
  EXPECT_COPSE_ERROR(list.check(), ErrorCode::capacity, "1000");
  list.clear();
  list.check();
  this->take_all(list, 0);
}

TYPED_TEST(FreeLists, TakeNodesBackAndHandThemOutAgain) {
  const u64 capacity = 300;
  FreeList list(this->context(), capacity);
  Buffer<u32> nodes(this->context(), capacity);
  for (int round = 0; round < 1000; ++round) {
    for_each(this->executor(), "test", capacity, Allocate{list.view(), nodes.data()});
    const u64 held = round % 100 == 99 ? list.report().held_count : capacity;
    ASSERT_EQ(held, capacity) << round;
    for_each(this->executor(), "test", capacity, Free{list.view(), nodes.data()});
  }
  list.check();
  this->take_all(list, 5);
}

TYPED_TEST(FreeLists, LeaveAloneWhatWasNotAllocated) {
  FreeList list(this->context(), 100);
  Buffer<u32> nodes(this->context(), 100);
  for_each(this->executor(), "test", 50, Allocate{list.view(), nodes.data()});
  const u32 held = nodes.download()[0];
  const Buffer<u32> bad(this->context(), std::vector<u32>{100, 0x7fffffffu, invalid_id, held, held, held});
  for_each(this->executor(), "test", bad.size(), Free{list.view(), bad.data()});
  EXPECT_EQ(list.report().bad_free_count, 5u);
  EXPECT_EQ(list.report().held_count, 49u);
  EXPECT_COPSE_ERROR(list.check(), ErrorCode::invalid_argument, "5 nodes");
}

TYPED_TEST(FreeLists, NeverRefuseWhereThereIsOneForEach) {
  for (u64 n : {1, 32, 33, 1000, 30000}) EXPECT_EQ(this->churn(n, n, 20), 0u) << n;
}

TYPED_TEST(FreeLists, AreSharedByMoreThanTheyHold) {
  for (u64 capacity : {1, 3, 32, 500}) this->churn(20000, capacity, 3);
}

TYPED_TEST(FreeLists, ServeAMultiprocessorFullOfThreads) {
  for (int k = 0; k < 20; ++k) EXPECT_EQ(this->churn(2048, 2048, 10), 0u);
}

TYPED_TEST(FreeLists, PassOneNodeThroughAllThreads) {
  for (u64 n : {1, 32, 3000}) {
    FreeList list(this->context(), 1);
    Buffer<u32> uses(this->context(), std::vector<u32>{0});
    for_each(this->executor(), "test", n, InsistOnNode{list.view(), uses.data()});
    EXPECT_EQ(uses.download()[0], n);
  }
}

TYPED_TEST(FreeLists, ServeTwoContextsAtOnce) {
  test::on_two_contexts(body_backend, [&](Context& context) {
    for (int k = 0; k < 10; ++k) this->churn_on(context, 5000, 70, 3);
  });
}

TYPED_TEST(FreeLists, AreFilledAndEmptiedInAGraph) {
  FreeList list(this->context(), 1000);
  Buffer<u32> nodes(this->context(), 1000);
  Graph graph = this->context().capture([&] {
    for_each(this->executor(), "test", 1000, Allocate{list.view(), nodes.data()});
    for_each(this->executor(), "test", 1000, Free{list.view(), nodes.data()});
  });
  for (int k = 0; k < 5; ++k) graph.launch();
  list.check();
  EXPECT_EQ(list.report().held_count, 0u);
}

TYPED_TEST(FreeLists, LargeCrowd) {
  EXPECT_EQ(this->churn(1000000, 1000000, 5), 0u);
  this->churn(1000000, 1000, 5);
}

}  // namespace
}  // namespace copse::detail
