#pragma once

// Contract of for_each_interleaved; implemented in for_each_interleaved_cpu.h and for_each_interleaved.cuh.
//
//   for_each_interleaved(ex, label, n, f, counts)
//     Works on each i in [0, n) in steps whose number is not known in advance, such as those of a search. A thread
//     that is done with one element begins its next one while other lanes of its warp still work on theirs, so
//     that a few long searches do not delay the rest. Elements begin roughly in their order.
//     `f`: a named struct with host+device
//       Input fetch(u64 i) const          loads the input of an element, ahead of time
//       State start(const Input&) const   returns the state before the first step
//       u32 step(u64 i, State&) const     does one step. Returns the outcome, below 4, if the element is done, or
//                                         done_uncounted if it is done without an outcome; else returns another
//                                         number, and is called again
//     counts: null, or four numbers, to which the numbers of elements with each outcome are added. No scratch.

#include "primitives/core/executor.h"

namespace copse::detail {

inline constexpr u32 done_uncounted = 7;

COPSE_HD constexpr bool is_done(u32 outcome) {
  return outcome < 4 || outcome == done_uncounted;
}

}  // namespace copse::detail
