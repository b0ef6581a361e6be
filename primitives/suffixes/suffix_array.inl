// Suffix arrays by prefix doubling (Manber, Myers, "Suffix Arrays: A New Method for On-Line String Searches", SODA
// 1990) on those suffixes alone that are not at their final places yet (Larsson, Sadakane, "Faster Suffix
// Sorting", 1999). Sort the suffixes by their first symbols. The rank of a suffix is the place where its group
// begins. Then a suffix of a group that agrees in d symbols is compared with the others by the rank of the suffix
// that begins d symbols later. So each round doubles the symbols in which the suffixes of a group agree.
//
// Where we differ: the first key is 64 bits of symbols that have just as many bits as the alphabet needs. A group
// of up to max_counted_group suffixes is sorted by counting, without moving keys. And ranks of many suffixes are
// stored in the order of the text, which one pass of a sort nearly gives, since stores to random places are slow.

#include <algorithm>
#include <vector>

#include "primitives/compact.h"
#include "primitives/core/device.h"
#include "primitives/count.h"
#include "primitives/histogram.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"
#include "primitives/suffixes/suffix_groups.h"
#include "primitives/suffixes/suffix_keys.h"

namespace copse::detail {

// The body: radix_sort.inl, for either executor.
template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding);

/// A suffix array under construction. The suffixes are in groups: those at a place where `heads` has a bit begin
/// one. They agree in their first `depth` symbols.
struct SuffixSort {
  const u8* text;
  u64 n;
  u32* suffixes;
  u32 id_bits;  // that a place or a suffix needs
  Heads heads;
  u64 depth = 0;
  u32* ranks = nullptr;

  /// The places that are looked at, all of those that are open among them.
  Places places{nullptr};
  u64 place_count = 0;
  u64 open_count = 0;   // suffixes that share their group
  u64 large_count = 0;  // of these, those in large groups
};

template <class T, class Executor>
T read_from_device(const Executor& ex, const T* from) {
  T value;
  ex.device.download(&value, from, sizeof(T));
  return value;
}

/// One word per suffix: its first symbols above its number.
struct PackedKeys {
  KeyAboveId form;
  PackedText text;
  u64 n;
  COPSE_HD u64 operator()(u64 j) const {
    const u64 i = n - 1 - j;
    return form.pack(text.bits_from(i) >> form.id_bits, i);
  }
};

struct UnpackSuffixes {
  KeyAboveId form;
  const u64* packed;
  u32* suffixes;
  COPSE_HD void operator()(u64 p) const { suffixes[p] = form.id_of(packed[p]); }
};

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

/// The bin of a byte in a histogram.
struct ByteBin {
  COPSE_HD u32 operator()(u8 byte) const { return byte; }
};

/// Counts the bytes of the text. Waits.
template <class Executor>
std::vector<u64> count_bytes(const Executor& ex, const u8* text, u64 n) {
  ScratchArena::Frame frame(ex.scratch);
  u64* counts = frame.template allocate<u64>(256);
  histogram(ex, "suffix array: bytes", n, Elements<u8>{text}, ByteBin{}, 256, counts);
  std::vector<u64> on_host(256);
  ex.device.download(on_host.data(), counts, 256 * sizeof(u64));
  return on_host;
}

inline Alphabet alphabet_of(const std::vector<u64>& counts) {
  Alphabet alphabet{};
  for (u32 byte = 0; byte < 256; ++byte) {
    if (counts[byte] != 0) alphabet.symbol_of[byte] = u8(alphabet.size++);
  }
  alphabet.symbol_bits = 1;
  while (1u << alphabet.symbol_bits < alphabet.size) ++alphabet.symbol_bits;
  return alphabet;
}

/// First symbols of the parts in which suffixes are sorted, and the number of symbols at the end. A part has at
/// most `max_part` suffixes, unless one symbol begins more.
struct SortParts {
  std::vector<u32> first_symbols;
  std::vector<u64> counts;

  SortParts(const std::vector<u64>& byte_counts, u64 max_part) {
    u32 symbol = 0;
    for (u64 count : byte_counts) {
      if (count == 0) continue;
      if (counts.empty() || counts.back() + count > max_part) {
        first_symbols.push_back(symbol);
        counts.push_back(0);
      }
      counts.back() += count;
      ++symbol;
    }
    first_symbols.push_back(symbol);
  }
  u64 largest() const { return *std::max_element(counts.begin(), counts.end()); }
};

