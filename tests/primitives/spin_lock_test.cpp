#include "primitives/spin_lock.h"

#include <gtest/gtest.h>

#include "primitives/core/error.h"

namespace copse::test {

TEST(SpinLock, IsReleasedWhereTheSectionThrows) {
  SpinLock lock;
  EXPECT_THROW(locked(lock, [] { throw Error(ErrorCode::capacity, "full"); }), Error);
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

}  // namespace copse::test
