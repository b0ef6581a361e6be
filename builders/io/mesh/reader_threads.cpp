#include "builders/io/mesh/reader_threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "primitives/cpu/float_mode.h"

namespace copse::detail {

void for_each_on_threads(u64 count, u32 thread_count, const std::function<void(u64)>& body) {
  std::atomic<u64> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    const cpu::FloatMode mode;
    try {
      for (u64 i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };

  const u64 wanted = thread_count > 0 ? thread_count : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  try {
    for (u64 i = 1; i < std::min(wanted, count); ++i) others.emplace_back(work);
  } catch (const std::system_error&) {
    // Go on with the threads that there are.
  }
  work();
  others.clear();  // waits for them
  if (error) std::rethrow_exception(error);
}

}  // namespace copse::detail
