// Pushes to queues in each way there is, on each backend.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/body_test.h"
#include "tests/support/sizes.h"
#include "tests/support/two_contexts.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

struct Photon {
  float position[3];
  u32 id;
  bool operator==(const Photon&) const = default;
};

COPSE_HD u32 hash_of(u64 i) {
  return u32(i * 2654435761u + 12345) * 2246822519u;
}

struct HashOfIndex {
  COPSE_HD u32 operator()(u64 i) const { return hash_of(i); }
};
struct WideHash {
  COPSE_HD u64 operator()(u64 i) const { return u64{hash_of(i)} << 32 | u32(i); }
};
struct PhotonOfIndex {
  COPSE_HD Photon operator()(u64 i) const { return {{float(i), 1, 2}, hash_of(i)}; }
};

struct SelectBelow {
  u64 limit;
  COPSE_HD bool operator()(u64 i) const { return (hash_of(i) >> 8) < limit; }
};
struct SelectValueBelow {
  u32 limit;
  COPSE_HD bool operator()(u64, u32 value) const { return value < limit; }
};
inline constexpr u64 select_all = u64{1} << 24;

struct PushAlone {
  QueueView<u32> queue;
  SelectBelow predicate;
  COPSE_HD void operator()(u64 i) const {
    if (predicate(i)) queue.push(hash_of(i));
  }
};
struct PushByWarp {
  QueueView<u32> queue;
  SelectBelow predicate;
  COPSE_HD void operator()(u64 i) const {
    if (predicate(i)) queue.push_by_warp(hash_of(i));
  }
};

/// Pushes 0 to 7 copies of the index.
struct PushSeveral {
  QueueView<u32> queue;
  COPSE_HD void operator()(u64 i) const {
    const u32 count = hash_of(i) >> 29;
    const u64 place = queue.reserve_by_warp(count);
    for (u32 k = 0; k < count; ++k) queue.store(place + k, u32(i));
  }
};

/// The lanes of a warp push to different queues at the same time.
struct PushToOneOfFour {
  QueueView<u32> queues[4];
  COPSE_HD void operator()(u64 i) const { queues[hash_of(i) >> 30].push_by_warp(u32(i)); }
};

struct PushToEither {
  DoubleQueueView<u32> queues;
  SelectBelow predicate;
  COPSE_HD void operator()(u64 i) const { queues.push(u32(i), predicate(i)); }
};

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  const auto bytes_before = [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) < 0; };
  std::sort(values.begin(), values.end(), bytes_before);
  return values;
}

template <class Predicate, class Input>
auto selected_of(u64 n, Predicate predicate, Input input, bool take = true) {
  std::vector<decltype(input(u64{0}))> selected;
  for (u64 i = 0; i < n; ++i) {
    if (predicate(i) == take) selected.push_back(input(i));
  }
  return sorted(std::move(selected));
}

template <class Executor>
class EnqueueTypes : public test::BodyTest<Executor> {
 protected:
  Executor small_executor() {
    Executor ex = this->executor();
    if constexpr (body_backend == Backend::cuda) ex.multiprocessor_count = 1;
    return ex;
  }

  template <class Input>
  void expect_same_set(u64 n, SelectBelow predicate, Input input) {
    using T = decltype(input(u64{0}));
    const auto expected = selected_of(n, predicate, input);
    Queue<T> queue(this->context(), expected.size());
    enqueue_if(this->executor(), "enqueue", n, predicate, input, queue.view());
    queue.check();
    ASSERT_EQ(sorted(queue.download()), expected) << n << " of which " << predicate.limit;
  }

 private:
  test::Watchdog watchdog_{300, "a test of queues"};
};
TYPED_TEST_SUITE(EnqueueTypes, TheBackend, BackendName);

TYPED_TEST(EnqueueTypes, BulkPushesTheSetThatIsKept) {
  for (u64 n : test::boundary_sizes()) {
    for (u64 limit : {u64{0}, select_all / 2, select_all})
      this->expect_same_set(n, SelectBelow{limit}, HashOfIndex{});
  }
}

TYPED_TEST(EnqueueTypes, BulkTakesWideTypesAndStructs) {
  for (u64 n : {1, 1000, 8193, 50000}) {
    this->expect_same_set(n, SelectBelow{select_all / 3}, WideHash{});
    this->expect_same_set(n, SelectBelow{select_all / 3}, PhotonOfIndex{});
  }
}

