#pragma once

#include "primitives/cpu/for_each.h"
#include "primitives/loops/zeroed_words.h"

namespace copse::cpu {

inline u64 zeroed_words_scratch_bytes(const Executor&, u64 count) {
  return ScratchArena::bytes_for<u32>(count);
}

/// Contract: primitives/loops/zeroed_words.h.
template <class Run>
void with_zeroed_words(const Executor& ex, const char* label, u64 count, const Run& run) {
  ScratchArena::Frame frame(ex.scratch);
  u32* words = frame.allocate<u32>(count);
  fill_bytes(ex, label, words, count, 0);
  run(words);
}

}  // namespace copse::cpu
