#pragma once

// Scratch for tasks of the CPU backend: at most one slot per worker.

#include "primitives/cpu/usable_workers.h"
#include "primitives/scratch_pool.h"

namespace copse::cpu {

/// A slot of a pool, which the calling task holds for the life of the object. It first tries the slot of its own
/// worker, since the memory of that slot is in the cache of the worker. If the pool has as many slots as the
/// context has workers (scratch_pool_for_any_warps), a task never waits, unless it waits for other tasks itself.
class TaskScratch {
 public:
  explicit TaskScratch(const ScratchPoolView& pool)
      : pool_(pool), slot_(pool.acquire(this_worker() % pool.slot_count())) {}
  ~TaskScratch() { pool_.release(slot_); }
  TaskScratch(const TaskScratch&) = delete;
  TaskScratch& operator=(const TaskScratch&) = delete;

  /// Returns the memory, not initialised.
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(pool_.memory(slot_));
  }
  u32 number() const { return slot_; }

 private:
  const ScratchPoolView pool_;
  const u32 slot_;
};

// Deprecated names, until 0.2.
using TaskLease [[deprecated("use TaskScratch")]] = TaskScratch;

}  // namespace copse::cpu
