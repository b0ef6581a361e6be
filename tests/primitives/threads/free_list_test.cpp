// Free lists under crowds of threads. Threads that take from one place at the same time must get different nodes.
// No thread may wait for ever.

#include "primitives/free_list.h"

#include <atomic>

#include "tests/support/crowd.h"

namespace copse::test {
namespace {

struct Users {
  u32 threads;
  u32 nodes;
  u32 held;  // the number of nodes that a thread holds at a time
};

class FreeListThreads : public testing::TestWithParam<Users> {
 protected:
  FreeListThreads()
      : context_({.backend = Backend::cpu}),
        list_(context_, GetParam().nodes),
        users_(GetParam().nodes),
        uses_(GetParam().nodes) {}

  /// Takes nodes, checks that no other thread has them, and gives them back. Each node has a plain count of its
  /// uses.
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
        ++uses_[node];
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
  std::vector<u64> uses_;
  std::atomic<u64> shared_ = 0, refused_ = 0;
};

TEST_P(FreeListThreads, NeverGiveOneNodeToTwoAndNeverHang) {
  const Watchdog watchdog(900, "a free list under plain threads");
  const Users users = GetParam();
  // Where nodes are few, threads wait for each other most of the time.
  const u32 rounds = (users.nodes >= 64 ? 1000000 : 100000) / users.threads;
  Crowd(users.threads).run([&](u32) { churn(rounds); });

  u64 uses = 0;
  for (const u64 of_node : uses_) uses += of_node;
  EXPECT_EQ(uses + refused_, u64{rounds} * users.threads * users.held);
  EXPECT_EQ(shared_.load(), 0u);
  EXPECT_EQ(list_.report().held_count, 0u);
  EXPECT_EQ(list_.report().bad_free_count, 0u);
  EXPECT_EQ(list_.report().refused_count, refused_.load());
  // If the threads together never hold more than all nodes, no thread is refused.
  if (users.threads * users.held <= users.nodes) {
    EXPECT_EQ(refused_.load(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Crowds, FreeListThreads,
                         testing::Values(Users{2, 2, 1}, Users{3, 3, 1}, Users{3, 2, 1}, Users{4, 3, 1},
                                         Users{4, 3, 2}, Users{4, 4, 1}, Users{16, 3, 1}, Users{16, 16, 1},
                                         Users{3, 64, 1}, Users{4, 64, 2}, Users{16, 64, 4}, Users{32, 5, 3},
                                         Users{32, 32, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.threads) + "ThreadsOver" +
                                  std::to_string(info.param.nodes) + "NodesBy" + std::to_string(info.param.held);
                         });

}  // namespace
}  // namespace copse::test
