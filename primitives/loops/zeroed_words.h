#pragma once

// Contract of with_zeroed_words; implemented in zeroed_words_cpu.h and zeroed_words.cuh.
//
//   with_zeroed_words(ex, label, count, run)
//     Calls run(words) on the host. `run` launches work that uses `count` words, a u32*, which are 0 before, and
//     which the work must leave 0. On CUDA, words that fit ZeroedMemory cost nothing; more of them are scratch
//     that is cleared first, as on the CPU. `run` must not call a primitive that itself takes such words or
//     counters.
//
//   zeroed_words_scratch_bytes(ex, count)
//     Returns the bytes of scratch that with_zeroed_words takes.

#include "primitives/core/executor.h"
