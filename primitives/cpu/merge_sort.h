#pragma once

// Each worker sorts blocks by merging halves. Then passes merge neighbouring runs; each merge is cut along its
// merge path into chunks that all workers share (primitives/sort/merge_path.h).

#include <type_traits>

#include "primitives/cpu/workers.h"
#include "primitives/merge_sort.h"
#include "primitives/sort/merge_path.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 merge_chunk = u64{1} << 14;
inline constexpr u64 longest_insertion = 16;

/// Holds keys, and values unless Value is NoValue.
template <class Key, class Value>
struct SortArrays {
  static constexpr bool with_values = copse::detail::has_value<Value>;

  Key* keys;
  Value* values;

  void take(u64 to, const SortArrays& from, u64 i) const {
    keys[to] = from.keys[i];
    if constexpr (with_values) values[to] = from.values[i];
  }
};

template <class Key, class Value, class Less>
void insertion_sort(const SortArrays<Key, Value>& data, u64 begin, u64 end, const Less& less) {
  for (u64 i = begin + 1; i < end; ++i) {
    if (!less(data.keys[i], data.keys[i - 1])) continue;
    const Key key = data.keys[i];
    [[maybe_unused]] Value value;
    if constexpr (copse::detail::has_value<Value>) value = data.values[i];
    u64 place = i;
    for (; place > begin && less(key, data.keys[place - 1]); --place) data.take(place, data, place - 1);
    data.keys[place] = key;
    if constexpr (copse::detail::has_value<Value>) data.values[place] = value;
  }
}

/// Merges [a, a_end) and [b, b_end) to `to`, from place `out` on.
template <class Key, class Value, class Less>
void merge_runs(const SortArrays<Key, Value>& from, u64 a, u64 a_end, u64 b, u64 b_end,
                const SortArrays<Key, Value>& to, u64 out, const Less& less) {
  while (a < a_end && b < b_end) {
    // No branch here: it could not be predicted which of the two comes next.
    const bool right = less(from.keys[b], from.keys[a]);
    to.take(out++, from, right ? b : a);
    a += !right;
    b += right;
  }
  while (a < a_end) to.take(out++, from, a++);
  while (b < b_end) to.take(out++, from, b++);
}

/// Sorts the elements of `data`; the result goes to `other` if `to_other` is set.
template <class Key, class Value, class Less>
void sort_range(const SortArrays<Key, Value>& data, const SortArrays<Key, Value>& other, u64 begin, u64 end,
                bool to_other, const Less& less) {
  if (end - begin <= longest_insertion) {
    insertion_sort(data, begin, end, less);
    for (u64 i = begin; to_other && i < end; ++i) other.take(i, data, i);
    return;
  }
  const u64 middle = begin + (end - begin) / 2;
  sort_range(data, other, begin, middle, !to_other, less);
  sort_range(data, other, middle, end, !to_other, less);
  const auto& halves = to_other ? data : other;
  merge_runs(halves, begin, middle, middle, end, to_other ? other : data, begin, less);
}

/// Merges pairs of neighbouring runs of `run` elements, a multiple of the chunk's length.
template <class Key, class Value, class Less>
void merge_pass(const Executor& ex, const char* label, u64 n, u64 run, const SortArrays<Key, Value>& from,
                const SortArrays<Key, Value>& to, const Less& less) {
  parallel_ranges(ex, label, divide_rounding_up(n, merge_chunk), 1, [&](u64 begin, u64 end) {
    for (u64 chunk = begin; chunk < end; ++chunk) {
      const u64 out = chunk * merge_chunk, pair = out / (2 * run) * (2 * run);
      const u64 middle = smaller(pair + run, n), pair_end = smaller(pair + 2 * run, n);
      const auto from_left = [&](u64 position) {
        return copse::detail::merge_path(from.keys + pair, middle - pair, from.keys + middle, pair_end - middle,
                                         position - pair, less);
      };
      const u64 out_end = smaller(out + merge_chunk, pair_end);
      const u64 a = from_left(out), a_end = from_left(out_end);
      merge_runs(from, pair + a, pair + a_end, middle + (out - pair - a), middle + (out_end - pair - a_end), to,
                 out, less);
    }
  });
}

template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void merge_sort(const Executor& ex, const char* label, u64 n, const KeyInput& key_input,
                const ValueInput& value_input, const Less& less, Key* keys_out, Value* values_out) {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
  if (n == 0) return;
  using Arrays = SortArrays<Key, Value>;
  ScratchArena::Frame frame(ex.scratch);
  Key* scratch_keys = frame.allocate<Key>(n);
  const Arrays arrays[2] = {{keys_out, values_out},
                            {scratch_keys, Arrays::with_values ? frame.allocate<Value>(n) : nullptr}};

  // Two blocks per worker. The passes alternate between two arrays and end in the output.
  const u64 block =
      divide_rounding_up(divide_rounding_up(n, u64{2} * ex.workers.count()), merge_chunk) * merge_chunk;
  u32 at = 0;
  for (u64 run = block; run < n; run *= 2) at = 1 - at;
  parallel_ranges(ex, label, divide_rounding_up(n, block), 1, [&](u64 begin, u64 end) {
    for (u64 k = begin; k < end; ++k) {
      const u64 first = k * block, last = smaller(first + block, n);
      for (u64 i = first; i < last; ++i) {
        const Key key = key_input(i);
        if constexpr (Arrays::with_values) arrays[at].values[i] = value_input(i);
        arrays[at].keys[i] = key;
      }
      sort_range(arrays[at], arrays[1 - at], first, last, false, less);
    }
  });
  for (u64 run = block; run < n; run *= 2) {
    merge_pass(ex, label, n, run, arrays[at], arrays[1 - at], less);
    at = 1 - at;
  }
}

}  // namespace detail

template <class Key, class Value = NoValue>
u64 merge_sort_scratch_bytes(const Executor&, u64 n) {
  if (n == 0) return 0;
  constexpr bool with_values = detail::SortArrays<Key, Value>::with_values;
  return ScratchArena::bytes_for<Key>(n) + (with_values ? ScratchArena::bytes_for<Value>(n) : 0);
}

/// Contract: primitives/merge_sort.h.
template <class Key, class KeyInput, class Less>
void merge_sort_keys(const Executor& ex, const char* label, u64 n, KeyInput key_input, Less less, Key* keys_out) {
  detail::merge_sort(ex, label, n, key_input, copse::detail::NoValueInput{}, less, keys_out,
                     static_cast<NoValue*>(nullptr));
}

/// Contract: primitives/merge_sort.h.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void merge_sort_pairs(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                      Less less, Key* keys_out, Value* values_out) {
  detail::merge_sort(ex, label, n, key_input, value_input, less, keys_out, values_out);
}

}  // namespace copse::cpu
