#pragma once

// How a search finds a key in slots that are ordered by tag. It starts at the key's home; the tag there says
// whether to walk to the right or to the left. Two laws hold for every table, at any moment:
//
//   (1) from left to right, tags do not descend
//   (2) no slot between an element and its home is free, and its home is not free
//
// So if a key's home is free, the key is not there. Otherwise the key can only stand in the run of slots around
// its home, on the side that the tag at home gives. A walk ends where the tags pass the key's tag, or where the
// run ends. Homes ascend with tags, so (1) holds between runs because of (2): between the elements of two runs is
// a free slot, and the homes of neither run lie beyond it.
//
// A walk that reads elements while others move may miss an element that moves past it. So each page of 64 slots
// counts the changes of its elements that have begun, and those that have ended (a sequence lock with several
// writers: Boehm, "Can Seqlocks Get Along With Programming Language Memory Models?", MSPC 2012). If the number
// ended before the walk saw the page equals the number begun after the walk's end, no element of the page moved in
// between. Insertions may have filled free slots that are the homes of their keys: the walk's answer was right
// when it read its last slot.
//
// Memory orders, with thread W that walks, C that changes elements and F that fills a free home:
//
// - W has read a store of C. C counts its change, then passes a fence, then stores. W passes a fence, then reads
//   the number begun. So W sees this change begun. If W has not seen it ended, W looks again.
// - W has seen C's change ended. W acquired that number, and sees all that C stored, and all that C knew.
// - W has read a tag of F. F is not counted, and need not be: W acquires the tag before it reads the record, which
//   F wrote before.
// - W reads a record while F writes it, in place of an element that C erased. F took the slot that C left free, and
//   passed a fence before it wrote. So W, behind its own fence, sees C's change begun, and looks again.

#include "primitives/tables/bidirectional_layout.h"

namespace copse::detail {

/// The pages that a walk has seen.
template <class Layout>
class SeenPages {
 public:
  COPSE_HD explicit SeenPages(const Layout& layout) : layout_(layout) {}

  /// Call before the first look at a page, which must be next to the pages seen before.
  COPSE_HD void enter(u64 page) {
    if (first_ <= page && page <= last_) return;
    first_ = first_ > last_ ? page : smaller(first_, page);
    last_ = larger(last_, page);
    ended_minus_begun_ += load_acquire(&layout_.changes_of(page)->ended);
  }

  /// Call after the last look. True if no element has moved. (2^32 changes during the walk could mislead it.)
  COPSE_HD bool unchanged() {
    fence_acq_rel();
    for (u64 page = first_; page <= last_; ++page) {
      ended_minus_begun_ -= load_relaxed(&layout_.changes_of(page)->begun);
    }
    return ended_minus_begun_ == 0;
  }

 private:
  const Layout& layout_;
  u64 first_ = 1, last_ = 0;
  u32 ended_minus_begun_ = 0;  // no page ended more changes than it began, so a sum of 0 means 0 in each page
};

/// For walks of a thread that holds the lock of the run.
struct NoPages {
  COPSE_HD void enter(u64) {}
};

/// Where a key stands. If it is not there: the slot of the first element behind it, or a free slot.
template <class Word>
struct BidirectionalPlace {
  bool found;
  u64 slot;
  Word word;
};

/// The key that a search looks for.
template <class Key>
struct BidirectionalTarget {
  Key key;
  u32 tag;
  u64 home;
};

template <class Layout, class Pages>
COPSE_HD BidirectionalPlace<typename Layout::Word> walk_right(
    const Layout& layout, const BidirectionalTarget<typename Layout::Key>& target, Pages& pages) {
  using Group = typename Layout::Group;
  u64 slot = target.home / Group::size * Group::size;
  for (u32 from = u32(target.home - slot);; slot += Group::size, from = 0) {
    pages.enter(slot / page_slots);
    const Group group = Group::load(layout.word(slot));
    for (u32 k = 0; k < Group::size; ++k) {
      if (k < from) continue;
      const u32 at = Layout::tag_in(group.word[k]);
      if (at == target.tag && layout.holds_key(slot + k, target.key)) return {true, slot + k, group.word[k]};
      if (ends_walk_right(at, target.tag)) return {false, slot + k, group.word[k]};
    }
  }
}

template <class Layout, class Pages>
COPSE_HD BidirectionalPlace<typename Layout::Word> walk_left(
    const Layout& layout, const BidirectionalTarget<typename Layout::Key>& target, Pages& pages) {
  using Group = typename Layout::Group;
  u64 slot = target.home / Group::size * Group::size;
  for (u32 end = u32(target.home - slot);; slot -= Group::size, end = Group::size) {
    pages.enter(slot / page_slots);
    const Group group = Group::load(layout.word(slot));
    for (u32 k = Group::size; k-- > 0;) {
      if (k >= end) continue;
      const u32 at = Layout::tag_in(group.word[k]);
      if (at == target.tag && layout.holds_key(slot + k, target.key)) return {true, slot + k, group.word[k]};
      if (ends_walk_left(at, target.tag)) return {false, slot + k + 1, group.word[k]};
    }
  }
}

/// Looks for a key, from its home on.
template <class Layout, class Pages>
COPSE_HD BidirectionalPlace<typename Layout::Word> locate(const Layout& layout,
                                                          const BidirectionalTarget<typename Layout::Key>& target,
                                                          Pages& pages) {
  pages.enter(target.home / page_slots);
  const u32 at_home = layout.tag_at(target.home);
  if (is_free(at_home)) return {false, target.home, 0};
  if (at_home > target.tag) return walk_left(layout, target, pages);
  const auto right = walk_right(layout, target, pages);
  // Other keys of the same tag may stand on either side.
  if (right.found || at_home < target.tag) return right;
  const auto left = walk_left(layout, target, pages);
  return left.found ? left : right;
}

inline constexpr u64 no_slot = ~u64{0};

/// Returns the nearest free slot before `slot`, or no_slot if the walk finds none down to the group of `lowest`.
template <class Layout>
COPSE_HD u64 free_slot_before(const Layout& layout, u64 slot, u64 lowest) {
  using Group = typename Layout::Group;
  u64 first = (slot - 1) / Group::size * Group::size;
  for (u32 end = u32(slot - first);; first -= Group::size, end = Group::size) {
    const Group group = Group::load(layout.word(first));
    for (u32 k = Group::size; k-- > 0;) {
      if (k < end && is_free(Layout::tag_in(group.word[k]))) return first + k;
    }
    if (first <= lowest) return no_slot;
  }
}

/// Returns the nearest free slot behind `slot`, or no_slot if the walk finds none up to the group of `highest`.
template <class Layout>
COPSE_HD u64 free_slot_after(const Layout& layout, u64 slot, u64 highest) {
  using Group = typename Layout::Group;
  u64 first = (slot + 1) / Group::size * Group::size;
  for (u32 from = u32(slot + 1 - first);; first += Group::size, from = 0) {
    const Group group = Group::load(layout.word(first));
    for (u32 k = 0; k < Group::size; ++k) {
      if (k >= from && is_free(Layout::tag_in(group.word[k]))) return first + k;
    }
    if (first + Group::size >= highest) return no_slot;
  }
}

}  // namespace copse::detail
