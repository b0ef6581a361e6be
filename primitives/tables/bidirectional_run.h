#pragma once

// Changes of a run of occupied slots, under a lock on the two free slots at its ends (Meister, Yoshimura, Kao,
// "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course, "Parallel Bidirectional Linear
// Probing").
//
//   free    element element element element    free
//   locked     |<------  protected  ------>|   locked
//
// A thread that changes a run holds both ends. If a run grows over a locked end into its neighbour, its other end
// stays locked until the change is complete, and the longer run has that same end. An insertion at a free home
// takes its slot by a compare-and-swap, which fails if the slot is locked.
//
// A thread takes the left end first, and gives it back if the right one is taken. Of all threads that hold a left
// end, the one furthest right finds its right end free, or held by a thread that holds both ends. So in every
// round of attempts, at least one thread goes on. No thread waits for anything while it holds an end. This makes
// locks safe in lockstep: see BidirectionalSlots.
//
// Between its locks and its change, a thread checks that all slots of the run are taken, from left to right. Each
// slot that it reads it acquires before it reads the next. Therefore it knows all earlier changes in the run:
//
//   A has locked the run [a, b] and checks it. Before, E erased in a run [l, r] and freed slot x, which lies
//   between a and b. Suppose that A still reads x as taken.
//   - l is a, or lies before a: A's compare-and-swap on a acquired E's change. (If l lies before a, then a was
//     taken while E held its run. The thread that freed a later knew E's change by this same argument.)
//   - l lies behind a: A has read l before x, and saw it taken. If a thread F has filled l since E gave it back,
//     A acquired E's change: F's compare-and-swap continues what E released (or F acquires and releases it). If
//     not, A saw l as it was before a thread G freed it. Then repeat the argument for G and l in place of E and
//     x. Each repetition goes further to the left, so it ends at a.
//   In each case A knew E's change when it read x, so it read x as free.
//
// Changes by insertions and assignments are known for the same reasons: such a thread also gave back an end of its
// run after a fence, and filled the other end or gave it back.

#include "primitives/tables/bidirectional_search.h"

namespace copse::detail {

/// A run between two free slots.
struct BidirectionalRun {
  u64 left, right;
};

template <class Layout>
COPSE_HD bool try_lock_slot(const Layout& layout, u64 slot) {
  constexpr auto empty = Layout::free_word(empty_tag);
  return load_relaxed(layout.word(slot)) == empty &&
         compare_exchange_acquire(layout.word(slot), empty, Layout::free_word(locked_tag)) == empty;
}

/// Call it after a fence that the thread passed since its locks: it passes on what their previous holders did.
template <class Layout>
COPSE_HD void unlock_slot(const Layout& layout, u64 slot) {
  store_relaxed(layout.word(slot), Layout::free_word(empty_tag));
}

template <class Layout>
COPSE_HD void unlock_run(const Layout& layout, const BidirectionalRun& run) {
  fence_acq_rel();
  unlock_slot(layout, run.left);
  unlock_slot(layout, run.right);
}

/// Finds the run around `home`, which was occupied a moment ago. False if an end is further away than `reach`.
template <class Layout>
COPSE_HD bool find_run(const Layout& layout, u64 home, u64 reach, BidirectionalRun& run) {
  run.left = free_slot_before(layout, home, home > reach ? home - reach : 0);
  run.right = free_slot_after(layout, home, home + reach);
  return run.left != no_slot && run.right != no_slot;
}

/// True if all slots between the two locked ends are taken. Acquires each before it reads the next to the right.
template <class Layout>
COPSE_HD bool is_unbroken(const Layout& layout, const BidirectionalRun& run) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    using Group = typename Layout::Group;
    u64 first = (run.left + 1) / Group::size * Group::size;
    for (u32 from = u32(run.left + 1 - first);; first += Group::size, from = 0) {
      const Group group = Group::load_in_order(layout.word(first));
      for (u32 k = 0; k < Group::size; ++k) {
        if (k >= from && is_free(Layout::tag_in(group.word[k]))) return first + k == run.right;
      }
    }
  } else {
    u64 slot = run.left + 1;
    while (!is_free(Layout::tag_in(load_acquire(layout.word(slot))))) ++slot;
    return slot == run.right;
  }
}

