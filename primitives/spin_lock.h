#pragma once

// A lock for short critical sections, in kernels and on the host (Meister, Yoshimura, Kao, "GPU Programming
// Primitives for Computer Graphics", SIGGRAPH Asia 2023 Courses, "Spinlock on GPU").

#include "primitives/core/atomic.h"

namespace copse {

/// A lock of one word; zero bytes are a free one, so that fill_bytes(..., 0) makes an array of them. Whoever takes
/// it sees what the holder before wrote. Not recursive, and fair to nobody.
///
/// It has no lock(): a lane that waits in a loop of its own for a lane of the same warp keeps the warp from the
/// branch in which the holder would release it, on a GPU that runs the lanes of a warp in step. Take a lock by
/// `locked` below, or by try_lock where giving up is an answer.
class SpinLock {
 public:
  /// True where the caller holds the lock now; does not wait. In a kernel, what the holder does until its unlock
  /// stands inside the branch that a true answer takes.
  COPSE_HD bool try_lock() {
    // Look before writing: those who wait share the line until the holder writes it.
    return load_relaxed(&word_) == 0 && compare_exchange_acquire(&word_, 0u, 1u) == 0;
  }

  /// By the holder alone.
  COPSE_HD void unlock() { store_release(&word_, 0u); }

 private:
  u32 word_ = 0;
};

namespace detail {

/// Unlocks also where the critical section throws, on the host.
class Unlock {
 public:
  COPSE_HD explicit Unlock(SpinLock& lock) : lock_(lock) {}
  COPSE_HD ~Unlock() { lock_.unlock(); }
  Unlock(const Unlock&) = delete;
  Unlock& operator=(const Unlock&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace detail

/// Calls section() once while holding `lock`. Waits until it has. Any lanes of a warp may call it, with locks of
/// their own or one for all; `section` takes no other lock by `locked`, whose order could make a circle.
///
/// Why it ends, with lanes in step as well as with lanes scheduled independently: taking, working and releasing
/// stand in one pass of the loop, so a lane that holds the lock gets from one to the other without waiting for
/// any lane; and no lane leaves the loop before all that run it together are done, so that the compiler cannot
/// move the section behind the loop, where the holder would wait for those that still ask for its lock. In each
/// pass over a lock that nobody else holds, one lane is served.
template <class Section>
COPSE_HD void locked(SpinLock& lock, const Section& section) {
  SpinWait wait;
  bool done = false;
  for (;;) {
    if (!done && lock.try_lock()) {
      const detail::Unlock unlock(lock);
      section();
      done = true;
    }
    if (all_lanes_done(done)) return;
    if (!done) wait();
  }
}

}  // namespace copse
