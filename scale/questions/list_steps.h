#pragma once

// Answers that are lists: a head for each message, and the items of all lists one after the other. For bodies: the
// executor's primitives must be included.

#include "primitives/core/executor.h"
#include "primitives/inputs.h"
#include "scale/questions/list_head.h"

namespace copse::detail {

template <class Message>
struct PackHead {
  const Message* live;
  const u32* counts;
  const u32* ids;
  ListHead* heads;
  COPSE_HD void operator()(u64 i) const { heads[i] = {live[ids[i]].index, counts[ids[i]]}; }
};

/// The length of each list, and a 0 after the last one, so that an exclusive scan ends with the total.
struct HeadCountsAndEnd {
  const ListHead* heads;
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i < n ? heads[i].count : 0; }
};

/// Stores the heads of the lists of some messages.
template <class Executor, class Message>
void pack_heads(const Executor& ex, const Message* live, const u32* counts, const u32* ids, u64 count,
                ListHead* heads) {
  for_each(ex, "waves: pack heads", count, PackHead<Message>{live, counts, ids, heads});
}

/// Stores where each list begins, and the end of the last one.
template <class Executor>
void place_heads(const Executor& ex, const ListHead* heads, u64 n, u64* offsets) {
  u64* const no_total = nullptr;
  exclusive_scan(ex, "waves: place lists", n + 1, HeadCountsAndEnd{heads, n}, u64{0}, Plus{}, offsets, no_total);
}

}  // namespace copse::detail
