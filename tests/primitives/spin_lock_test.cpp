#include "primitives/spin_lock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "primitives/core/error.h"
#include "tests/support/watchdog.h"

namespace copse::test {

TEST(SpinLock, LetsThreadsInOneByOne) {
  const Watchdog watchdog(300, "threads at one lock");
  constexpr int thread_count = 4, repeats = 20000;
  SpinLock lock;
  u64 sum = 0;  // not an atomic, so that the thread sanitizer sees a lock that does not lock
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < repeats; ++k) locked(lock, [&] { ++sum; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, u64{thread_count} * repeats);
}

TEST(SpinLock, IsReleasedWhereTheSectionThrows) {
  SpinLock lock;
  EXPECT_THROW(locked(lock, [] { throw Error(ErrorCode::capacity, "full"); }), Error);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

}  // namespace copse::test
