#pragma once

// The words of a table that one look brings: 32 bytes, which GPUs fetch from memory as one sector.

#include "primitives/core/atomic.h"
#include "primitives/core/macros.h"

namespace copse::detail {

template <class Word>
struct HashGroup {
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
class HashWalk {
 public:
  COPSE_HD HashWalk(u64 home, u64 slot_count, u64 most_probes)
      : slot_(home), slot_count_(slot_count), left_(most_probes) {}

  COPSE_HD u64 slot() const { return slot_; }

  /// False where the search has looked at all that it may.
  COPSE_HD bool next(u32 group_size) {
    if (left_ <= group_size) return false;
    left_ -= group_size;
    slot_ += group_size;
    if (slot_ == slot_count_) slot_ = 0;
    return true;
  }

 private:
  u64 slot_, slot_count_, left_;
};

}  // namespace copse::detail
