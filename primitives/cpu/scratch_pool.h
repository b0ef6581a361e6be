#pragma once

// Leases for tasks of the CPU backend: one for each worker at most.

#include <oneapi/tbb/task_arena.h>

#include "primitives/scratch_pool.h"

namespace copse::cpu {

/// A lease for the calling task, given back at the end of the object's life; tried first is the one of the
/// worker's own, so that workers get back what their caches hold. A pool of as many leases as the context has
/// workers (lease_pool_for_any_warps) never makes a task wait, unless it waits for other tasks itself.
class TaskLease {
 public:
  explicit TaskLease(const LeasePoolView& pool) : pool_(pool), lease_(pool.take(own_place(pool))) {}
  ~TaskLease() { pool_.give_back(lease_); }
  TaskLease(const TaskLease&) = delete;
  TaskLease& operator=(const TaskLease&) = delete;

  /// The leased memory, not initialised.
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(pool_.memory(lease_));
  }
  u32 number() const { return lease_; }

 private:
  static u32 own_place(const LeasePoolView& pool) {
    const int worker = tbb::this_task_arena::current_thread_index();
    return worker < 0 ? 0 : u32(worker) % pool.lease_count();  // negative for a thread that no arena knows
  }

  const LeasePoolView pool_;
  const u32 lease_;
};

}  // namespace copse::cpu