/// Sorts the suffixes by keys that stand above their numbers. `marks` gets the heads of the groups.
template <class Executor>
void sort_by_short_keys(const Executor& ex, SuffixSort& sort, const PackedText& text, u8* marks) {
  ScratchArena::Frame frame(ex.scratch);
  const KeyAboveId form{sort.id_bits};
  u64* packed = frame.template allocate<u64>(sort.n);
  radix_sort_keys<u64>(ex, "suffix array: first sort", sort.n, PackedKeys{form, text, sort.n}, packed,
                       BitRange{sort.id_bits, 64});
  for_each(ex, "suffix array: suffixes", sort.n, UnpackSuffixes{form, packed, sort.suffixes});
  sort.depth = (64 - sort.id_bits) / text.symbol_bits;
  const u64 first_short = sort.n - smaller(sort.n, sort.depth);
  for_each(ex, "suffix array: first heads", sort.n,
           MarkFirstHeads{packed, sort.id_bits, sort.suffixes, first_short, marks});
}

/// Sorts the suffixes by keys of 64 bits, in parts that begin with the same symbols.
template <class Executor>
void sort_by_long_keys(const Executor& ex, SuffixSort& sort, const PackedText& text, const u8* symbol_of,
                       const SortParts& parts, u8* marks) {
  sort.depth = 64 / text.symbol_bits;
  const u64 first_short = sort.n - smaller(sort.n, sort.depth);
  u64 begin = 0;
  for (size_t k = 0; k < parts.counts.size(); ++k) {
    ScratchArena::Frame frame(ex.scratch);
    const u64 count = parts.counts[k];
    u32* suffixes = sort.suffixes + begin;
    u64* keys = frame.template allocate<u64>(count);
    u64* sorted_keys = frame.template allocate<u64>(count);
    u32* ids = frame.template allocate<u32>(count);
    u64* stored = frame.template allocate<u64>(1);
    compact_each(ex, "suffix array: keys", sort.n,
                 BeginsInRange{sort.text, sort.n, symbol_of, parts.first_symbols[k], parts.first_symbols[k + 1]},
                 StoreKeys{text, sort.n, ids, keys}, stored);
    sort_elements(ex, keys, ids, count, sorted_keys, suffixes, all_bits<u64>, KeyEncoding<u64>{});
    for_each(ex, "suffix array: first heads", count,
             MarkFirstHeads{sorted_keys, 0, suffixes, first_short, marks + begin});
    begin += count;
  }
}

/// Sorts the suffixes by their first symbols. Waits.
template <class Executor>
void sort_by_first_symbols(const Executor& ex, SuffixSort& sort) {
  // Long keys take 44 bytes of scratch for each suffix of a part, short ones 16 bytes for each of all.
  constexpr u64 max_share_percent = 36;
  constexpr u32 short_key_symbol_bits = 3;
  const std::vector<u64> counts = count_bytes(ex, sort.text, sort.n);
  const Alphabet alphabet = alphabet_of(counts);
  const SortParts parts(counts, sort.n * max_share_percent / 100);

  ScratchArena::Frame frame(ex.scratch);
  u8* symbol_of = frame.template allocate<u8>(256);
  ex.device.upload(symbol_of, alphabet.symbol_of, 256);
  const u64 word_count = PackedText::word_count(sort.n, alphabet.symbol_bits);
  u32* words = frame.template allocate<u32>(word_count);
  for_each(ex, "suffix array: pack", word_count,
           PackSymbols{sort.text, sort.n, symbol_of, alphabet.symbol_bits, words});
  const PackedText text{words, alphabet.symbol_bits};

  u8* marks = frame.template allocate<u8>(sort.n);
  const bool long_keys =
      alphabet.symbol_bits > short_key_symbol_bits && parts.largest() * 100 <= sort.n * max_share_percent;
  if (long_keys) {
    sort_by_long_keys(ex, sort, text, symbol_of, parts, marks);
  } else {
    sort_by_short_keys(ex, sort, text, marks);
  }
  for_each(ex, "suffix array: first heads", Heads::word_count(sort.n), PackHeads{marks, sort.heads});
}

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
void list_open(const Executor& ex, ScratchArena::Frame& outer, SuffixSort& sort, u32* (&lists)[2]) {
  if (sort.open_count > sort.n / 8 || sort.open_count > sort.place_count / 2) return;
  for (u32*& list : lists) {
    if (list == nullptr) list = outer.allocate<u32>(sort.open_count);
  }
  ScratchArena::Frame frame(ex.scratch);
  compact_each(ex, "suffix array: open", sort.place_count, IsOpen{sort.places, sort.heads},
               StorePlace{sort.places, lists[0]}, frame.template allocate<u64>(1));
  sort.places = {lists[0]};
  sort.place_count = sort.open_count;
  std::swap(lists[0], lists[1]);
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
template <class Executor>
void sort_small_groups(const Executor& ex, const SuffixSort& sort, const Heads& new_heads) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 count = sort.place_count;
  u32* ids = frame.template allocate<u32>(count);
  u32* keys = frame.template allocate<u32>(padded_keys(count));
  for_each(ex, "suffix array: second keys", padded_keys(count),
           ReadSecondKeys{sort.places, count, sort.heads, sort.suffixes, sort.ranks, sort.depth, ids, keys});
  for_each(ex, "suffix array: small groups", count,
           SortSmallGroups{sort.places, sort.heads, new_heads, ids, keys, sort.suffixes});
}

