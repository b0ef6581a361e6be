#include "bench/support/data_body.h"
#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"

namespace copse::bench {

namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014), which is a bijection.
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

template <class Word>
struct CountDifferent {
  const Word *a, *b;
  u32* different;
  COPSE_HD void operator()(u64 i) const {
    if (a[i] != b[i]) fetch_add_relaxed(different, 1u);
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

template <class Executor, class Word>
void count_different(const Executor& ex, const Word* a, const Word* b, u64 n, u32* different) {
  for_each(ex, "bench: compare", n, CountDifferent<Word>{a, b, different});
}

using copse::detail::BodyExecutor;
template void fill_hashed_elements(const BodyExecutor&, u8*, u64, u32, u32);
template void fill_hashed_elements(const BodyExecutor&, u16*, u64, u32, u32);
template void fill_hashed_elements(const BodyExecutor&, u32*, u64, u32, u32);
template void fill_hashed_elements(const BodyExecutor&, u64*, u64, u32, u32);
template void fill_with_indices(const BodyExecutor&, u32*, u64);
template void count_different(const BodyExecutor&, const u8*, const u8*, u64, u32*);
template void count_different(const BodyExecutor&, const u32*, const u32*, u64, u32*);

}  // namespace copse::bench
