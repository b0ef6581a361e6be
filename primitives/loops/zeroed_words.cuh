#pragma once

#include "primitives/cuda/for_each.cuh"
#include "primitives/loops/zeroed_words.h"

namespace copse::cuda {

inline u64 zeroed_words_scratch_bytes(const Executor&, u64 count) {
  return count * sizeof(u32) <= ZeroedMemory::bytes ? 0 : ScratchArena::bytes_for<u32>(count);
}

/// Contract: primitives/loops/zeroed_words.h.
template <class Run>
void with_zeroed_words(const Executor& ex, const char* label, u64 count, const Run& run) {
  if (count * sizeof(u32) <= ZeroedMemory::bytes) {
    ZeroedMemory::Scope zeroed(ex.zeroed);
    run(static_cast<u32*>(zeroed.data()));
    zeroed.leaves_zero();
    return;
  }
  ScratchArena::Frame frame(ex.scratch);
  u32* words = frame.allocate<u32>(count);
  fill_bytes(ex, label, words, count, 0);
  run(words);
}

}  // namespace copse::cuda