TYPED_TEST(EnqueueTypes, BulkReadsArraysAndAsksForTheirValues) {
  const u64 n = 100003;
  std::vector<u32> host(n);
  for (u64 i = 0; i < n; ++i) host[i] = hash_of(i);
  const Buffer<u32> in(this->context(), host);
  for (u64 offset : {0, 1, 2, 3}) {
    const SelectValueBelow predicate{1u << 30};
    std::vector<u32> expected;
    for (u64 i = offset; i < n; ++i) {
      if (predicate(0, host[i])) expected.push_back(host[i]);
    }
    Queue<u32> queue(this->context(), n);
    enqueue_if(this->executor(), "enqueue", n - offset, predicate, Elements<u32>{in.data() + offset},
               queue.view());
    ASSERT_EQ(sorted(queue.download()), sorted(expected)) << offset;
  }
}

TYPED_TEST(EnqueueTypes, BulkKeepsElementsOfEarlierCalls) {
  Queue<u32> queue(this->context(), 5000);
  const SelectBelow all{select_all};
  enqueue_if(this->executor(), "first", 2000, all, HashOfIndex{}, queue.view());
  enqueue_if(this->small_executor(), "second", 3000, all, HashOfIndex{}, queue.view());
  auto expected = selected_of(2000, all, HashOfIndex{});
  const auto second = selected_of(3000, all, HashOfIndex{});
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(sorted(queue.download()), sorted(expected));
  queue.clear();
  EXPECT_EQ(queue.size(), 0u);
}

TYPED_TEST(EnqueueTypes, PushesByThreadAndByWarpAreTheSameSet) {
  for (u64 n : {1, 31, 32, 33, 1000, 100000}) {
    const SelectBelow predicate{select_all / 2};
    const auto expected = selected_of(n, predicate, HashOfIndex{});
    Queue<u32> queue(this->context(), n);
    for_each(this->executor(), "push", n, PushAlone{queue.view(), predicate});
    ASSERT_EQ(sorted(queue.download()), expected) << n;
    queue.clear();
    for_each(this->executor(), "push by warp", n, PushByWarp{queue.view(), predicate});
    ASSERT_EQ(sorted(queue.download()), expected) << n;
  }
}

TYPED_TEST(EnqueueTypes, LanesPushDifferentCounts) {
  for (u64 n : {1, 33, 20000}) {
    std::vector<u32> expected;
    for (u32 i = 0; i < n; ++i) expected.insert(expected.end(), hash_of(i) >> 29, i);
    Queue<u32> queue(this->context(), 7 * n);
    for_each(this->executor(), "push several", n, PushSeveral{queue.view()});
    auto got = queue.download();
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, expected) << n;
  }
}

TYPED_TEST(EnqueueTypes, LanesPushToDifferentQueues) {
  const u64 n = 20000;
  std::vector<Queue<u32>> queues;
  for (int k = 0; k < 4; ++k) queues.emplace_back(this->context(), n);
  for_each(this->executor(), "push to one of four", n,
           PushToOneOfFour{{queues[0].view(), queues[1].view(), queues[2].view(), queues[3].view()}});
  for (u32 k = 0; k < 4; ++k) {
    std::vector<u32> expected;
    for (u32 i = 0; i < n; ++i) {
      if (hash_of(i) >> 30 == k) expected.push_back(i);
    }
    auto got = queues[k].download();
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, expected) << k;
  }
}

TYPED_TEST(EnqueueTypes, FullQueueRefusesTheRestAndWritesNothingPastItsEnd) {
  const u64 n = 40000, capacity = 12345;
  const SelectBelow all{select_all};
  const std::vector<u32> guard(n, 0xdeadbeef);
  Buffer<u32> memory(this->context(), guard);
  Buffer<u64> pushed(this->context(), std::vector<u64>{0});
  const QueueView<u32> view(memory.data(), capacity, pushed.data());
  const auto expect_full = [&](const char* way) {
    EXPECT_EQ(pushed.download()[0], n) << way;
    const auto got = memory.download();
    const std::vector<u32> rest(got.begin() + i64(capacity), got.end());
    EXPECT_EQ(rest, std::vector<u32>(n - capacity, 0xdeadbeef)) << way;
    std::vector<u32> held(got.begin(), got.begin() + i64(capacity));
    std::sort(held.begin(), held.end());
    EXPECT_EQ(std::unique(held.begin(), held.end()), held.end()) << way;
    EXPECT_FALSE(std::binary_search(held.begin(), held.end(), 0xdeadbeef)) << way;
    memory.upload(guard);
    pushed.upload(std::vector<u64>{0});
  };
  for_each(this->executor(), "push", n, PushAlone{view, all});
  expect_full("push");
  for_each(this->executor(), "push", n, PushByWarp{view, all});
  expect_full("push_by_warp");
  enqueue_if(this->executor(), "enqueue", n, all, HashOfIndex{}, view);
  expect_full("enqueue_if");
}

