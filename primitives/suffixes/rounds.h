#pragma once

// The rounds of prefix doubling. For bodies: the executor's primitives must be included.

#include <utility>

#include "primitives/suffixes/small_groups.h"
#include "primitives/suffixes/sort_large_groups.h"
#include "primitives/suffixes/suffix_sort.h"

namespace copse::detail {

/// Counts the suffixes that are not at their final places. Waits.
template <class Executor>
void count_open(const Executor& ex, SuffixSort& sort) {
  ScratchArena::Frame frame(ex.scratch);
  u64* counts = frame.template allocate<u64>(1);
  reduce<u64>(ex, "suffix array: open", sort.n / 32 + 1, CountOpen{sort.heads}, u64{0}, Plus{}, counts);
  const u64 on_host = read_from_device(ex, counts);
  sort.open_count = u32(on_host);
  sort.large_count = on_host >> 32;
}

/// Once few suffixes are not at their final places, keeps a list of their places.
template <class Executor>
void list_open(const Executor& ex, ScratchArena::Frame& outer, SuffixSort& sort) {
  if (sort.open_count > sort.n / 8 || sort.open_count > sort.place_count / 2) return;
  for (u32*& list : sort.lists) {
    if (list == nullptr) list = outer.allocate<u32>(sort.open_count);
  }
  ScratchArena::Frame frame(ex.scratch);
  compact_each(ex, "suffix array: open", sort.place_count, IsOpen{sort.places, sort.heads},
               StorePlace{sort.places, sort.lists[0]}, frame.template allocate<u64>(1));
  sort.places = {sort.lists[0]};
  sort.place_count = sort.open_count;
  std::swap(sort.lists[0], sort.lists[1]);
}

/// Stores the ranks of suffixes. `before` is what the heads were before this round, or null before the first.
template <class Executor>
void store_ranks(const Executor& ex, const SuffixSort& sort, const Heads* before) {
  constexpr const char* label = "suffix array: ranks";
  constexpr u64 min_sorted = u64{1} << 20;
  ScratchArena::Frame frame(ex.scratch);
  const u64 count = sort.place_count;
  u32* head_of = frame.template allocate<u32>(count);
  inclusive_scan<u32>(ex, label, count, PlaceOfHead{sort.places, sort.heads}, Larger{}, head_of);
  const bool all_places = sort.places.list == nullptr;
  if (all_places && (before == nullptr || sort.open_count >= count / 3)) {
    const u32* suffixes = sort.suffixes;
    if (count >= min_sorted) {
      u32* sorted_suffixes = frame.template allocate<u32>(count);
      u32* sorted_heads = frame.template allocate<u32>(count);
      sort_elements(ex, suffixes, head_of, count, sorted_suffixes, sorted_heads,
                    BitRange{sort.id_bits - 8, sort.id_bits}, KeyEncoding<u32>{});
      suffixes = sorted_suffixes;
      head_of = sorted_heads;
    }
    for_each(ex, label, count, ScatterRanks{suffixes, head_of, sort.ranks});
  } else {
    for_each(ex, label, count, StoreRanks{sort.places, *before, sort.suffixes, head_of, sort.ranks});
  }
}

/// Sorts the suffixes of small groups by their second keys.
template <class Executor, class SecondKey>
void sort_small_groups(const Executor& ex, const SuffixSort& sort, const SecondKey& second_key,
                       const Heads& new_heads) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 count = sort.place_count;
  u32* ids = frame.template allocate<u32>(count);
  u32* keys = frame.template allocate<u32>(padded_keys(count));
  for_each(ex, "suffix array: second keys", padded_keys(count),
           ReadSecondKeys<SecondKey>{sort.places, count, sort.heads, sort.suffixes, second_key, ids, keys});
  for_each(ex, "suffix array: small groups", count,
           SortSmallGroups{sort.places, sort.heads, new_heads, ids, keys, sort.suffixes});
}

/// Makes room for the heads of a round, and copies them there. Returns those that the round changes.
template <class Executor>
Heads begin_round(const Executor& ex, ScratchArena::Frame& frame, SuffixSort& sort) {
  const u64 word_count = Heads::word_count(sort.n);
  const Heads before{frame.allocate<u32>(word_count), sort.n};
  for_each(ex, "suffix array: heads", word_count, CopyElements<u32>{sort.heads.words, before.words});
  const Heads new_heads = sort.heads;
  sort.heads = before;
  return new_heads;
}

/// Doubles the number of symbols in which the suffixes of a group agree.
template <class Executor>
void double_depth(const Executor& ex, SuffixSort& sort) {
  ScratchArena::Frame frame(ex.scratch);
  const Heads new_heads = begin_round(ex, frame, sort);
  const Heads before = sort.heads;
  const RankLater second_key{sort.ranks, sort.depth};
  sort_small_groups(ex, sort, second_key, new_heads);
  sort_large_groups(ex, sort, second_key, new_heads);
  sort.heads = new_heads;
  store_ranks(ex, sort, &before);
  sort.depth *= 2;
}

/// Doubles the depth up to `depth`, or until each suffix is at its final place.
template <class Executor>
void double_up_to(const Executor& ex, ScratchArena::Frame& frame, u64 depth, SuffixSort& sort) {
  while (sort.open_count > 0 && sort.depth < depth) {
    list_open(ex, frame, sort);
    double_depth(ex, sort);
    count_open(ex, sort);
  }
}

}  // namespace copse::detail
