// Locks under crowds of threads.

#include "primitives/spin_lock.h"

#include "tests/support/crowd.h"

namespace copse::test {

TEST(SpinLockThreads, EnterOneByOne) {
  in_each_crowd([](const Crowd& crowd) {
    const u32 repeats = 400000 / crowd.size();
    SpinLock lock;
    u64 sum = 0;  // not an atomic, so that the thread sanitizer sees a lock that does not lock
    crowd.run([&](u32) {
      for (u32 k = 0; k < repeats; ++k) locked(lock, [&] { ++sum; });
    });
    EXPECT_EQ(sum, u64{repeats} * crowd.size());
  });
}

TEST(SpinLockThreads, GiveUpIfItIsTaken) {
  in_each_crowd([](const Crowd& crowd) {
    SpinLock lock;
    u64 sum = 0;
    std::atomic<u64> entered = 0;
    crowd.run([&](u32 thread) {
      Dice dice(thread, 1);
      for (u32 k = 0; k < 200000 / crowd.size(); ++k) {
        if (!lock.try_lock()) continue;
        const u64 before = sum;
        dice.roll(2);  // may give way to the others
        sum = before + 1;
        lock.unlock();
        ++entered;
      }
    });
    EXPECT_EQ(sum, entered.load());
    EXPECT_TRUE(lock.try_lock());
  });
}

/// Each account has a lock. A transfer holds one lock at a time.
TEST(SpinLockThreads, NeverLoseWhatTheyMove) {
  in_each_crowd([](const Crowd& crowd) {
    constexpr u32 accounts = 5;
    SpinLock locks[accounts];
    u64 balance[accounts] = {1000, 1000, 1000, 1000, 1000};
    crowd.run([&](u32 thread) {
      Dice dice(thread, 2);
      for (u32 k = 0; k < 200000 / crowd.size(); ++k) {
        const u32 from = dice.roll(accounts), to = dice.roll(accounts);
        u64 moved = 0;
        locked(locks[from], [&] {
          moved = balance[from] / 2;
          balance[from] -= moved;
        });
        locked(locks[to], [&] { balance[to] += moved; });
      }
    });
    EXPECT_EQ(balance[0] + balance[1] + balance[2] + balance[3] + balance[4], 5000u);
  });
}

}  // namespace copse::test
