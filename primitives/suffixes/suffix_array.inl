// Suffix arrays by prefix doubling (Manber, Myers, "Suffix Arrays: A New Method for On-Line String Searches", SODA
// 1990) on those suffixes alone that are not at their final places yet (Larsson, Sadakane, "Faster Suffix
// Sorting", 1999). Sort the suffixes by their first symbols. The rank of a suffix is the place where its group
// begins. Then a suffix of a group that agrees in d symbols is compared with the others by the rank of the suffix
// that begins d symbols later. So each round doubles the symbols in which the suffixes of a group agree.
//
// Where we differ: the first key is 64 bits of symbols that have just as many bits as the alphabet needs. A group
// of up to max_counted_group suffixes is sorted by counting, without moving keys. And ranks of many suffixes are
// stored in the order of the text, which one pass of a sort nearly gives, since stores to random places are slow.
//
// A text with long repeats does not double to their length. Once the suffixes of a group agree in min_sync_depth
// bytes, only those that begin at a synchronizing set of positions are sorted by doubling, 2 of 13. They are the
// suffixes of a shorter text, whose symbols are their ranks. One more round then sorts all others by the rank of
// the next position of the set.

#include "primitives/compact.h"
#include "primitives/count.h"
#include "primitives/histogram.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"
#include "primitives/suffixes/first_sort.h"
#include "primitives/suffixes/rounds.h"
#include "primitives/suffixes/synchronizing_set.h"

namespace copse::detail {

constexpr const char* sync_label = "suffix array: synchronizing set";

/// Sorts the suffixes of the text of ranks, and stores their own ranks.
template <class Executor>
void sort_text_of_ranks(const Executor& ex, ScratchArena::Frame& outer, const u32* text_of_ranks, u32 rank_bits,
                        SuffixSort& sort) {
  {
    ScratchArena::Frame frame(ex.scratch);
    u64* packed = frame.template allocate<u64>(sort.n);
    u8* marks = frame.template allocate<u8>(sort.n);
    radix_sort_keys<u64>(ex, sync_label, sort.n, RanksAboveIds{sort.id_bits, text_of_ranks}, packed,
                         BitRange{sort.id_bits, sort.id_bits + rank_bits});
    for_each(ex, sync_label, sort.n, UnpackSuffixes{KeyAboveId{sort.id_bits}, packed, sort.suffixes});
    for_each(ex, sync_label, sort.n, MarkFirstHeads{packed, sort.id_bits, sort.suffixes, sort.n, marks});
    for_each(ex, sync_label, Heads::word_count(sort.n), PackHeads{marks, sort.heads});
  }
  sort.depth = 1;
  count_open(ex, sort);
  store_ranks(ex, sort, nullptr);
  double_up_to(ex, outer, sort.n, sort);
}

/// Finds a synchronizing set of the text. Returns the number of its positions. Waits.
template <class Executor>
u64 find_sync_positions(const Executor& ex, const u8* text, u64 n, const SyncPositions& set) {
  ScratchArena::Frame frame(ex.scratch);
  u32* total = frame.template allocate<u32>(1);
  for_each(ex, sync_label, set.word_count(n), FindSyncPositions{text, n, set.words});
  exclusive_scan<u32>(ex, sync_label, set.word_count(n), CountSyncPositions{set.words}, 0u, Plus{}, set.before,
                      total);
  return read_from_device(ex, total);
}

/// Sorts all suffixes that are still open by a synchronizing set. Returns false, and changes nothing, if the set
/// has too many positions, as in a text of short periods. Waits.
template <class Executor>
bool sort_by_sync_positions(const Executor& ex, const u8* text, SuffixSort& sort) {
  constexpr u64 min_share = 5;
  ScratchArena::Frame frame(ex.scratch);
  const u64 set_words = SyncPositions::word_count(sort.n);
  const SyncPositions set{frame.template allocate<u32>(set_words), frame.template allocate<u32>(set_words)};
  const u64 count = find_sync_positions(ex, text, sort.n, set);
  if (count == 0 || count > sort.n / min_share) return false;

  u32* text_of_ranks = frame.template allocate<u32>(count);
  for_each(ex, sync_label, set_words, StoreRanksOfSet{set, sort.ranks, text_of_ranks});
  SuffixSort of_set(count, frame.template allocate<u32>(count),
                    frame.template allocate<u32>(Heads::word_count(count)));
  of_set.ranks = frame.template allocate<u32>(count);
  sort_text_of_ranks(ex, frame, text_of_ranks, sort.id_bits, of_set);

  const Heads new_heads = begin_round(ex, frame, sort);
  ProfileScope scope(ex.profile, "suffix array: last round");
  const RankOfNextInSet second_key{set, of_set.ranks};
  sort_small_groups(ex, sort, second_key, new_heads);
  sort_large_groups(ex, sort, second_key, new_heads);
  return true;
}

template <class Executor>
void sort_suffixes(const Executor& ex, const u8* text, u64 n, u32* suffixes) {
  ScratchArena::Frame frame(ex.scratch);
  SuffixSort sort(n, suffixes, frame.template allocate<u32>(Heads::word_count(n)));
  sort_by_first_symbols(ex, text, sort);
  count_open(ex, sort);
  if (sort.open_count == 0) return;

  sort.ranks = frame.template allocate<u32>(n);
  store_ranks(ex, sort, nullptr);
  double_up_to(ex, frame, min_sync_depth, sort);
  // With few open suffixes, doubling is the faster way.
  if (sort.open_count >= n / 4 && large_groups_fit(ex, sort) && sort_by_sync_positions(ex, text, sort)) return;
  double_up_to(ex, frame, n, sort);
}

template void sort_suffixes(const BodyExecutor&, const u8*, u64, u32*);

}  // namespace copse::detail
