#pragma once

// Sorting along the curve by keys of 63 bits, on the CPU: a radix sort of whole keys.
//
// The stage has a sibling, cuda/curve_sort.cuh, with the same result:
//
//   sort_long_keys(ex, n, key_of, order)
//     Sorts `n` primitives by the keys that key_of(i) gives, equal keys by their number, and stores their order,
//     gaps and valid count.
//   sort_long_keys_scratch_bytes(ex, n)

#include "builders/bvh/curve_gaps.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

template <class KeyOf>
void sort_long_keys(const Executor& ex, u64 n, const KeyOf& key_of, const copse::detail::CurveOrder& order) {
  copse::detail::sort_whole_keys<u64>(ex, n, key_of, order);
}

inline u64 sort_long_keys_scratch_bytes(const Executor& ex, u64 n) {
  return copse::detail::sort_whole_keys_scratch_bytes<u64>(ex, n);
}

}  // namespace copse::cpu
