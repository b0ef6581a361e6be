#pragma once

// Sorts the suffixes of large groups by their second keys. For bodies: the executor's primitives must be included.

#include <type_traits>
#include <vector>

#include "primitives/suffixes/large_groups.h"
#include "primitives/suffixes/small_groups.h"
#include "primitives/suffixes/suffix_sort.h"

namespace copse::detail {

/// Finds the group at each of some places: bounds[2 * k] and bounds[2 * k + 1], by a binary search for its end.
struct FindGroups {
  const u32* head_of;
  u64 n, step;
  u32* bounds;
  COPSE_HD void operator()(u64 k) const {
    const u64 p = (k + 1) * step;
    const u32 begin = head_of[p];
    u64 inside = p, outside = n;
    while (outside - inside > 1) {
      const u64 middle = inside + (outside - inside) / 2;
      if (head_of[middle] == begin) {
        inside = middle;
      } else {
        outside = middle;
      }
    }
    bounds[2 * k] = begin;
    bounds[2 * k + 1] = u32(outside);
  }
};

/// Some of the places that a round looks at, in whole groups. `large_count` of them are in large groups.
struct PlaceRange {
  u64 first, last, large_count;
};

/// The share of all suffixes that the scratch has room to sort at once.
inline constexpr u64 max_sorted_share = 4;

/// Sorts the suffixes of the large groups among some places.
template <class Executor, class SecondKey>
void sort_large_groups(const Executor& ex, const SuffixSort& sort, const SecondKey& second_key,
                       const PlaceRange& range, const Heads& new_heads) {
  constexpr const char* label = "suffix array: large groups";
  const u64 first = range.first, count = range.large_count;
  if (count == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  u32* list = frame.template allocate<u32>(count);
  u32* group_of = frame.template allocate<u32>(count);
  u32* ids = frame.template allocate<u32>(count);
  u64* keys = frame.template allocate<u64>(count);
  u64* sorted_keys = frame.template allocate<u64>(count);
  u32* sorted_ids = frame.template allocate<u32>(count);
  u64* stored = frame.template allocate<u64>(1);
  compact_each(ex, label, range.last - first, InRange<IsInLargeGroup>{{sort.places, sort.heads}, first},
               InRange<StorePlace>{{sort.places, list}, first}, stored);
  inclusive_scan<u32>(ex, label, count, CountHead{list, sort.heads}, Plus{}, group_of);
  for_each(ex, label, count,
           ReadLargeKeys<SecondKey>{list, group_of, sort.suffixes, second_key, sort.id_bits, ids, keys});
  u32 group_bits = 1;
  while (u64{max_counted_group} << group_bits <= count) ++group_bits;
  sort_elements(ex, keys, ids, count, sorted_keys, sorted_ids, BitRange{0, sort.id_bits + group_bits},
                KeyEncoding<u64>{});
  for_each(ex, label, count, StoreLargeGroups{list, sorted_keys, sorted_ids, sort.suffixes, new_heads});
}

/// Sorts one group of any size, without a sort: the suffix array, from front to back, gives the suffixes that
/// begin `depth` symbols later in their order.
template <class Executor>
void sort_one_group(const Executor& ex, const SuffixSort& sort, u64 begin, u64 end, const Heads& new_heads) {
  constexpr const char* label = "suffix array: one group";
  ScratchArena::Frame frame(ex.scratch);
  const u64 count = end - begin;
  u32* ids = frame.template allocate<u32>(count);
  u32* keys = frame.template allocate<u32>(count);
  u64* stored = frame.template allocate<u64>(1);
  compact_each(ex, label, sort.n, PrecedesInGroup{sort.suffixes, sort.ranks, sort.depth, u32(begin)},
               StorePreceding{sort.suffixes, sort.ranks, sort.depth, ids, keys}, stored);
  for_each(ex, label, count, StoreOneGroup{ids, keys, begin, sort.suffixes, new_heads});
}

/// The places are cut at n / cuts, 2 n / cuts, and so on. So a stretch between two cuts and the rest of a group
/// fit the scratch together.
inline constexpr u32 cuts = 2 * max_sorted_share;

/// Returns the groups that stand at the cuts, each once. Waits.
template <class Executor>
std::vector<GroupPlace> groups_at_cuts(const Executor& ex, const SuffixSort& sort) {
  constexpr const char* label = "suffix array: cuts";
  ScratchArena::Frame frame(ex.scratch);
  u32* head_of = frame.template allocate<u32>(sort.n);
  u32* bounds = frame.template allocate<u32>(2 * cuts);
  inclusive_scan<u32>(ex, label, sort.n, PlaceOfHead{sort.places, sort.heads}, Larger{}, head_of);
  for_each(ex, label, cuts - 1, FindGroups{head_of, sort.n, sort.n / cuts, bounds});
  std::vector<u32> on_host(2 * (cuts - 1));
  ex.device.download(on_host.data(), bounds, on_host.size() * sizeof(u32));
  std::vector<GroupPlace> groups;
  for (u32 k = 0; k + 1 < cuts; ++k) {
    if (groups.empty() || groups.back().begin != on_host[2 * k]) {
      groups.push_back({on_host[2 * k], on_host[2 * k + 1]});
    }
  }
  return groups;
}

/// True if no group is so large that only sort_one_group can sort it. Waits.
template <class Executor>
bool large_groups_fit(const Executor& ex, const SuffixSort& sort) {
  if (sort.large_count <= sort.n / max_sorted_share) return true;
  for (const GroupPlace& group : groups_at_cuts(ex, sort)) {
    if (group.end - group.begin > sort.n / max_sorted_share) return false;
  }
  return true;
}

/// Sorts all large groups. If they have so many suffixes that they cannot be sorted at once, it sorts them in
/// stretches that end at groups, and groups that are larger than a stretch alone. Waits.
template <class Executor, class SecondKey>
void sort_large_groups(const Executor& ex, const SuffixSort& sort, const SecondKey& second_key,
                       const Heads& new_heads) {
  if (sort.large_count <= sort.n / max_sorted_share) {
    return sort_large_groups(ex, sort, second_key, {0, sort.place_count, sort.large_count}, new_heads);
  }
  const u64 stretch = sort.n / cuts;
  std::vector<GroupPlace> groups = groups_at_cuts(ex, sort);
  groups.push_back({sort.n, sort.n});
  u64 begin = 0;
  for (const GroupPlace& group : groups) {
    u64 count;
    {
      ScratchArena::Frame frame(ex.scratch);
      u64* found = frame.template allocate<u64>(1);
      count_if(ex, "suffix array: large groups", group.begin - begin,
               InRange<IsInLargeGroup>{{sort.places, sort.heads}, begin}, found);
      count = read_from_device(ex, found);
    }
    sort_large_groups(ex, sort, second_key, {begin, group.begin, count}, new_heads);
    begin = group.begin;
    const u64 size = group.end - group.begin;
    if (size <= larger(stretch, u64{max_counted_group})) continue;
    if (size <= sort.n / max_sorted_share) {
      sort_large_groups(ex, sort, second_key, {begin, group.end, size}, new_heads);
    } else if constexpr (std::is_same_v<SecondKey, RankLater>) {
      sort_one_group(ex, sort, begin, group.end, new_heads);
    }
    begin = group.end;
  }
}

}  // namespace copse::detail
