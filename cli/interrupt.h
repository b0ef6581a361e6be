#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace copse::cli {

/// Turns the first Ctrl-C (SIGINT), SIGTERM or SIGHUP into a stop request, so that the running stage ends. Some work
/// does not ask for stop requests, such as the generation of a mesh or a call that writes a gigabyte. So if the
/// program has not ended within a fifth of a second, or if a second signal comes, the watch ends it. No half-written
/// file is left in either case: what is not complete has no name, or a temporary one that is removed.
///
/// A stop request may not be made in a signal handler, so the signals are blocked and a thread waits for them.
/// Construct it before any other thread, so that all threads inherit the blocking.
class InterruptWatch {
 public:
  /// Throws: std::system_error if its thread cannot be started.
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

/// Makes signals that would end the program at once, such as SIGQUIT, remove temporary files first. Signals that are
/// ignored, or that a sanitizer handles, are left alone.
void remove_temporary_files_on_signals();

}  // namespace copse::cli
