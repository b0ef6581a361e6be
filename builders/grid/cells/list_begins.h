#pragma once

// Finds where each list begins among sorted keys. The key of an element is the number of its list. One thread per
// list searches for its begin, so no thread has to fill a long row of empty lists. For bodies: the executor's
// primitives must be included.

#include "primitives/core/executor.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Returns the first place from `begin` up to `end` whose key is not less than `key`.
COPSE_HD inline u64 lower_bound(const u32* keys, u64 begin, u64 end, u64 key) {
  while (begin < end) {
    const u64 middle = (begin + end) / 2;
    if (keys[middle] < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Every 64th list searches all keys; the others search between the places of two such lists.
inline constexpr u64 lists_per_mark = 64;

inline u64 list_mark_count(u64 list_count) {
  return list_count / lists_per_mark + 2;
}

template <class KeyCount>
struct FindListMark {
  const u32* keys;
  KeyCount key_count;
  u32* marks;
  COPSE_HD void operator()(u64 k) const { marks[k] = u32(lower_bound(keys, 0, key_count(), k * lists_per_mark)); }
};

struct FindListBegin {
  const u32* keys;
  const u32* marks;
  u32* begins;
  COPSE_HD void operator()(u64 list) const {
    const u64 mark = list / lists_per_mark;
    begins[list] = u32(lower_bound(keys, marks[mark], marks[mark + 1], list));
  }
};

/// Stores begins[0] to begins[list_count]; the last one is where all lists end.
///   keys:      ascending, below 2^32 of them
///   key_count: u64 operator()() const, host+device: how many there are
template <class Executor, class KeyCount>
void find_list_begins(const Executor& ex, const char* label, const u32* keys, const KeyCount& key_count,
                      u64 list_count, u32* begins) {
  ScratchArena::Frame frame(ex.scratch);
  u32* marks = frame.allocate<u32>(list_mark_count(list_count));
  for_each(ex, label, list_mark_count(list_count), FindListMark<KeyCount>{keys, key_count, marks});
  for_each(ex, label, list_count + 1, FindListBegin{keys, marks, begins});
}

inline u64 list_begins_scratch_bytes(u64 list_count) {
  return ScratchArena::bytes_for<u32>(list_mark_count(list_count));
}

}  // namespace copse::detail
