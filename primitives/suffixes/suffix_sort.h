#pragma once

// A suffix array under construction, which the first sort and the rounds share. For bodies: the executor's
// primitives must be included.

#include "primitives/core/device.h"
#include "primitives/core/scratch_arena.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/suffixes/heads.h"

namespace copse::detail {

// The body: radix_sort.inl, for either executor.
template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding);

/// A suffix array under construction. The suffixes are in groups: those at a place where `heads` has a bit begin
/// one. They agree in their first `depth` symbols.
struct SuffixSort {
  u64 n;
  u32* suffixes;
  u32 id_bits;  // that a place or a suffix needs
  Heads heads;
  u64 depth = 0;
  u32* ranks = nullptr;

  /// The places that are looked at, all of those that are open among them.
  Places places{nullptr};
  u32* lists[2] = {};  // room for the places, once they are few
  u64 place_count = 0;
  u64 open_count = 0;   // suffixes that share their group
  u64 large_count = 0;  // of these, those in large groups

  SuffixSort(u64 n, u32* suffixes, u32* head_words) : n(n), suffixes(suffixes), id_bits(1), heads{head_words, n} {
    while ((n - 1) >> id_bits != 0) ++id_bits;
    place_count = n;
  }
};

template <class T, class Executor>
T read_from_device(const Executor& ex, const T* from) {
  T value;
  ex.device.download(&value, from, sizeof(T));
  return value;
}

}  // namespace copse::detail