/// Tries to lock a run as find_run found it. Does not wait.
template <class Layout>
COPSE_HD bool try_lock_run(const Layout& layout, const BidirectionalRun& run) {
  if (!try_lock_slot(layout, run.left)) return false;
  if (!try_lock_slot(layout, run.right)) {
    store_release(layout.word(run.left), Layout::free_word(empty_tag));
    return false;
  }
  // An erasure may have split the run before the locks.
  if (is_unbroken(layout, run)) return true;
  unlock_run(layout, run);
  return false;
}

/// Tells searches that the elements of slots [first, last] change from now on.
template <class Layout>
COPSE_HD void begin_change(const Layout& layout, u64 first, u64 last) {
  for (u64 page = first / page_slots; page <= last / page_slots; ++page) {
    fetch_add_relaxed(&layout.changes_of(page)->begun, 1u);
  }
  fence_acq_rel();
}

template <class Layout>
COPSE_HD void end_change(const Layout& layout, u64 first, u64 last) {
  fence_acq_rel();
  for (u64 page = first / page_slots; page <= last / page_slots; ++page) {
    fetch_add_relaxed(&layout.changes_of(page)->ended, 1u);
  }
}

template <class Layout>
COPSE_HD void put_element(const Layout& layout, u64 slot, const BidirectionalTarget<typename Layout::Key>& target,
                          const typename Layout::Value& value) {
  layout.store_key(slot, target.key);
  layout.store_value(slot, value);
  store_relaxed(layout.word(slot), Layout::word_of(target.tag, value));
}

/// Puts an element before slot `place` of a locked run, and unlocks the run. False if there is no room, because
/// the run reaches both ends of the table.
///
/// If the element comes to stand on the right of its home, other elements move to the left; if on the left, they
/// move to the right. So runs stay around the homes of their elements (van der Vegt, "A Concurrent Bidirectional
/// Linear Probing Algorithm", 2011, and the course).
template <class Layout>
COPSE_HD bool insert_into_run(const Layout& layout, const BidirectionalRun& run, u64 place,
                              const BidirectionalTarget<typename Layout::Key>& target,
                              const typename Layout::Value& value) {
  const bool has_left = run.left >= Layout::first_slot, has_right = run.right < layout.end_slot();
  if (!has_left && !has_right) {
    unlock_run(layout, run);
    return false;
  }
  if (has_left && (!has_right || place > target.home)) {
    begin_change(layout, run.left, place - 1);
    for (u64 slot = run.left; slot + 1 < place; ++slot) layout.move(slot + 1, slot);
    put_element(layout, place - 1, target, value);
    end_change(layout, run.left, place - 1);
    unlock_slot(layout, run.right);
  } else {
    begin_change(layout, place, run.right);
    for (u64 slot = run.right; slot > place; --slot) layout.move(slot - 1, slot);
    put_element(layout, place, target, value);
    end_change(layout, place, run.right);
    unlock_slot(layout, run.left);
  }
  return true;
}

/// Erases the element of a slot of a locked run, and unlocks the run. The gap would cut some elements off from
/// their homes; these move into it one by one. All of them stand on one side, since homes ascend with slots.
template <class Layout>
COPSE_HD void erase_from_run(const Layout& layout, const BidirectionalRun& run, u64 place) {
  u64 gap = place;
  while (gap + 1 < run.right && layout.home_of(layout.tag_at(gap + 1)) <= gap) ++gap;
  if (gap == place) {
    while (gap - 1 > run.left && layout.home_of(layout.tag_at(gap - 1)) >= gap) --gap;
  }
  const u64 first = smaller(gap, place), last = larger(gap, place);
  begin_change(layout, first, last);
  for (u64 slot = place; slot < gap; ++slot) layout.move(slot + 1, slot);
  for (u64 slot = place; slot > gap; --slot) layout.move(slot - 1, slot);
  // Released: a thread that fills the gap writes to the record that was read here.
  store_release(layout.word(gap), Layout::free_word(empty_tag));
  end_change(layout, first, last);
  unlock_slot(layout, run.left);
  unlock_slot(layout, run.right);
}

}  // namespace copse::detail
