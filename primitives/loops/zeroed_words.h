#pragma once

// Contract of with_zeroed_words; implemented in zeroed_words_cpu.h and zeroed_words.cuh.
//
//   with_zeroed_words(ex, label, count, run)
//     Calls run(words) on the host, which launches work that takes `count` words of 0, u32*, and leaves them 0. On
//     CUDA as many as ZeroedMemory has cost nothing; more are scratch, set by a memset, as on the CPU. No
//     primitive that `run` calls may take words or counters of this kind itself.
//
//   zeroed_words_scratch_bytes(ex, count)
//     The scratch that it takes.

#include "primitives/core/executor.h"
