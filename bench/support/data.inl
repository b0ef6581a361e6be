#include "bench/support/data_body.h"
#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/inputs.h"
#include "primitives/reduce.h"

namespace copse::bench {

namespace {

/// Returns the finaliser of SplitMix64 of x, which is a bijection (Steele, Lea, Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014).
COPSE_HD u64 mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

template <class T>
struct FillHashed {
  T* data;
  T mask;
  u64 seed;
  COPSE_HD void operator()(u64 i) const {
    data[i] = T(mixed(seed + (i + 1) * 0x9e3779b97f4a7c15ull) >> (64 - 8 * sizeof(T))) & mask;
  }
};

struct FillIndices {
  u32* data;
  COPSE_HD void operator()(u64 i) const { data[i] = u32(i); }
};

/// Maps the numbers below 2^log_n one to one, because each of its steps does.
COPSE_HD u32 permuted(u64 i, u32 log_n) {
  const u32 mask = u32((u64{1} << log_n) - 1);
  u32 x = u32(i);
  for (u32 round = 0; round < 3; ++round) {
    x = (x * 0x9e3779b1u + 0x7f4a7c15u) & mask;
    x ^= x >> (log_n / 2 + 1);
  }
  return x;
}

struct FillPermutation {
  u32* data;
  u32 log_n;
  COPSE_HD void operator()(u64 i) const { data[i] = permuted(i, log_n); }
};

struct FillList {
  u32* next;
  u32 log_n;
  COPSE_HD void operator()(u64 i) const {
    const bool is_last = i + 1 == u64{1} << log_n;
    next[permuted(i, log_n)] = permuted(is_last ? i : i + 1, log_n);
  }
};

struct CountWrongRanks {
  const u32* ranks;
  u32 log_n;
  u32* wrong;
  COPSE_HD void operator()(u64 i) const {
    if (ranks[permuted(i, log_n)] != i) fetch_add_relaxed(wrong, 1u);
  }
};

struct CountWordDescents {
  const u32* words;
  u32 key_words, bits;
  u32* wrong;
  COPSE_HD void operator()(u64 i) const {
    const u32 *key = words + i * key_words, *next = key + key_words;
    u32 k = (bits - 1) / 32;
    u32 mask = ~0u >> (31 - (bits - 1) % 32);
    for (; k > 0 && (key[k] & mask) == (next[k] & mask); --k) mask = ~0u;
    if ((next[k] & mask) < (key[k] & mask)) fetch_add_relaxed(wrong, 1u);
  }
};

template <class T>
struct CountDescents {
  const T* data;
  u32* wrong;
  COPSE_HD void operator()(u64 i) const {
    if (data[i + 1] < data[i]) fetch_add_relaxed(wrong, 1u);
  }
};

template <class T>
struct HashOf {
  const T* data;
  COPSE_HD u64 operator()(u64 i) const { return mixed(u64(data[i]) + 0x9e3779b97f4a7c15ull); }
};

struct CountNotGathered {
  const u32 *in, *index, *out;
  u32 words;
  u32* wrong;
  COPSE_HD void operator()(u64 i) const {
    const u64 record = i / words, word = i % words;
    if (out[i] != in[u64{index[record]} * words + word]) fetch_add_relaxed(wrong, 1u);
  }
};

template <class Word>
struct CountDifferent {
  const Word *a, *b;
  u32* wrong;
  COPSE_HD void operator()(u64 i) const {
    if (a[i] != b[i]) fetch_add_relaxed(wrong, 1u);
  }
};

}  // namespace

template <class Executor, class T>
void fill_hashed_elements(const Executor& ex, T* data, u64 n, u32 bits, u32 seed) {
  const T mask = bits == 0 ? T(0) : T(~u64{0} >> (64 - bits));
  for_each(ex, "bench: fill", n, FillHashed<T>{data, mask, u64{seed} << 40});
}

template <class Executor>
void fill_with_indices(const Executor& ex, u32* data, u64 n) {
  for_each(ex, "bench: fill", n, FillIndices{data});
}

template <class Executor>
void fill_with_permutation(const Executor& ex, u32* data, u32 log_n) {
  for_each(ex, "bench: fill", u64{1} << log_n, FillPermutation{data, log_n});
}

template <class Executor, class T>
void count_descents(const Executor& ex, const T* data, u64 n, u32* wrong) {
  if (n > 0) for_each(ex, "bench: check the order", n - 1, CountDescents<T>{data, wrong});
}

template <class Executor>
void fill_with_list(const Executor& ex, u32* next, u32 log_n) {
  for_each(ex, "bench: fill", u64{1} << log_n, FillList{next, log_n});
}

template <class Executor>
void count_wrong_ranks(const Executor& ex, const u32* ranks, u32 log_n, u32* wrong) {
  for_each(ex, "bench: check the ranks", u64{1} << log_n, CountWrongRanks{ranks, log_n, wrong});
}

template <class Executor>
void count_word_descents(const Executor& ex, const u32* words, u64 n, u32 key_words, u32 bits, u32* wrong) {
  if (n > 0) for_each(ex, "bench: check the order", n - 1, CountWordDescents{words, key_words, bits, wrong});
}

template <class Executor, class T>
void sum_hashes(const Executor& ex, const T* data, u64 n, u64* sum) {
  reduce(ex, "bench: sum hashes", n, HashOf<T>{data}, u64{0}, Plus{}, sum);
}

template <class Executor>
void count_not_gathered(const Executor& ex, const u32* in, const u32* index, const u32* out, u64 n, u32 words,
                        u32* wrong) {
  for_each(ex, "bench: check the records", n * words, CountNotGathered{in, index, out, words, wrong});
}

template <class Executor, class Word>
void count_different(const Executor& ex, const Word* a, const Word* b, u64 n, u32* wrong) {
  for_each(ex, "bench: compare", n, CountDifferent<Word>{a, b, wrong});
}

using copse::detail::BodyExecutor;
template void fill_hashed_elements(const BodyExecutor&, u8*, u64, u32, u32);
template void fill_hashed_elements(const BodyExecutor&, u16*, u64, u32, u32);
template void fill_hashed_elements(const BodyExecutor&, u32*, u64, u32, u32);
template void fill_hashed_elements(const BodyExecutor&, u64*, u64, u32, u32);
template void fill_with_indices(const BodyExecutor&, u32*, u64);
template void fill_with_permutation(const BodyExecutor&, u32*, u32);
template void fill_with_list(const BodyExecutor&, u32*, u32);
template void count_wrong_ranks(const BodyExecutor&, const u32*, u32, u32*);
template void count_word_descents(const BodyExecutor&, const u32*, u64, u32, u32, u32*);
template void sum_hashes(const BodyExecutor&, const u32*, u64, u64*);
template void sum_hashes(const BodyExecutor&, const u64*, u64, u64*);
template void count_descents(const BodyExecutor&, const u32*, u64, u32*);
template void count_descents(const BodyExecutor&, const u64*, u64, u32*);
template void count_not_gathered(const BodyExecutor&, const u32*, const u32*, const u32*, u64, u32, u32*);
template void count_different(const BodyExecutor&, const u8*, const u8*, u64, u32*);
template void count_different(const BodyExecutor&, const u32*, const u32*, u64, u32*);

}  // namespace copse::bench
