// Tests tasks that wait for tasks before them, and tasks that push tasks, on each backend.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/body_test.h"
#include "tests/support/two_contexts.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

COPSE_HD u32 small_hash(u64 i) {
  return (u32(i) * 2654435761u) >> 24;
}

/// The longest possible chain: task i waits for task i - 1, which mostly runs on a lane of the same warp. A sum is
/// stored one higher, so 0 says that the sum is not there yet.
struct ChainOne {
  u64* sums;
  COPSE_HD bool operator()(u64 i) const {
    const u64 before = i == 0 ? 1 : load_relaxed(sums + i - 1);
    if (before == 0) return false;
    store_relaxed(sums + i, before + small_hash(i));
    return true;
  }
};

/// The course's device-wide scan. A task learns from the task of the tile before it what stands before its own
/// tile. It writes the scan of its tile and tells the next task the sum.
struct ScanTile {
  static constexpr u64 tile = 64;
  u64 n;
  u64* through;  // per tile, the sum of all tiles up to this one, plus 1
  u64* out;

  COPSE_HD bool operator()(u64 k) const {
    u64 sum = k == 0 ? 1 : load_relaxed(through + k - 1);
    if (sum == 0) return false;
    for (u64 i = k * tile; i < smaller(n, (k + 1) * tile); ++i) {
      out[i] = sum - 1;
      sum += small_hash(i);
    }
    store_relaxed(through + k, sum);
    return true;
  }
};

/// A binary tree over ranges of leaves, made from the top. Node i has its children at 2i + 1 and 2i + 2. Its
/// parent tells it its range and sets a flag. A task that sees the flag also sees everything that its parent
/// wrote.
struct SplitRange {
  u32* begins;
  u32* ends;
  u32* ready;
  u64 node_count;

  COPSE_HD bool operator()(u64 i) const {
    if (i > 0 && load_acquire(ready + i) == 0) return false;
    const u32 begin = begins[i], end = ends[i], middle = begin + (end - begin) / 2;
    for (u64 child : {2 * i + 1, 2 * i + 2}) {
      if (child >= node_count) break;
      const bool left = child % 2 == 1;
      begins[child] = left ? begin : middle;
      ends[child] = left ? middle : end;
      store_release(ready + child, 1u);
    }
    return true;
  }
};

/// A tree whose shape is not known before. A task splits its range where a hash says, and pushes both parts. The
/// places are the ids of the nodes.
struct Range {
  u32 begin, end, depth;
};
struct SplitTask {
  u32* leaf_depths;  // one per element of the range
  u32* node_visits;  // one per place
  u32 leaf_size;

  COPSE_HD void operator()(u64 place, const Range& range, const TaskQueueView<Range>& queue) const {
    fetch_add_relaxed(node_visits + place, 1u);
    const u32 size = range.end - range.begin;
    if (size <= leaf_size) {
      for (u32 i = range.begin; i < range.end; ++i) leaf_depths[i] = range.depth;
      return;
    }
    const u32 middle = range.begin + 1 + (range.begin * 2654435761u >> 8) % (size - 1);
    const Range parts[] = {{range.begin, middle, range.depth + 1}, {middle, range.end, range.depth + 1}};
    if (queue.publish(queue.reserve(2), parts) != 2) store_relaxed(leaf_depths, 0xdeadbeefu);
  }
};
struct PushRoot {
  TaskQueueView<Range> queue;
  u32 size;
  COPSE_HD void operator()(u64) const { queue.push({0, size, 0}); }
};

void split_slowly(std::vector<u32>& depths, u32& node_count, Range range, u32 leaf_size) {
  ++node_count;
  const u32 size = range.end - range.begin;
  if (size <= leaf_size) {
    for (u32 i = range.begin; i < range.end; ++i) depths[i] = range.depth;
    return;
  }
  const u32 middle = range.begin + 1 + (range.begin * 2654435761u >> 8) % (size - 1);
  split_slowly(depths, node_count, {range.begin, middle, range.depth + 1}, leaf_size);
  split_slowly(depths, node_count, {middle, range.end, range.depth + 1}, leaf_size);
}

