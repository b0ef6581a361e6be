// Scratch pools under crowds of threads: a slot has one holder at a time, and its holders see each other's writes.

#include "primitives/scratch_pool.h"

#include <atomic>

#include "primitives/cpu/scratch_pool.h"
#include "tests/support/crowd.h"

namespace copse::test {
namespace {

/// A pool with a plain counter in each slot, and a count of its holders.
class WatchedPool {
 public:
  explicit WatchedPool(u32 slot_count) : pool_(context_, slot_count, sizeof(u64)), holders_(slot_count) {
    for (u32 slot = 0; slot < slot_count; ++slot) counter(slot) = 0;
  }
  ScratchPoolView view() { return pool_.view(); }
  ScratchPoolReport report() const { return pool_.report(); }

  /// For the holder of a slot: counts a use in its memory.
  void use(u32 slot, Dice& dice) {
    if (holders_[slot].fetch_add(1) != 0) ++faults_;
    const u64 before = counter(slot);
    dice.roll(2);  // may give way to the others
    counter(slot) = before + 1;
    ++uses_;
    holders_[slot].fetch_sub(1);
  }

  void expect_right() {
    u64 sum = 0;
    for (u32 slot = 0; slot < holders_.size(); ++slot) sum += counter(slot);
    EXPECT_EQ(sum, uses_.load());
    EXPECT_EQ(faults_.load(), 0u);
    EXPECT_EQ(report().held_count, 0u);
  }
  u64 uses() const { return uses_; }

 private:
  u64& counter(u32 slot) { return *reinterpret_cast<u64*>(pool_.view().memory(slot)); }

  Context context_{{.backend = Backend::cpu, .workers = 1}};
  ScratchPool pool_;
  std::vector<std::atomic<u32>> holders_;
  std::atomic<u64> uses_ = 0, faults_ = 0;
};

constexpr u32 all_uses = 60000;

}  // namespace

TEST(ScratchPoolThreads, GiveASlotToOneAtATime) {
  in_each_crowd([](const Crowd& crowd) {
    for (u32 slot_count : {1, 2, 3, 33}) {
      WatchedPool pool(slot_count);
      crowd.run([&](u32 thread) {
        Dice dice(thread, slot_count);
        for (u32 k = 0; k < all_uses / crowd.size(); ++k) {
          const u32 slot = pool.view().acquire(dice.roll(slot_count));
          pool.use(slot, dice);
          pool.view().release(slot);
        }
      });
      pool.expect_right();
      EXPECT_EQ(pool.uses(), all_uses / crowd.size() * crowd.size());
      if (slot_count >= crowd.size()) {
        EXPECT_EQ(pool.report().wait_count, 0u);
      }
    }
  });
}

TEST(ScratchPoolThreads, RefuseOnlyIfOthersHoldSlots) {
  in_each_crowd([](const Crowd& crowd) {
    for (u32 slot_count : {1u, 2u, crowd.size()}) {
      WatchedPool pool(slot_count);
      std::atomic<u64> refused = 0;
      crowd.run([&](u32 thread) {
        Dice dice(thread, slot_count);
        for (u32 k = 0; k < all_uses / crowd.size(); ++k) {
          const u32 slot = pool.view().try_acquire(dice.roll(slot_count));
          if (slot == invalid_id) {
            ++refused;
            continue;
          }
          pool.use(slot, dice);
          pool.view().release(slot);
        }
      });
      pool.expect_right();
      EXPECT_EQ(pool.uses() + refused, all_uses / crowd.size() * crowd.size());
    }
  });
}

TEST(ScratchPoolThreads, LeaseWhileAFunctionRuns) {
  in_each_crowd([](const Crowd& crowd) {
    for (u32 slot_count : {1, 3, 40}) {
      WatchedPool pool(slot_count);
      const ScratchPoolView view = pool.view();
      crowd.run([&](u32 thread) {
        Dice dice(thread, slot_count);
        for (u32 k = 0; k < all_uses / crowd.size(); ++k) {
          with_scratch(view, u64{thread} * 1000 + k, [&](unsigned char* memory) {
            pool.use(u32((memory - view.memory(0)) / view.slot_bytes()), dice);
          });
        }
      });
      pool.expect_right();
      EXPECT_EQ(pool.uses(), all_uses / crowd.size() * crowd.size());
    }
  });
}

TEST(ScratchPoolThreads, LeaseToTasksOutsideOfAnyArena) {
  in_each_crowd([](const Crowd& crowd) {
    WatchedPool pool(3);
    const ScratchPoolView view = pool.view();
    crowd.run([&](u32 thread) {
      Dice dice(thread, 5);
      for (u32 k = 0; k < all_uses / crowd.size(); ++k) {
        const cpu::TaskScratch scratch(view);
        pool.use(scratch.number(), dice);
      }
    });
    pool.expect_right();
  });
}

}  // namespace copse::test
