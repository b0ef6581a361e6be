#pragma once

#include "primitives/core/executor.h"

namespace copse::bench {

template <class Executor, class T>
void fill_hashed_elements(const Executor& ex, T* data, u64 n, u32 bits, u32 seed);

template <class Executor>
void fill_with_indices(const Executor& ex, u32* data, u64 n);

/// Counts in *different the words that differ.
template <class Executor, class Word>
void count_different(const Executor& ex, const Word* a, const Word* b, u64 n, u32* different);

}  // namespace copse::bench