/// A task that counts down. It is alone in the queue most of the time.
struct CountDown {
  u32* sum;
  COPSE_HD void operator()(u64, const u32& left, const TaskQueueView<u32>& queue) const {
    fetch_add_relaxed(sum, left);
    if (left > 0) queue.push(left - 1);
  }
};
/// Pushes itself twice. It would go on for ever if there were room.
struct Multiply {
  u32* runs;
  COPSE_HD void operator()(u64, const u32& generation, const TaskQueueView<u32>& queue) const {
    fetch_add_relaxed(runs, 1u);
    queue.push(generation + 1);
    queue.push(generation + 1);
  }
};
/// Pushes itself three times at once.
struct MultiplyTogether {
  u32* runs;
  COPSE_HD void operator()(u64, const u32& generation, const TaskQueueView<u32>& queue) const {
    fetch_add_relaxed(runs, 1u);
    const u32 next[] = {generation + 1, generation + 1, generation + 1};
    queue.publish(queue.reserve(3), next);
  }
};
struct PushNumber {
  TaskQueueView<u32> queue;
  u32 value;
  COPSE_HD void operator()(u64) const { queue.push(value); }
};

template <class Executor>
class WaterfallTypes : public test::BodyTest<Executor> {
 protected:
  /// Returns an executor that sees a GPU with one multiprocessor.
  Executor small_executor() {
    Executor ex = this->executor();
    if constexpr (body_backend == Backend::cuda) ex.multiprocessor_count = 1;
    return ex;
  }
  template <class T>
  Buffer<T> zeros(u64 n) {
    return Buffer<T>(this->context(), std::vector<T>(n, T(0)));
  }

  void expect_chain(const Executor& ex, u64 n) {
    Buffer<u64> sums = zeros<u64>(n);
    waterfall(ex, "chain", n, ChainOne{sums.data()});
    const auto got = sums.download();
    u64 sum = 1;
    for (u64 i = 0; i < n; ++i) {
      sum += small_hash(i);
      ASSERT_EQ(got[i], sum) << i << " of " << n;
    }
  }

  void expect_tree(const Executor& ex, u32 leaf_count) {
    const u64 n = 2 * u64{leaf_count} - 1;
    std::vector<u32> begins(n, 0), ends(n, 0);
    ends[0] = leaf_count;
    Buffer<u32> got_begins(this->context(), begins), got_ends(this->context(), ends), ready = zeros<u32>(n);
    for (u64 i = 0; 2 * i + 2 < n; ++i) {
      const u32 middle = begins[i] + (ends[i] - begins[i]) / 2;
      begins[2 * i + 1] = begins[i];
      ends[2 * i + 1] = begins[2 * i + 2] = middle;
      ends[2 * i + 2] = ends[i];
    }
    waterfall(ex, "tree", n, SplitRange{got_begins.data(), got_ends.data(), ready.data(), n});
    ASSERT_EQ(got_begins.download(), begins);
    ASSERT_EQ(got_ends.download(), ends);
  }

  /// Makes a tree whose shape is not known before. The queue has exactly as many places as the tree has nodes.
  void expect_grown_tree(const Executor& ex, u32 size, u32 leaf_size) {
    std::vector<u32> depths(size);
    u32 node_count = 0;
    split_slowly(depths, node_count, {0, size, 0}, leaf_size);
    TaskQueue<Range> queue(this->context(), node_count);
    Buffer<u32> got(this->context(), size), visits = zeros<u32>(node_count);
    for_each(ex, "push the root", 1, PushRoot{queue.view(), size});
    run_tasks(ex, "grow", queue.view(), SplitTask{got.data(), visits.data(), leaf_size});
    queue.check();
    ASSERT_EQ(got.download(), depths);
    ASSERT_EQ(visits.download(), std::vector<u32>(node_count, 1));
  }

