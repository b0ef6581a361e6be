#pragma once

// Atomic operations of the lanes of a warp together: counters that they raise by one operation, and loops in which some
// of them wait. On the host each thread stands alone.

#include <sched.h>

#include "primitives/core/atomic.h"

namespace copse {

/// Adds 1 for the calling thread and returns the old value; relaxed. The lanes of a warp that call
/// together on one counter share a single operation, in the order of the lanes.
COPSE_HD inline u64 fetch_increment_by_warp(u64* p) {
#if COPSE_DEVICE_CODE
  u32 lane, lower_lanes;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower_lanes));
  const u32 callers = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(p));
  const int leader = __ffs(int(callers)) - 1;
  u64 first = 0;
  if (int(lane) == leader) first = fetch_add_relaxed(p, u64(__popc(callers)));
  return __shfl_sync(callers, first, leader) + u64(__popc(callers & lower_lanes));
#else
  return fetch_add_relaxed(p, u64{1});
#endif
}

/// As fetch_increment_by_warp, but acquires and releases, for each of the lanes that call together.
COPSE_HD inline u64 fetch_increment_by_warp_acq_rel(u64* p) {
#if COPSE_DEVICE_CODE
  u32 lane, lower_lanes;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower_lanes));
  const u32 callers = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(p));
  const int leader = __ffs(int(callers)) - 1;
  u64 first = 0;
  // The leader releases what the lanes did before the first barrier, and acquires for what they do behind the
  // other.
  __syncwarp(callers);
  if (int(lane) == leader) {
    asm volatile("atom.acq_rel.gpu.add.u64 %0, [%1], %2;"
                 : "=l"(first)
                 : "l"(p), "l"(u64(__popc(callers)))
                 : "memory");
  }
  __syncwarp(callers);
  return __shfl_sync(callers, first, leader) + u64(__popc(callers & lower_lanes));
#else
  return std::atomic_ref<u64>(*p).fetch_add(1, std::memory_order_acq_rel);
#endif
}

/// Adds `count` for the calling thread, and returns the old value; relaxed. The lanes of a warp that
/// call together on one counter share a single operation, in the order of the lanes.
COPSE_HD inline u64 fetch_add_by_warp(u64* p, u32 count) {
#if COPSE_DEVICE_CODE
  u32 lane, lower_lanes;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower_lanes));
  const u32 callers = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(p));
  // A vote for each bit of the counts: as many as the largest has.
  u64 before = 0, total = 0;
  for (u32 bit = 0; __any_sync(callers, (count >> bit) != 0); ++bit) {
    const u32 votes = __ballot_sync(callers, (count >> bit & 1) != 0);
    before += u64(__popc(votes & lower_lanes)) << bit;
    total += u64(__popc(votes)) << bit;
    if (bit == 31) break;
  }
  const int leader = __ffs(int(callers)) - 1;
  u64 first = 0;
  if (int(lane) == leader && total > 0) first = fetch_add_relaxed(p, total);
  return __shfl_sync(callers, first, leader) + before;
#else
  return fetch_add_relaxed(p, u64{count});
#endif
}

/// For loops in which lanes of a warp wait: returns true once all lanes that run the loop together are done. Until
/// then the lanes that are done stay in the loop. So a compiler cannot move the body of the loop behind its end,
/// where the lanes would wait for each other. On the host, returns whether the thread is done.
COPSE_HD inline bool all_lanes_done(bool done) {
#if COPSE_DEVICE_CODE
  return __all_sync(__activemask(), done) != 0;
#else
  return done;
#endif
}

/// A pause for loops that poll a word which another thread will write: call it once per iteration.
class SpinWait {
 public:
  COPSE_HD void operator()() {
#if COPSE_DEVICE_CODE
    __nanosleep(nanoseconds_);
    if (nanoseconds_ < 256) nanoseconds_ *= 2;
#else
    // If there are more threads than cores, the other thread may need this core.
    sched_yield();
#endif
  }

 private:
  u32 nanoseconds_ = 16;
};

}  // namespace copse
