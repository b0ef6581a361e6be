#pragma once

// The words of a table that one look brings: 32 bytes, which GPUs fetch from memory as one sector.

#include "primitives/core/atomic.h"
#include "primitives/core/macros.h"

namespace copse::detail {

template <class Word>
struct alignas(16) HashGroup {
  static constexpr u32 size = 32 / sizeof(Word);
  Word word[size];

  /// The group from `first` on, a multiple of 32 bytes. Each word is whole; they need not be of one moment.
  COPSE_HD static HashGroup load(const Word* first) {
    constexpr u32 half = size / 2;
    Word low[half], high[half];
    load_relaxed(first, low);
    load_relaxed(first + half, high);
    HashGroup group;
    for (u32 k = 0; k < half; ++k) {
      group.word[k] = low[k];
      group.word[half + k] = high[k];
    }
    return group;
  }

  /// The same while nobody writes to the table: the two halves are fetched at once.
  COPSE_HD static HashGroup load_quiet(const Word* first) { return *reinterpret_cast<const HashGroup*>(first); }
};

/// The first word of a group that a search stops at, and where it stands; place = size where it passes all of
/// them.
template <class Word>
struct HashStop {
  u32 place;
  Word word;
};

/// Looks at the words from `from` on.
template <class Word, class Stops>
COPSE_HD inline HashStop<Word> first_stop(const HashGroup<Word>& group, u32 from, const Stops& stops) {
  HashStop<Word> stop{HashGroup<Word>::size, 0};
  for (u32 k = HashGroup<Word>::size; k-- > 0;) {
    if (k >= from && stops(group.word[k])) stop = {k, group.word[k]};
  }
  return stop;
}

/// The groups that a search looks at: from its home on, around the end of the table, each once.
struct HashWalk {
  u64 slot;      // where the group begins
  u64 left;      // slots to look at from there on
  u32 from = 0;  // the first slot of the group to look at

  /// False where the search has looked at all that it may.
  COPSE_HD bool next(u32 group_size, u64 slot_count) {
    if (left <= group_size) return false;
    left -= group_size;
    from = 0;
    slot += group_size;
    if (slot == slot_count) slot = 0;
    return true;
  }
};

/// What a look at one group came to: the outcome, as HashCounts has them, or that the search goes on, at once or
/// after another thread has done what it is about.
enum class Look : u32 { inserted, found, full, absent, going, waiting };

}  // namespace copse::detail