 private:
  test::Watchdog watchdog_{300, "a test of the waterfall"};
};
TYPED_TEST_SUITE(WaterfallTypes, TheBackend, BackendName);

TYPED_TEST(WaterfallTypes, ChainRunsThroughTheLanesOfAWarp) {
  for (u64 n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 5000}) this->expect_chain(this->executor(), n);
  this->expect_chain(this->small_executor(), 20000);
}

TYPED_TEST(WaterfallTypes, ScansTilesInAChain) {
  for (u64 n : {1, 64, 65, 100003}) {
    const u64 tile_count = divide_rounding_up(n, ScanTile::tile);
    auto through = this->template zeros<u64>(tile_count);
    Buffer<u64> out(this->context(), n);
    waterfall(this->executor(), "scan", tile_count, ScanTile{n, through.data(), out.data()});
    const auto got = out.download();
    u64 sum = 0;
    for (u64 i = 0; i < n; ++i) {
      ASSERT_EQ(got[i], sum) << i << " of " << n;
      sum += small_hash(i);
    }
  }
}

TYPED_TEST(WaterfallTypes, TreeGrowsFromTheTop) {
  for (u32 leaves : {1u, 2u, 3u, 16u, 17u, 1000u, 40000u}) this->expect_tree(this->executor(), leaves);
  this->expect_tree(this->small_executor(), 40000);
}

TYPED_TEST(WaterfallTypes, LargeTreeGrowsFromTheTop) {
  this->expect_tree(this->executor(), 1u << 20);
  this->expect_tree(this->small_executor(), 1u << 20);
}

TYPED_TEST(WaterfallTypes, TasksPushTasksUntilNoneIsLeft) {
  for (u32 size : {1u, 2u, 3u, 100u, 30000u}) this->expect_grown_tree(this->executor(), size, 1);
  this->expect_grown_tree(this->small_executor(), 30000, 4);
}

TYPED_TEST(WaterfallTypes, OneTaskAtATimePassesThroughAQueueThatIsFullAtTheEnd) {
  const u32 length = 3000;
  TaskQueue<u32> queue(this->context(), length + 1);
  auto sum = this->template zeros<u32>(1);
  for_each(this->executor(), "push", 1, PushNumber{queue.view(), length});
  run_tasks(this->executor(), "count down", queue.view(), CountDown{sum.data()});
  queue.check();
  EXPECT_EQ(sum.download()[0], length * (length + 1) / 2);
}

TYPED_TEST(WaterfallTypes, QueueWithoutTasksEnds) {
  TaskQueue<u32> queue(this->context(), 1000), none(this->context(), 0);
  auto sum = this->template zeros<u32>(1);
  run_tasks(this->executor(), "nothing", queue.view(), CountDown{sum.data()});
  run_tasks(this->executor(), "nothing", none.view(), CountDown{sum.data()});
  EXPECT_EQ(sum.download()[0], 0u);
}

TYPED_TEST(WaterfallTypes, QueueRefusesTasksPastItsCapacityAndStillEnds) {
  const u32 capacity = 5000;
  TaskQueue<u32> queue(this->context(), capacity);
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto runs = this->template zeros<u32>(1);
    for_each(this->executor(), "push", 1, PushNumber{queue.view(), 0});
    run_tasks(this->executor(), "multiply", queue.view(), Multiply{runs.data()});
    EXPECT_EQ(runs.download()[0], capacity);
    EXPECT_COPSE_ERROR(queue.check(), ErrorCode::capacity, "its capacity is 5000");
  }
  // Each task pushes two tasks. So the queue is given one task more than twice its capacity.
  EXPECT_COPSE_ERROR(queue.check(), ErrorCode::capacity, "given 10001 tasks");

  queue.clear();
  auto runs = this->template zeros<u32>(1);
  for_each(this->executor(), "push", 1, PushNumber{queue.view(), 0});
  run_tasks(this->executor(), "multiply", queue.view(), MultiplyTogether{runs.data()});
  EXPECT_EQ(runs.download()[0], capacity);
  EXPECT_COPSE_ERROR(queue.check(), ErrorCode::capacity, "given 15001 tasks in one run, its capacity is 5000");

  queue.clear();
  auto sum = this->template zeros<u32>(1);
  for_each(this->executor(), "push", 1, PushNumber{queue.view(), 10});
  run_tasks(this->executor(), "count down", queue.view(), CountDown{sum.data()});
  queue.check();
  EXPECT_EQ(sum.download()[0], 55u);

  TaskQueue<u32> none(this->context(), 0);
  for_each(this->executor(), "push", 7, PushNumber{none.view(), 1});
  run_tasks(this->executor(), "nothing", none.view(), CountDown{sum.data()});
  EXPECT_COPSE_ERROR(none.check(), ErrorCode::capacity, "given 7 tasks in one run, its capacity is 0");
}

