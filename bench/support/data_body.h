#pragma once

#include "primitives/core/executor.h"

namespace copse::bench {

template <class Executor, class T>
void fill_hashed_elements(const Executor& ex, T* data, u64 n, u32 bits, u32 seed);

template <class Executor>
void fill_with_indices(const Executor& ex, u32* data, u64 n);

template <class Executor>
void fill_with_permutation(const Executor& ex, u32* data, u32 log_n);

template <class Executor>
void fill_with_list(const Executor& ex, u32* next, u32 log_n);

// The functions below count faults in *wrong.

template <class Executor, class T>
void count_descents(const Executor& ex, const T* data, u64 n, u32* wrong);

template <class Executor>
void count_word_descents(const Executor& ex, const u32* words, u64 n, u32 key_words, u32 bits, u32* wrong);

template <class Executor>
void count_wrong_ranks(const Executor& ex, const u32* ranks, u32 log_n, u32* wrong);

/// Each record has `words` words.
template <class Executor>
void count_not_gathered(const Executor& ex, const u32* in, const u32* index, const u32* out, u64 n, u32 words,
                        u32* wrong);

/// The sum depends on the elements, but not on their order.
template <class Executor, class T>
void sum_hashes(const Executor& ex, const T* data, u64 n, u64* sum);

template <class Executor, class Word>
void count_different(const Executor& ex, const Word* a, const Word* b, u64 n, u32* wrong);

}  // namespace copse::bench
