#pragma once

// Turns a hang into a failure: work that waits for other threads, on the GPU above all, cannot be cancelled from
// outside, so the process ends.

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace copse::test {

/// Ends the process with a failure, after a line that says what hung, unless destroyed within `seconds`. Be
/// generous: this is no limit on speed, and sanitizers are slow.
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
    // Not std::exit: destructors would wait for what hangs.
    std::_Exit(exit_code);
  }

  const std::string what_;
  const double seconds_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace copse::test
