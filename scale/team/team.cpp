// A run raises run_count_, which wakes all threads. The last thread that is done wakes the caller.

#include "scale/team/team.h"

#include <string>
#include <system_error>

#include "primitives/core/counted.h"
#include "primitives/core/error.h"

namespace copse::detail {

namespace {

std::exception_ptr error_of(const std::function<void(u32)>& work, u32 member) {
  try {
    work(member);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

Team::Team(u32 count) : errors_(count) {
  threads_.reserve(count);
  try {
    for (u32 member = 1; member < count; ++member) threads_.emplace_back(&Team::serve, this, member);
  } catch (const std::system_error& error) {
    const u32 started = u32(threads_.size());
    stop();
    throw Error(ErrorCode::out_of_memory, "the system started " + std::to_string(started) + " of " +
                                              counted(count - 1, "threads") + " for devices: " + error.what());
  } catch (...) {  // no memory for the data of a thread
    stop();
    throw;
  }
}

Team::~Team() {
  stop();
}

void Team::stop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  begins_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::serve(u32 member) {
  u64 done_count = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begins_.wait(lock, [&] { return stops_ || run_count_ > done_count; });
    if (stops_) return;
    done_count = run_count_;
    lock.unlock();
    const std::exception_ptr error = error_of(*work_, member);
    lock.lock();
    errors_[member] = error;
    if (--open_ == 0) ends_.notify_one();
  }
}

std::vector<std::exception_ptr> Team::run(const std::function<void(u32)>& work) {
  if (is_busy_.exchange(true)) {
    throw Error(ErrorCode::invalid_argument,
                "run: the devices are in a run already; two threads, or work inside of work, cannot share them");
  }
  std::vector<std::exception_ptr> errors;
  try {
    errors.resize(count());
  } catch (...) {
    is_busy_ = false;
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    open_ = u32(threads_.size());
    ++run_count_;
  }
  begins_.notify_all();
  const std::exception_ptr own = error_of(work, 0);
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [&] { return open_ == 0; });
  errors_[0] = own;
  errors.swap(errors_);
  is_busy_ = false;
  return errors;
}

}  // namespace copse::detail
