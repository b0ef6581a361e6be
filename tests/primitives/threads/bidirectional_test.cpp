// Tables with bidirectional linear probing whose runs are long: what threads are told that meet at one key.

#include <atomic>

#include "primitives/bidirectional_table.h"
#include "tests/support/crowd.h"

namespace copse::test {
namespace {

/// A table in which the ends of runs are soon further away than an insertion looks for them.
class FullTable {
 public:
  FullTable(u32 seed, u32 key_count, u64 max_probes)
      : state_(seed), table_(context_, 64, {.max_load = 1, .max_probes = max_probes}) {
    for (u32 i = 0; i < key_count; ++i) {
      const u32 key = next_key();
      if (view().insert(key, key) == InsertResult::inserted) keys.push_back(key);
    }
  }
  BidirectionalMap<u32, u32>::View view() const { return table_.view(); }
  u32 next_key() { return state_ = detail::mixed(state_ + 0x9e3779b9u); }

  std::vector<u32> keys;

 private:
  u32 state_;
  Context context_{{.backend = Backend::cpu, .workers = 1}};
  BidirectionalMap<u32, u32> table_;
};

}  // namespace

TEST(BidirectionalThreads, NoneIsToldFullOfAKeyThatAnotherInserts) {
  in_each_crowd([](const Crowd& crowd) {
    for (u32 round = 0; round < 20; ++round) {
      FullTable table(round * 7919 + 3, 40, 16);
      for (u32 i = 0; i < 12; ++i) {
        const u32 key = table.next_key();
        if (table.view().contains(key)) continue;
        std::atomic<u32> told[3] = {};
        crowd.run([&](u32) { ++told[u32(table.view().insert(key, key))]; });
        const u32 inserted = told[u32(InsertResult::inserted)], full = told[u32(InsertResult::full)];
        ASSERT_LE(inserted, 1u);
        ASSERT_TRUE(inserted == 0 || full == 0) << full << " threads, round " << round;
      }
    }
  });
}

TEST(BidirectionalThreads, AnAssignmentBesideAnErasureIsToldFullWhereThereIsNoRoom) {
  in_each_crowd([](const Crowd& crowd) {
    for (u32 round = 0; round < 5; ++round) {
      FullTable table(round * 7919 + 3, 60, 8);
      for (u32 key : table.keys) {
        std::atomic<u32> told[3] = {};
        crowd.run([&](u32 thread) {
          if (thread == 1) {
            table.view().erase(key);
          } else {
            ++told[u32(table.view().insert_or_assign(key, 5))];
          }
        });
        const bool has_room = table.view().insert(key, key) != InsertResult::full;
        ASSERT_TRUE(told[u32(InsertResult::full)] == 0 || !has_room) << "round " << round;
      }
    }
  });
}

}  // namespace copse::test
