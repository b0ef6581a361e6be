#include "cli/thread_limits.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/output.h"
#include "cli/system_limits.h"
#include "primitives/core/error.h"

namespace copse::cli {

std::string no_thread_message() {
  std::vector<std::string> limits;
  if (const auto count = limit_of(RLIMIT_NPROC)) {
    limits.push_back(fmt::format("{} processes and threads of this user (ulimit -u)", *count));
  }
  if (const auto bytes = limit_of(RLIMIT_AS)) {
    limits.push_back(fmt::format("{} of address space (ulimit -v)", readable_bytes(*bytes)));
  }
  if (const auto bytes = limit_of(RLIMIT_STACK)) {
    limits.push_back(fmt::format("{} of address space for each thread (ulimit -s)", readable_bytes(*bytes)));
  }
  if (const auto count = number_in("/sys/fs/cgroup/pids.max")) {
    limits.push_back(fmt::format("{} threads of this container (pids.max)", *count));
  }
  if (const auto count = number_in("/proc/sys/kernel/threads-max")) {
    limits.push_back(fmt::format("{} threads of this machine (threads-max)", *count));
  }
  return fmt::format("no thread can be started; the limits are {}", fmt::join(limits, ", "));
}

bool is_about_threads(const std::exception& error) {
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return system->code() == std::errc::resource_unavailable_try_again;
  }
  // oneTBB throws a plain std::runtime_error, "pthread_create has failed: ...".
  return std::strstr(error.what(), "pthread_create") != nullptr;
}

void check_threads(u32 count) {
  std::mutex mutex;
  std::condition_variable ended;
  bool may_end = false;
  std::vector<std::thread> threads;
  bool is_possible = true;
  try {
    threads.reserve(count);
    while (threads.size() < count) {
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        ended.wait(lock, [&] { return may_end; });
      });
    }
  } catch (const std::system_error&) {
    is_possible = false;
  }
  {
    const std::lock_guard lock(mutex);
    may_end = true;
  }
  ended.notify_all();
  for (std::thread& thread : threads) thread.join();
  if (is_possible) return;
  throw Error(ErrorCode::out_of_memory, fmt::format("only {} of {} threads can be started at once: {}",
                                                    threads.size() + 1, count + 1, no_thread_message()));
}

}  // namespace copse::cli
