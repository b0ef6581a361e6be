// Tasks under crowds of threads, by the loops that workers of the CPU backend run: each task runs once, after what
// it waits for.

#include <algorithm>
#include <atomic>

#include "primitives/cpu/primitives.h"
#include "primitives/top_down.h"
#include "tests/support/crowd.h"
#include "tests/support/host_tree.h"

namespace copse::test {
namespace {

/// Runs the tasks of a queue, and those that they push, in all threads of a crowd.
template <class T, class Task>
void run_in_crowd(const Crowd& crowd, Context& context, const TaskQueueView<T>& queue, const Task& task) {
  const cpu::detail::Abandoned abandoned(context.cpu_executor());
  crowd.run([&](u32) { cpu::detail::run_tasks_of(queue, task, abandoned); });
  queue.reset();
}

struct Range {
  u32 begin, end;
};

/// Splits a range into two, down to single numbers.
struct SplitTask {
  std::vector<std::atomic<u32>>& runs;    // per place
  std::vector<std::atomic<u32>>& leaves;  // per number

  void operator()(u64 place, const Range& range, const TaskQueueView<Range>& queue) const {
    ++runs[place];
    if (range.end - range.begin == 1) {
      ++leaves[range.begin];
      return;
    }
    const u32 middle = range.begin + 1 + (range.begin * 2654435761u >> 8) % (range.end - range.begin - 1);
    if (range.begin % 3 == 0) {
      queue.push({range.begin, middle});
      queue.push({middle, range.end});
    } else {
      queue.publish(queue.reserve(2), {{range.begin, middle}, {middle, range.end}});
    }
  }
};

/// A task that hands a plain sum on to the next one.
struct HandOn {
  std::vector<u64>& sums;  // plain, so that the thread sanitizer sees a task that runs too early
  u32 last;

