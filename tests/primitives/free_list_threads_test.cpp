// Tests a free list under plain threads, of which there are more than the machine has cores. Threads that take
// from one place at the same time must get different nodes. No thread may wait for ever.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "primitives/free_list.h"
#include "tests/support/watchdog.h"

namespace copse {
namespace {

struct Crowd {
  u32 threads;
  u32 nodes;
  u32 held;  // the number of nodes that a thread holds at a time
};

class FreeListThreads : public testing::TestWithParam<Crowd> {
 protected:
  FreeListThreads()
      : context_({.backend = Backend::cpu}), list_(context_, GetParam().nodes), users_(GetParam().nodes) {}

  /// Takes nodes, checks that no other thread has them, and gives them back.
  void churn(u32 rounds) {
    const FreeListView view = list_.view();
    std::vector<u32> own;
    for (u32 round = 0; round < rounds; ++round) {
      for (u32 k = 0; k < GetParam().held; ++k) {
        const u32 node = view.allocate();
        if (node == invalid_id) {
          ++refused_;
          continue;
        }
        if (users_[node].fetch_add(1) != 0) ++shared_;
        own.push_back(node);
      }
      for (const u32 node : own) {
        users_[node].fetch_sub(1);
        view.free(node);
      }
      own.clear();
    }
  }

  Context context_;
  FreeList list_;
  std::vector<std::atomic<u32>> users_;
  std::atomic<u64> shared_ = 0, refused_ = 0;
};

TEST_P(FreeListThreads, NeverGiveOneNodeToTwoAndNeverHang) {
  const test::Watchdog watchdog(300, "a free list under plain threads");
  const Crowd crowd = GetParam();
  std::vector<std::thread> threads;
  for (u32 t = 0; t < crowd.threads; ++t) threads.emplace_back([this, crowd] { churn(1000000 / crowd.threads); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(shared_.load(), 0u);
  EXPECT_EQ(list_.report().held_count, 0u);
  EXPECT_EQ(list_.report().bad_free_count, 0u);
  EXPECT_EQ(list_.report().refused_count, refused_.load());
  // If the threads together never hold more than all nodes, no thread is refused.
  if (crowd.threads * crowd.held <= crowd.nodes) EXPECT_EQ(refused_.load(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Crowds, FreeListThreads,
                         testing::Values(Crowd{2, 2, 1}, Crowd{3, 3, 1}, Crowd{3, 2, 1}, Crowd{4, 3, 1},
                                         Crowd{4, 3, 2}, Crowd{4, 4, 1}, Crowd{16, 3, 1}, Crowd{16, 16, 1},
                                         Crowd{16, 64, 4}, Crowd{32, 5, 3}, Crowd{32, 32, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.threads) + "ThreadsOver" +
                                  std::to_string(info.param.nodes) + "NodesBy" + std::to_string(info.param.held);
                         });

}  // namespace
}  // namespace copse
