#pragma once

// Turns a hang into a failure. Work that waits for other threads cannot be cancelled from outside, above all on
// the GPU. So the process ends.

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace copse::test {

/// Ends the process with a failure, after a line that says what hung, unless the object is destroyed within
/// `seconds`. Be generous: this is no limit on speed, and sanitizers are slow.
class Watchdog {
 public:
  static constexpr int exit_code = 86;

  Watchdog(double seconds, std::string what)
      : what_(std::move(what)), seconds_(seconds), thread_([this] { watch(); }) {}

  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, std::chrono::duration<double>(seconds_), [this] { return done_; })) return;
    std::fprintf(stderr, "watchdog: %s has not ended within %g s\n", what_.c_str(), seconds_);
    std::fflush(stderr);
    // Not std::exit: its destructors would wait for the work that hangs.
    std::_Exit(exit_code);
  }

  const std::string what_;
  const double seconds_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;  // last: the thread uses all members above
};

}  // namespace copse::test