  void operator()(u64, const u32& k, const TaskQueueView<u32>& queue) const {
    sums[k] = (k == 0 ? 0 : sums[k - 1]) + k;
    if (k < last) queue.push(k + 1);
  }
};

}  // namespace

TEST(TaskThreads, RunEachTaskOnce) {
  in_each_crowd([](const Crowd& crowd) {
    Context context({.backend = Backend::cpu, .workers = 1});
    constexpr u32 n = 30000, task_count = 2 * n - 1;
    TaskQueue<Range> queue(context, task_count);
    for (u32 repeat = 0; repeat < 6; ++repeat) {
      std::vector<std::atomic<u32>> runs(task_count), leaves(n);
      queue.view().push({0, n});
      run_in_crowd(crowd, context, queue.view(), SplitTask{runs, leaves});
      queue.check();
      for (u32 place = 0; place < task_count; ++place) ASSERT_EQ(runs[place], 1u) << place;
      for (u32 number = 0; number < n; ++number) ASSERT_EQ(leaves[number], 1u) << number;
    }
  });
}

TEST(TaskThreads, EndWhenTheQueueIsFull) {
  in_each_crowd([](const Crowd& crowd) {
    Context context({.backend = Backend::cpu, .workers = 1});
    constexpr u32 n = 10000, capacity = 1500;
    TaskQueue<Range> queue(context, capacity);
    for (u32 repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::atomic<u32>> runs(capacity), leaves(n);
      queue.view().push({0, n});
      run_in_crowd(crowd, context, queue.view(), SplitTask{runs, leaves});
      EXPECT_THROW(queue.check(), Error);
      for (u32 place = 0; place < capacity; ++place) ASSERT_EQ(runs[place], 1u) << place;
      for (u32 number = 0; number < n; ++number) ASSERT_LE(leaves[number], 1u) << number;
      queue.clear();
    }
  });
}

/// The queue holds one task most of the time, so all threads but one look for the end.
TEST(TaskThreads, SeeWhatTheTaskBeforeWrote) {
  in_each_crowd([](const Crowd& crowd) {
    Context context({.backend = Backend::cpu, .workers = 1});
    constexpr u32 n = 4000;
    TaskQueue<u32> queue(context, n);
    std::vector<u64> sums(n);
    queue.view().push(0);
    run_in_crowd(crowd, context, queue.view(), HandOn{sums, n - 1});
    for (u64 k = 0; k < n; ++k) ASSERT_EQ(sums[k], k * (k + 1) / 2) << k;
  });
}

/// Short tasks that wait for none, so that threads often take tickets at the same time.
TEST(WaterfallThreads, RunEachShortTaskOnce) {
  in_each_crowd([](const Crowd& crowd) {
    const Context context({.backend = Backend::cpu, .workers = 1});
    const cpu::detail::Abandoned abandoned(context.cpu_executor());
    constexpr u64 n = 3000000;
    std::vector<u8> runs(n);
    u64 ticket = 0;
    const auto task = [&](u64 i) {
      ++runs[i];
      return true;
    };
    crowd.run([&](u32) {
      while (load_relaxed(&ticket) * cpu::detail::waterfall_chunk < n) {
        cpu::detail::run_next_chunk(&ticket, n, task, abandoned);
      }
    });
    EXPECT_EQ(u64(std::count(runs.begin(), runs.end(), u8{1})), n);
  });
}

/// Task i waits for task i - 1, and for task i / 2.
TEST(WaterfallThreads, RunEachTaskOnceAfterThoseItWaitsFor) {
  in_each_crowd([](const Crowd& crowd) {
    const Context context({.backend = Backend::cpu, .workers = 1});
    const cpu::detail::Abandoned abandoned(context.cpu_executor());
    constexpr u64 n = 200000;
    std::vector<u32> ready(n), runs(n);
    std::vector<u64> sums(n);  // plain: handed on by `ready`
    u64 ticket = 0;
    const auto task = [&](u64 i) {
      if (i > 0 && (load_acquire(&ready[i - 1]) == 0 || load_acquire(&ready[i / 2]) == 0)) return false;
      ++runs[i];
      sums[i] = i == 0 ? 1 : sums[i - 1] + sums[i / 2] % 5;
      store_release(&ready[i], 1u);
      return true;
    };
    crowd.run([&](u32) {
      while (load_relaxed(&ticket) * cpu::detail::waterfall_chunk < n) {
        cpu::detail::run_next_chunk(&ticket, n, task, abandoned);
      }
    });
    std::vector<u64> expected(n, 1);
    for (u64 i = 1; i < n; ++i) expected[i] = expected[i - 1] + expected[i / 2] % 5;
    EXPECT_EQ(sums, expected);
    EXPECT_EQ(runs, std::vector<u32>(n, 1));
  });
}

namespace {

/// A tree with links up and down.
struct LinkedTree : ParentLinks {
  const u32* first_children;
  u32 child_count(u32 node) const { return child_counts[node]; }
  u32 first_child(u32 node) const { return first_children[node]; }
};

LinkedTree view_of(const HostTree& tree) {
  return {{tree.parents.data(), tree.child_counts.data()}, tree.first_children.data()};
}

std::vector<HostTree> trees_of_all_shapes() {
  return {chain_tree(300),        star_tree(3000), random_tree(5000, 7),
          complete_tree(5000, 3), comb_tree(1500), random_binary_tree(3000, 9)};
}

}  // namespace

TEST(WalkThreads, VisitEachNodeOnceAfterThoseBelow) {
  const std::vector<HostTree> trees = trees_of_all_shapes();
  in_each_crowd([&](const Crowd& crowd) {
    for (const HostTree& tree : trees) {
      const LinkedTree links = view_of(tree);
      std::vector<u32> arrivals(tree.size(), 0), visits(tree.size(), 0), leaves;
      std::vector<u64> sums(tree.size(), 1);  // plain: a visit must see what was written below
      for (u32 node = 0; node < tree.size(); ++node) {
        if (tree.is_leaf(node)) leaves.push_back(node);
      }
      const auto visit = [&](u32 node, u32) {
        ++visits[node];
        for (u32 k = 0; k < links.child_count(node); ++k) sums[node] += sums[links.first_child(node) + k];
      };
      crowd.run([&](u32 thread) {
        for (u64 k = thread; k < leaves.size(); k += crowd.size()) {
          walk_up(links, leaves[k], arrivals.data(), visit);
        }
      });
      EXPECT_EQ(sums[0], tree.size());
      for (u32 node = 0; node < tree.size(); ++node) {
        ASSERT_EQ(visits[node], tree.is_leaf(node) ? 0u : 1u) << node;
      }
      EXPECT_EQ(arrivals, std::vector<u32>(tree.size(), 0));
    }
  });
}

TEST(WalkThreads, VisitPairsOfSiblingsOnce) {
  const HostTree tree = random_binary_tree(20000, 3);
  const std::vector<u32> parents = tree.pair_parents();
  in_each_crowd([&](const Crowd& crowd) {
    const SiblingPairs pairs{parents.data()};
    std::vector<u32> arrivals(parents.size(), 0);
    for (u32 repeat = 1; repeat <= 20; ++repeat) {  // the walk leaves its counters as it found them
      std::vector<u64> sums(tree.size(), 1);
      const auto visit = [&](u32 node, u32 pair) {
        sums[node] += sums[SiblingPairs::first_of(pair)] + sums[SiblingPairs::first_of(pair) + 1];
      };
      crowd.run([&](u32 thread) {
        for (u32 node = thread; node < tree.size(); node += crowd.size()) {
          if (tree.is_leaf(node)) walk_up(pairs, node, arrivals.data(), visit);
        }
      });
      EXPECT_EQ(sums[0], tree.size());
      EXPECT_EQ(arrivals, std::vector<u32>(parents.size(), 0));
    }
  });
}

/// Two threads each go through the same places in the same order, and overtake each other when they are stopped.
TEST(WalkThreads, MeetInPairs) {
  in_each_crowd([](const Crowd& crowd) {
    const u32 pairs = crowd.size() / 2, length = 1000000 / pairs, n = pairs * length;
    std::vector<u32> places(n, 0), met(n, 0);
    std::vector<u32> notes(2 * u64{n}, 0);  // plain: the second to arrive sees the note of the first
    crowd.run([&](u32 thread) {
      if (thread / 2 == pairs) return;
      for (u32 place = thread / 2 * length; place < (thread / 2 + 1) * length; ++place) {
        const u32 message = 2 * place + thread % 2;
        notes[message] = message + 1;
        const u32 other = meet(&places[place], message);
        if (other == invalid_id) continue;
        met[place] += other == (message ^ 1) && notes[other] == other + 1 ? 1 : 100;
      }
    });
    EXPECT_EQ(u64(std::count(met.begin(), met.end(), 1u)), n);
    EXPECT_EQ(u64(std::count(places.begin(), places.end(), 0u)), n);
  });
}

TEST(WalkThreads, VisitAllNodesFromTheRootDown) {
  const std::vector<HostTree> trees = trees_of_all_shapes();
  in_each_crowd([&](const Crowd& crowd) {
    for (const HostTree& tree : trees) {
      const LinkedTree links = view_of(tree);
      std::vector<u32> depths(tree.size(), 0);  // plain: a visit must see what was written above
      std::vector<std::atomic<u32>> visits(tree.size());
      const auto visit = [&](u32 node) {
        ++visits[node];
        depths[node] = links.is_root(node) ? 1 : depths[links.parent(links.family(node))] + 1;
        return true;
      };
      std::vector<u32> frontiers[2] = {std::vector<u32>(tree.leaf_count), std::vector<u32>(tree.leaf_count)};
      detail::TopDownState state{{1, 0, 0, 0}, {1, 1}};  // the root is node 0
      const detail::VisitDownwards<LinkedTree, decltype(visit)> walk{
          links, visit, {frontiers[0].data(), frontiers[1].data()}, tree.leaf_count, &state};
      u64 n;
      for (u32 stage = 0; (n = walk.size(stage)) != no_more_stages; ++stage) {
        std::atomic<u64> ticket{0};
        crowd.run([&](u32) {
          for (u64 i; (i = ticket++) < n;) walk(stage, i);
        });
      }
      for (u32 node : tree.order) {
        ASSERT_EQ(visits[node], 1u) << node;
        ASSERT_EQ(depths[node], node == 0 ? 1 : depths[tree.parents[node]] + 1) << node;
      }
    }
  });
}

}  // namespace copse::test
