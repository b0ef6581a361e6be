#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "primitives/core/types.h"

namespace copse::detail {

/// Threads that do the same work at once. They live as long as the team, so that a run starts no threads.
class Team {
 public:
  /// Starts count - 1 threads; the caller of run() is member 0.
  /// Throws: Error out_of_memory if the system does not start them.
  explicit Team(u32 count);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  u32 count() const { return u32(threads_.size()) + 1; }

  /// Calls work(member) for each member, and returns the exception of each; null for none.
  /// Throws: Error invalid_argument if the team is in a run already.
  std::vector<std::exception_ptr> run(const std::function<void(u32)>& work);

 private:
  void serve(u32 member);
  void stop();

  std::vector<std::thread> threads_;
  std::atomic<bool> is_busy_ = false;
  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  const std::function<void(u32)>* work_ = nullptr;
  std::vector<std::exception_ptr> errors_;
  u64 run_count_ = 0;
  u32 open_ = 0;  // members that are still working
  bool stops_ = false;
};

}  // namespace copse::detail
