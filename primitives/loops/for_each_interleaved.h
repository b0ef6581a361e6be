#pragma once

// Contract of for_each_interleaved; implemented in for_each_interleaved_cpu.h and for_each_interleaved.cuh.
//
//   for_each_interleaved(ex, label, n, f, counts)
//     Works on each i in [0, n) by steps, of which nobody knows the number beforehand: searches, above all. A
//     thread that is done with one element begins its next while other lanes of its warp are still at theirs, so
//     that the long searches of some do not hold up the rest. Elements are begun roughly in their order. `f`: a
//     named struct with host+device
//       Input fetch(u64 i) const                loads what the element is about, ahead of time
//       State start(const Input&) const         where its steps begin
//       u32 step(u64 i, State&) const           one step: the outcome, below 4, once the element is done; else
//                                               anything from 4 on, to be called again
//     counts: null, or four numbers, to which the elements of each outcome are added. No scratch.

#include "primitives/core/executor.h"