TYPED_TEST(EnqueueTypes, CheckNamesWhatWasPushedAndTheLimit) {
  Queue<u32> queue(this->context(), 100);
  enqueue_if(this->executor(), "enqueue", 100, SelectBelow{select_all}, HashOfIndex{}, queue.view());
  queue.check();
  enqueue_if(this->executor(), "enqueue", 1, SelectBelow{select_all}, HashOfIndex{}, queue.view());
  EXPECT_COPSE_ERROR(queue.check(), ErrorCode::capacity, "given 101 elements, its capacity is 100");
  EXPECT_EQ(queue.size(), 100u);
  queue.clear();
  queue.check();
  Queue<u32> none(this->context(), 0);
  enqueue_if(this->executor(), "enqueue", 3, SelectBelow{select_all}, HashOfIndex{}, none.view());
  EXPECT_COPSE_ERROR(none.check(), ErrorCode::capacity, "given 3 elements, its capacity is 0");
}

TYPED_TEST(EnqueueTypes, BothSidesOfAnArrayTakeAllElements) {
  for (u64 n : test::boundary_sizes()) {
    for (u64 limit : {u64{0}, select_all / 3, select_all}) {
      const SelectBelow predicate{limit};
      DoubleQueue<u32> queues(this->context(), n);
      enqueue_both(this->executor(), "both", n, predicate, HashOfIndex{}, queues.view());
      queues.check();
      ASSERT_EQ(sorted(queues.download_front()), selected_of(n, predicate, HashOfIndex{})) << n;
      ASSERT_EQ(sorted(queues.download_back()), selected_of(n, predicate, HashOfIndex{}, false)) << n;
    }
  }
}

TYPED_TEST(EnqueueTypes, BothSidesTogetherRefuseWhatHasNoPlace) {
  const u64 n = 30000;
  for (u64 capacity : {u64{0}, u64{1}, u64{10007}, n - 1}) {
    DoubleQueue<u32> queues(this->context(), capacity);
    for (bool bulk : {true, false}) {
      const SelectBelow predicate{select_all / 2};
      if (bulk) {
        enqueue_both(this->executor(), "both", n, predicate, Index{}, queues.view());
      } else {
        for_each(this->executor(), "either", n, PushToEither{queues.view(), predicate});
      }
      const auto sizes = queues.sizes();
      ASSERT_EQ(sizes.front + sizes.back, capacity);
      EXPECT_COPSE_ERROR(queues.check(), ErrorCode::capacity,
                         "given 30000 elements, its capacity is " + std::to_string(capacity));
      auto all = queues.download_front();
      for (u32 i : all) ASSERT_TRUE(predicate(i));
      for (u32 i : queues.download_back()) {
        ASSERT_FALSE(predicate(i));
        all.push_back(i);
      }
      std::sort(all.begin(), all.end());
      ASSERT_EQ(std::unique(all.begin(), all.end()), all.end());
      queues.clear();
    }
  }
}

TYPED_TEST(EnqueueTypes, DoubleQueueRefusesMoreThanItsCountersHold) {
  EXPECT_COPSE_ERROR(DoubleQueue<u8>(this->context(), (u64{1} << 31) + 1), ErrorCode::capacity, "2147483649");
}

TYPED_TEST(EnqueueTypes, ReplaysInAGraph) {
  const u64 n = 20000;
  const SelectBelow predicate{select_all / 2};
  Queue<u32> queue(this->context(), n);
  Graph graph = this->context().capture([&] {
    queue.clear();
    enqueue_if(this->executor(), "enqueue", n, predicate, HashOfIndex{}, queue.view());
  });
  for (int repeat = 0; repeat < 20; ++repeat) {
    graph.launch();
    ASSERT_EQ(sorted(queue.download()), selected_of(n, predicate, HashOfIndex{}));
  }
}

TYPED_TEST(EnqueueTypes, AThousandTimesAtOnceOnTwoContexts) {
  test::on_two_contexts(body_backend, [](Context& own) {
    const u64 n = 3000;
    const auto& ex = test::BodyTest<TypeParam>::executor_of(own);
    Queue<u32> queue(own, n);
    DoubleQueue<u32> both(own, n);
    for (int repeat = 0; repeat < 1000; ++repeat) {
      queue.clear();
      both.clear();
      const SelectBelow predicate{select_all / 2 + u64(repeat)};
      for_each(ex, "push by warp", n, PushByWarp{queue.view(), predicate});
      enqueue_both(ex, "both", n, predicate, HashOfIndex{}, both.view());
      if (repeat % 100 != 0) continue;
      const auto expected = selected_of(n, predicate, HashOfIndex{});
      ASSERT_EQ(sorted(queue.download()), expected);
      ASSERT_EQ(sorted(both.download_front()), expected);
    }
  });
}

}  // namespace
}  // namespace copse::detail
