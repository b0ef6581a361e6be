#pragma once

// The sinks of a search for several hits. trace/hit_list.h has the searches, and defines drafts and orders. A sink
// has:
//
//   bool take(const HitType& draft, float& limit)    takes a hit; may lower the limit; returns true to end the search
//   can_start_again, start_again()                   forgets its hits, so that a search that gave up can begin anew
//   drops_repeats                                    true if it ignores a draft that it already has

#include "trace/hit_filter.h"

namespace copse::detail {

/// Keeps the first hits in memory of the caller, sorted by insertion. Hits come roughly in order, so few of them
/// move. Once the memory is full, the limit of the search is the t of the last hit.
template <class Order, class Filter = AcceptAll>
struct FirstHits {
  using HitType = typename Order::HitType;
  static constexpr bool can_start_again = accepts_all<Filter>;
  static constexpr bool drops_repeats = accepts_all<Filter>;  // a filter is called at most once per triangle

  Order order;
  HitType* drafts;
  u32 capacity;                    // at least 1
  Filter* filter = nullptr;        // null with AcceptAll
  const HitType* after = nullptr;  // takes only drafts behind this one in order
  u32 count = 0;

  COPSE_HD void start_again() { count = 0; }

  /// Offers a draft. Returns true to end the search.
  COPSE_HD bool take(const HitType& draft, float& limit) {
    if (after != nullptr && !order.before(*after, draft)) return false;
    u32 at = count;
    while (at > 0 && order.before(draft, drafts[at - 1])) --at;
    if (at == capacity) return false;
    if constexpr (drops_repeats) {
      if (at > 0 && drafts[at - 1].t == draft.t && !order.before(drafts[at - 1], draft)) return false;
    }
    FilterAnswer answer = FilterAnswer::accept;
    if constexpr (!accepts_all<Filter>) answer = (*filter)(order.finished(draft));
    if (answer == FilterAnswer::pass_over) return false;
    if (count < capacity) ++count;
    for (u32 i = count - 1; i > at; --i) drafts[i] = drafts[i - 1];
    drafts[at] = draft;
    if (count == capacity) limit = drafts[count - 1].t;
    return answer == FilterAnswer::stop;
  }

  /// Makes hits of the drafts, in their memory.
  COPSE_HD void finish() const {
    for (u32 i = 0; i < count; ++i) drafts[i] = order.finished(drafts[i]);
  }
};

/// Ends the search at the first hit that a filter accepts.
template <class Order, class Filter>
struct AnyAcceptedHit {
  using HitType = typename Order::HitType;
  static constexpr bool can_start_again = false, drops_repeats = false;

  Order order;
  Filter* filter;
  bool found = false;

  COPSE_HD bool take(const HitType& draft, float&) {
    found = (*filter)(order.finished(draft)) != FilterAnswer::pass_over;
    return found;
  }
};

/// Counts the hits.
template <class Order>
struct HitCount {
  using HitType = typename Order::HitType;
  static constexpr bool can_start_again = true, drops_repeats = false;

  u32 count = 0;

  COPSE_HD void start_again() { count = 0; }
  COPSE_HD bool take(const HitType&, float&) {
    ++count;
    return false;
  }
};

/// Keeps the first `capacity` hits in memory of the caller, as a heap with the last of them on top. sort() turns the
/// heap into a sorted list.
template <class Order>
struct HitHeap {
  using HitType = typename Order::HitType;
  static constexpr bool can_start_again = true, drops_repeats = false;

  Order order;
  HitType* drafts;
  u64 capacity;  // at least 1
  u64 count = 0;

  COPSE_HD void start_again() { count = 0; }

  COPSE_HD bool take(const HitType& draft, float& limit) {
    if (count < capacity) {
      rise(draft);
    } else if (order.before(draft, drafts[0])) {
      sink(draft, count);
    }
    if (count == capacity) limit = drafts[0].t;
    return false;
  }

  COPSE_HD void sort() {
    for (u64 end = count; end > 1; --end) {
      const HitType last = drafts[0];
      sink(drafts[end - 1], end - 1);
      drafts[end - 1] = last;
    }
  }

 private:
  COPSE_HD void rise(const HitType& draft) {
    u64 at = count++;
    for (; at > 0 && order.before(drafts[(at - 1) / 2], draft); at = (at - 1) / 2)
      drafts[at] = drafts[(at - 1) / 2];
    drafts[at] = draft;
  }

  /// Puts a draft at the top of a heap of `size`, and moves it down to its level.
  COPSE_HD void sink(const HitType& draft, u64 size) {
    u64 at = 0;
    for (u64 child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && order.before(drafts[child], drafts[child + 1])) ++child;
      if (!order.before(draft, drafts[child])) break;
      drafts[at] = drafts[child];
      at = child;
    }
    drafts[at] = draft;
  }
};

}  // namespace copse::detail