TYPED_TEST(WaterfallTypes, AnyNumberOfWorkersAndThreadsIsEnough) {
  for (u32 workers : {1u, 3u, 16u}) {
    Context own({.backend = body_backend, .workers = workers});
    const auto& ex = this->executor_of(own);
    const WaterfallOptions options{.threads_per_multiprocessor = 128 * workers};
    Buffer<u64> sums(own, std::vector<u64>(3000, 0));
    Buffer<u32> sum(own, std::vector<u32>{0});
    TaskQueue<u32> queue(own, 501);
    waterfall(ex, "chain", 3000, ChainOne{sums.data()}, options);
    for_each(ex, "push", 1, PushNumber{queue.view(), 500});
    run_tasks(ex, "count down", queue.view(), CountDown{sum.data()}, options);
    EXPECT_NE(sums.download()[2999], 0u) << workers;
    EXPECT_EQ(sum.download()[0], 500u * 501 / 2) << workers;
  }
}

TYPED_TEST(WaterfallTypes, ReplaysInAGraph) {
  const u32 length = 500;
  TaskQueue<u32> queue(this->context(), length + 1);
  auto sum = this->template zeros<u32>(1);
  auto sums = this->template zeros<u64>(300);
  Graph graph = this->context().capture([&] {
    fill_bytes(this->executor(), "clear", sum.data(), 1, 0);
    fill_bytes(this->executor(), "clear", sums.data(), 300, 0);
    for_each(this->executor(), "push", 1, PushNumber{queue.view(), length});
    run_tasks(this->executor(), "count down", queue.view(), CountDown{sum.data()});
    waterfall(this->executor(), "chain", 300, ChainOne{sums.data()});
  });
  u64 expected = 1;
  for (u64 i = 0; i < 300; ++i) expected += small_hash(i);
  for (int repeat = 0; repeat < 30; ++repeat) {
    graph.launch();
    ASSERT_EQ(sum.download()[0], length * (length + 1) / 2);
    ASSERT_EQ(sums.download()[299], expected);
  }
}

TYPED_TEST(WaterfallTypes, AThousandTimesAtOnceOnTwoContexts) {
  test::on_two_contexts(body_backend, [](Context& own) {
    const auto& ex = test::BodyTest<TypeParam>::executor_of(own);
    TaskQueue<u32> queue(own, 64);
    Buffer<u32> sum(own, std::vector<u32>{0});
    Buffer<u64> sums(own, 200);
    for (int repeat = 0; repeat < 1000; ++repeat) {
      fill_bytes(ex, "clear", sums.data(), 200, 0);
      waterfall(ex, "chain", 200, ChainOne{sums.data()});
      for_each(ex, "push", 1, PushNumber{queue.view(), 63});
      run_tasks(ex, "count down", queue.view(), CountDown{sum.data()});
    }
    queue.check();
    EXPECT_EQ(sum.download()[0], 1000u * 63 * 64 / 2);
    EXPECT_NE(sums.download()[199], 0u);
  });
}

}  // namespace
}  // namespace copse::detail