/// Sorts the suffixes of the large groups among places [first, last). `count` of them are in such groups.
template <class Executor>
void sort_large_groups(const Executor& ex, const SuffixSort& sort, u64 first, u64 last, u64 count,
                       const Heads& new_heads) {
  constexpr const char* label = "suffix array: large groups";
  if (count == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  u32* list = frame.template allocate<u32>(count);
  u32* group_of = frame.template allocate<u32>(count);
  u32* ids = frame.template allocate<u32>(count);
  u64* keys = frame.template allocate<u64>(count);
  u64* sorted_keys = frame.template allocate<u64>(count);
  u32* sorted_ids = frame.template allocate<u32>(count);
  u64* stored = frame.template allocate<u64>(1);
  compact_each(ex, label, last - first, InRange<IsInLargeGroup>{{sort.places, sort.heads}, first},
               InRange<StorePlace>{{sort.places, list}, first}, stored);
  inclusive_scan<u32>(ex, label, count, CountHead{list, sort.heads}, Plus{}, group_of);
  for_each(ex, label, count,
           ReadLargeKeys{list, group_of, sort.suffixes, sort.ranks, sort.depth, sort.id_bits, ids, keys});
  u32 group_bits = 1;
  while (u64{max_counted_group} << group_bits <= count) ++group_bits;
  sort_elements(ex, keys, ids, count, sorted_keys, sorted_ids, BitRange{0, sort.id_bits + group_bits},
                KeyEncoding<u64>{});
  for_each(ex, label, count, StoreLargeGroups{list, sorted_keys, sorted_ids, sort.suffixes, new_heads});
}

/// Sorts one group of any size, without a sort: the suffix array, from front to back, gives the suffixes that begin
/// `depth` symbols later in their order.
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

/// Returns the groups that stand at n / cuts, 2 n / cuts, and so on, each once. Waits.
template <class Executor>
std::vector<GroupPlace> groups_at_cuts(const Executor& ex, const SuffixSort& sort, u32 cuts) {
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

/// Sorts the large groups where they have so many suffixes that they cannot be sorted at once: in stretches that
/// end at groups, and groups that are larger than a stretch alone. Waits.
template <class Executor>
void sort_large_groups_in_parts(const Executor& ex, const SuffixSort& sort, const Heads& new_heads) {
  constexpr u32 cuts = 8;
  const u64 stretch = sort.n / cuts;
  std::vector<GroupPlace> groups = groups_at_cuts(ex, sort, cuts);
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
    sort_large_groups(ex, sort, begin, group.begin, count, new_heads);
    begin = group.begin;
    if (group.end - group.begin > stretch) {
      sort_one_group(ex, sort, group.begin, group.end, new_heads);
      begin = group.end;
    }
  }
}

/// Doubles the number of symbols in which the suffixes of a group agree.
template <class Executor>
void double_depth(const Executor& ex, SuffixSort& sort) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 word_count = Heads::word_count(sort.n);
  const Heads before{frame.template allocate<u32>(word_count), sort.n};
  for_each(ex, "suffix array: heads", word_count, CopyElements<u32>{sort.heads.words, before.words});
  const Heads new_heads = sort.heads;
  sort.heads = before;
  sort_small_groups(ex, sort, new_heads);
  if (sort.large_count <= sort.n / 4) {
    sort_large_groups(ex, sort, 0, sort.place_count, sort.large_count, new_heads);
  } else {
    sort_large_groups_in_parts(ex, sort, new_heads);
  }
  sort.heads = new_heads;
  store_ranks(ex, sort, &before);
  sort.depth *= 2;
}

template <class Executor>
void sort_suffixes(const Executor& ex, const u8* text, u64 n, u32* suffixes) {
  ScratchArena::Frame frame(ex.scratch);
  SuffixSort sort{text, n, suffixes, 1, {frame.template allocate<u32>(Heads::word_count(n)), n}};
  while ((n - 1) >> sort.id_bits != 0) ++sort.id_bits;
  sort.place_count = n;
  sort_by_first_symbols(ex, sort);
  count_open(ex, sort);
  if (sort.open_count == 0) return;

  sort.ranks = frame.template allocate<u32>(n);
  store_ranks(ex, sort, nullptr);
  u32* lists[2] = {};
  while (sort.open_count > 0) {
    list_open(ex, frame, sort, lists);
    double_depth(ex, sort);
    count_open(ex, sort);
  }
}

template void sort_suffixes(const BodyExecutor&, const u8*, u64, u32*);

}  // namespace copse::detail
