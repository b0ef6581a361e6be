#pragma once

// On the CPU this is the merge sort. The result is the same, since a stable sort has one result. And few workers
// read few runs at a time, so distributing first would save no pass over memory.

#include "primitives/cpu/merge_sort.h"
#include "primitives/sample_sort.h"

namespace copse::cpu {

template <class Key, class Value = NoValue>
u64 sample_sort_scratch_bytes(const Executor& ex, u64 n) {
  return merge_sort_scratch_bytes<Key, Value>(ex, n);
}

/// Contract: primitives/sample_sort.h.
template <class Key, class KeyInput, class Less>
void sample_sort_keys(const Executor& ex, const char* label, u64 n, KeyInput key_input, Less less, Key* keys_out) {
  merge_sort_keys(ex, label, n, key_input, less, keys_out);
}

/// Contract: primitives/sample_sort.h.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void sample_sort_pairs(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                       Less less, Key* keys_out, Value* values_out) {
  merge_sort_pairs(ex, label, n, key_input, value_input, less, keys_out, values_out);
}

}  // namespace copse::cpu
