#pragma once

// Plain threads, more than there are cores. oneTBB starts no more workers than cores, so on a small machine its
// loops never show what goes wrong among three threads, or when the system stops a thread between two steps.

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <barrier>
#include <random>
#include <thread>
#include <vector>

#include "primitives/core/types.h"
#include "tests/support/watchdog.h"

namespace copse::test {

/// Stops threads for a moment, each at any instruction, so that the others meet what it has left half done. The
/// system alone does so every few milliseconds.
class Shaker {
 public:
  explicit Shaker(std::vector<std::thread>& threads) : threads_(threads), thread_([this] { shake(); }) {}

  /// Call it before the threads are joined.
  ~Shaker() {
    done_ = true;
    thread_.join();
  }
  Shaker(const Shaker&) = delete;
  Shaker& operator=(const Shaker&) = delete;

 private:
  static void sleep_us(long us) {
    const timespec time{0, us * 1000};
    nanosleep(&time, nullptr);
  }

  void shake() {
    struct sigaction action = {};
    action.sa_handler = [](int) { sleep_us(1); };
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR2, &action, nullptr);
    std::minstd_rand random(1);
    while (!done_) {
      // Not more often: most threads must run at any time.
      sleep_us(50);
      pthread_kill(threads_[random() % threads_.size()].native_handle(), SIGUSR2);
    }
  }

  std::vector<std::thread>& threads_;
  std::atomic<bool> done_ = false;
  std::thread thread_;  // last: it uses the members above
};

/// A number of threads that start together, and are shaken while they run.
class Crowd {
 public:
  explicit Crowd(u32 size) : size_(size) {}
  u32 size() const { return size_; }

  /// Calls f(thread) in each thread, with its number, and returns when all have ended.
  template <class F>
  void run(const F& f) const {
    std::barrier start(size_);
    std::atomic<u32> running = size_;
    std::vector<std::thread> threads;
    for (u32 thread = 0; thread < size_; ++thread) {
      threads.emplace_back([&, thread] {
        start.arrive_and_wait();
        f(thread);
        if (--running == 0) running.notify_one();
      });
    }
    {
      const Shaker shaker(threads);
      for (u32 left; (left = running) > 0;) running.wait(left);
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  u32 size_;
};

/// Calls test(crowd) for crowds of 3, 4, 16 and 32 threads. Stops after the first one that fails.
template <class Test>
void in_each_crowd(const Test& test) {
  const Watchdog watchdog(
      900, "a test of " + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  for (u32 size : {3, 4, 16, 32}) {
    SCOPED_TRACE(std::to_string(size) + " threads");
    test(Crowd(size));
    if (testing::Test::HasFailure()) return;
  }
}

/// Random numbers of one thread. Gives way to other threads now and then, so that they meet in any state.
class Dice {
 public:
  Dice(u32 thread, u32 seed) : random_(seed * 1000 + thread + 1) {}

  /// Returns a number below n.
  u32 roll(u32 n) {
    if (random_() % 64 == 0) std::this_thread::yield();
    return u32(random_() >> 4) % n;
  }

 private:
  std::minstd_rand random_;
};

}  // namespace copse::test
