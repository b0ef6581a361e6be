#pragma once

// The words of a table that one look reads: 32 bytes, which a GPU fetches from memory as one sector.

#include "primitives/core/atomic.h"
#include "primitives/core/macros.h"

namespace copse::detail {

template <class Word>
struct alignas(16) HashGroup {
  static constexpr u32 size = 32 / sizeof(Word);
  Word word[size];

  /// Returns the group at `first`, a multiple of 32 bytes. Each word is whole, but the words may be of different
  /// moments.
  COPSE_HD static HashGroup load(const Word* first) {
    Word low[half], high[half];
    load_relaxed(first, low);
    load_relaxed(first + half, high);
    return joined(low, high);
  }

  /// The same in the order of the words: acquires each word before it loads the next.
  COPSE_HD static HashGroup load_in_order(const Word* first) {
    Word low[half], high[half];
    load_acquire(first, low);
    load_acquire(first + half, high);
    return joined(low, high);
  }

  /// The same while no thread writes to the table: both halves are fetched at once.
  COPSE_HD static HashGroup load_quiet(const Word* first) { return *reinterpret_cast<const HashGroup*>(first); }

 private:
  static constexpr u32 half = size / 2;

  COPSE_HD static HashGroup joined(const Word (&low)[half], const Word (&high)[half]) {
    HashGroup group;
    for (u32 k = 0; k < half; ++k) {
      group.word[k] = low[k];
      group.word[half + k] = high[k];
    }
    return group;
  }
};

/// The first word of a group at which a search stops, and its place in the group. place == size if there is none.
template <class Word>
struct HashStop {
  u32 place;
  Word word;
};

/// Returns the first word from `from` on for which `stops` is true.
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
  u64 slot;      // the first slot of the group
  u64 left;      // how many slots to look at from there on
  u32 from = 0;  // the first slot of the group to look at

  /// Goes to the next group. Returns false if the search has looked at all slots that it may.
  COPSE_HD bool next(u32 group_size, u64 slot_count) {
    if (left <= group_size) return false;
    left -= group_size;
    from = 0;
    slot += group_size;
    if (slot == slot_count) slot = 0;
    return true;
  }
};

/// The result of a look at one group: an outcome, as in HashCounts; or `going`, if the search must look again; or
/// `waiting`, if it must look again after another thread has finished what it does.
enum class Look : u32 { inserted, found, full, absent, going, waiting };

}  // namespace copse::detail
