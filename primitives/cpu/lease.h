#pragma once

// Leases for tasks of the CPU backend: one for each worker at most.

#include <oneapi/tbb/task_arena.h>

#include "primitives/lease_pool.h"

namespace copse::cpu {

/// A lease for the calling task, given back at the end of the object's life; tried first is the one of the
/// worker's own, so that workers get back what their caches hold. A pool of as many leases as the context has
/// workers (lease_pool_for_any_warps) never makes a task wait, unless it waits for other tasks itself.
class TaskLease : public ThreadLease {
 public:
  explicit TaskLease(const LeasePoolView& pool) : ThreadLease(pool, own_place()) {}

 private:
  static u64 own_place() {
    const int worker = tbb::this_task_arena::current_thread_index();
    return worker < 0 ? 0 : u64(worker);  // negative for a thread that no arena knows
  }
};

}  // namespace copse::cpu
