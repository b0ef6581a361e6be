// Queues under crowds of threads: each element is delivered once, at a place of its own.

#include <algorithm>
#include <atomic>

#include "primitives/double_queue.h"
#include "primitives/enqueue.h"
#include "tests/support/crowd.h"

namespace copse::test {
namespace {

Context& small_context() {
  static Context context({.backend = Backend::cpu, .workers = 1});
  return context;
}

constexpr u32 all_pushes = 200000;

/// Checks that `values` are different numbers below `limit`.
void expect_each_once(std::vector<u32> values, u32 limit) {
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::unique(values.begin(), values.end()), values.end());
  EXPECT_TRUE(values.empty() || values.back() < limit);
}

/// Pushes the numbers of a thread, in each way that a queue has. Returns how many were accepted.
u32 push_all(const QueueView<u32>& queue, u32 first, u32 count) {
  u32 accepted = 0;
  for (u32 k = 0; k < count;) {
    const u32 together = std::min(k % 7, count - k);
    if (together < 2) {
      accepted += together == 0 ? queue.push(first + k) : queue.push_by_warp(first + k);
      ++k;
      continue;
    }
    const u64 place = k % 2 == 0 ? queue.reserve(together) : queue.reserve_by_warp(together);
    for (u32 j = 0; j < together; ++j) accepted += queue.store(place + j, first + k + j);
    k += together;
  }
  return accepted;
}

}  // namespace

TEST(QueueThreads, DeliverEachElementOnce) {
  in_each_crowd([](const Crowd& crowd) {
    const u32 count = all_pushes / crowd.size(), n = count * crowd.size();
    for (u32 capacity : {n, n - 1, n / 3, 1u}) {
      Queue<u32> queue(small_context(), capacity);
      const QueueView<u32> view = queue.view();
      std::atomic<u32> accepted = 0;
      crowd.run([&](u32 thread) { accepted += push_all(view, thread * count, count); });
      EXPECT_EQ(accepted, capacity);
      ASSERT_EQ(queue.size(), capacity);
      expect_each_once(queue.download(), n);
    }
  });
}

TEST(DoubleQueueThreads, DeliverEachElementOnceOnItsSide) {
  in_each_crowd([](const Crowd& crowd) {
    const u32 count = all_pushes / crowd.size(), n = count * crowd.size();
    for (u32 capacity : {n, n - 1, n / 3, 1u}) {
      DoubleQueue<u32> queues(small_context(), capacity);
      const DoubleQueueView<u32> view = queues.view();
      std::atomic<u32> accepted = 0;
      crowd.run([&](u32 thread) {
        for (u32 k = 0; k < count; ++k) accepted += view.push(thread * count + k, (thread + k) % 3 == 0);
      });
      EXPECT_EQ(accepted, capacity);
      const std::vector<u32> front = queues.download_front(), back = queues.download_back();
      for (u32 value : front) ASSERT_EQ((value / count + value % count) % 3, 0u);
      for (u32 value : back) ASSERT_NE((value / count + value % count) % 3, 0u);
      std::vector<u32> all = front;
      all.insert(all.end(), back.begin(), back.end());
      ASSERT_EQ(all.size(), capacity);
      expect_each_once(all, n);
    }
  });
}

/// Tickets of all sizes, of which the largest go another way.
TEST(DoubleQueueThreads, FillTheArrayByTicketsOfAnySize) {
  in_each_crowd([](const Crowd& crowd) {
    for (u32 capacity : {100000u, 100u}) {
      DoubleQueue<u8> queues(small_context(), capacity);
      const DoubleQueueView<u8> view = queues.view();
      std::vector<std::atomic<u32>> users(capacity);
      std::atomic<u64> given = 0, accepted = 0;
      crowd.run([&](u32 thread) {
        Dice dice(thread, capacity);
        for (u32 round = 0; round < 10; ++round) {
          const u32 front = dice.roll(2) * dice.roll(9000), back = dice.roll(2) * dice.roll(9000);
          const DoubleTicket ticket = view.reserve(front, back);
          const auto count = [&](u64 place) {
            if (place == view.no_place) return;
            ++users[place];
            ++accepted;
          };
          for (u32 k = 0; k < front; ++k) count(view.front_place(ticket, k));
          for (u32 k = 0; k < back; ++k) count(view.back_place(ticket, k));
          given += front + back;
        }
      });
      const auto sizes = queues.sizes();
      ASSERT_EQ(accepted, std::min<u64>(given, capacity));
      ASSERT_EQ(sizes.front + sizes.back, accepted);
      for (u32 place = 0; place < capacity; ++place) {
        ASSERT_EQ(users[place], place < sizes.front || place >= capacity - sizes.back ? 1u : 0u) << place;
      }
      if (given > capacity) {
        EXPECT_THROW(queues.check(), Error);
      }
    }
  });
}

/// The largest array, of which there is no memory: only the places are asked for.
TEST(DoubleQueueThreads, LetNoCountGrowIntoTheOther) {
  constexpr u32 capacity = u32(DoubleQueue<u8>::max_elements);
  in_each_crowd([&](const Crowd& crowd) {
    for (u32 already : {0u, capacity - 1, capacity / 2}) {
      DoubleQueueCounters counters{already, 0, 0, 0};
      const DoubleQueueView<u8> view(nullptr, capacity, &counters);
      std::vector<DoubleTicket> tickets(crowd.size());
      crowd.run([&](u32 thread) { tickets[thread] = view.reserve(~0u - thread, ~0u); });
      EXPECT_EQ(counters.pushed, capacity);  // all at the front, and none at the back
      u32 with_places = 0;
      for (const DoubleTicket& ticket : tickets) {
        if (view.front_place(ticket, 0) == view.no_place) continue;
        ++with_places;
        EXPECT_EQ(view.front_place(ticket, 0), already);
        EXPECT_EQ(view.front_place(ticket, capacity - already - 1), capacity - 1);
        EXPECT_EQ(view.front_place(ticket, capacity - already), view.no_place);
        EXPECT_EQ(view.back_place(ticket, 0), view.no_place);
      }
      EXPECT_EQ(with_places, 1u);
    }
  });
}

}  // namespace copse::test
