#pragma once

// A lock for short critical sections, in kernels and on the host (Meister, Yoshimura, Kao, "GPU Programming
// Primitives for Computer Graphics", SIGGRAPH Asia 2023 Courses, "Spinlock on GPU").

#include "primitives/core/atomic.h"
#include "primitives/core/warp_atomic.h"

namespace copse {

/// A lock of one word. Zero bytes are a free lock, so fill_bytes(..., 0) makes an array of them. A thread that
/// takes it sees what the previous holder wrote. The lock is not recursive and not fair.
///
/// It has no lock(): if a lane waited in a loop of its own for a lane of the same warp, then on a GPU that runs
/// the lanes of a warp in step the warp would never reach the branch in which the holder releases the lock. Use
/// `locked` below, or try_lock if you can give up.
class SpinLock {
 public:
  /// Tries to take the lock, and returns true if the caller now holds it. Does not wait. In a kernel, put all work
  /// up to the unlock inside the branch that is taken on true.
  COPSE_HD bool try_lock() {
    // Look before writing: waiting threads share the cache line until the holder writes to it.
    return load_relaxed(&word_) == 0 && compare_exchange_acquire(&word_, 0u, 1u) == 0;
  }

  /// Releases the lock. Only the holder may call it.
  COPSE_HD void unlock() { store_release(&word_, 0u); }

 private:
  u32 word_ = 0;
};

namespace detail {

/// Unlocks also if the critical section throws, on the host.
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

/// Calls section() once while it holds `lock`, and waits until it can. Any lanes of a warp may call it together,
/// with one lock or several. `section` must not take another lock by `locked`, since that could deadlock.
///
/// Why it ends, whether lanes run in step or are scheduled independently: one pass of the loop takes the lock,
/// works and releases it, so the holder never waits for another lane. And no lane leaves the loop before all lanes
/// that run it together are done. So the compiler cannot move the section behind the loop, where the holder would
/// wait for the lanes that still ask for its lock. In each pass over a lock that no other warp holds, one lane is
/// served.
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
