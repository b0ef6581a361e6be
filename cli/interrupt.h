#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace copse::cli {

/// Turns the first Ctrl-C (SIGINT) or SIGTERM into a stop request: the running stage ends, and no half-written
/// file is left. A second one ends the program at once.
///
/// A stop request may not be made in a signal handler, so the signals are blocked and a thread waits for them.
/// Construct it before any other thread, so that all threads inherit the blocking.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }

  /// Throws: Error cancelled after a signal.
  void throw_if_interrupted() const;

 private:
  void wait_for_signals();

  std::stop_source source_;
  std::atomic<bool> ending_ = false;
  sigset_t signals_;
  std::thread thread_;
};

}  // namespace copse::cli
