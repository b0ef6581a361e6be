#pragma once

// Contract of for_each_prefetched; implemented in for_each_prefetched_cpu.h and for_each_prefetched.cuh.
//
//   for_each_prefetched(ex, label, n, f, counts)
//     Calls f.finish(i, f.start(i)) once for each i in [0, n). Each thread starts several elements before it
//     finishes the first, so that the loads of `start` are in flight for all of them at once. Elements are taken
//     roughly in their order, so that neighbours find the same memory in the caches. `f`: a named struct with
//     host+device `State start(u64 i) const` and `u32 finish(u64 i, const State&) const`, which returns the
//     outcome of the element, below 4.
//     counts: null, or four numbers, to which the numbers of elements with each outcome are added. No scratch.

#include "primitives/core/executor.h"
