#pragma once

// Bidirectional linear probing (van der Vegt, "A Concurrent Bidirectional Linear Probing Algorithm Towards a
// Concurrent Compact Hash Table", 2011; on GPUs, Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer
// Graphics", SIGGRAPH Asia 2023 course, section 5.4). Elements stand in the order of their hashes, so a search
// walks one way from the key's home. It walks half as far as linear probing if the key is there, and no further if
// it is not. An insertion at an empty home is one compare-and-swap. Any other insertion moves a part of the run to
// make room, under a lock on the two ends of the run (bidirectional_run.h). An erasure moves elements back, and
// leaves no trace.
//
// Where we differ from the course: searches may run during insertions and erasures (bidirectional_search.h); the
// slots before the first and behind the last are locked like others, and nothing wraps around; keys have up to 16
// bytes; any table may be filled to its last slot.
//
// Why no key is ever there twice. Either the key's home is free, and one compare-and-swap fills it; or the run
// around its home is locked and searched before any element moves, and no other thread fills its slots. If the
// home becomes free or occupied in between, the compare-and-swap or the lock fails, and the insertion starts
// again.
//
// The threads of a warp may run in lockstep, or each on its own. One pass of the loop in `put` and `erase` takes a
// lock, uses it and gives it back; in between, it takes no other lock and waits for none. So a lane that holds a
// lock gives it back, whichever lanes run with it. A lane that finds a lock taken waits for the next pass. A lane
// that is done stays in the loop until all lanes are done, so that no compiler can move a critical section behind
// the loop. A search waits only for changes, by looking again. By the same argument, the threads that make these
// changes go on: when lanes diverge, those that search hold no lock, and those that change elements do not wait
// for them.

#include "primitives/core/warp_atomic.h"
#include "primitives/hash_result.h"
#include "primitives/tables/bidirectional_run.h"

namespace copse::detail {

template <u32 key_bytes_, u32 value_bytes_>
class BidirectionalSlots {
 public:
  static constexpr u32 key_bytes = key_bytes_, value_bytes = value_bytes_;
  using Layout = BidirectionalLayout<key_bytes, value_bytes>;
  using Key = typename Layout::Key;
  using Value = typename Layout::Value;
  using Word = typename Layout::Word;
  using Group = typename Layout::Group;
  using Target = BidirectionalTarget<Key>;

  /// A search that has read the slots around its key's home.
  struct Start {
    Target target;
    Group group;
  };

  BidirectionalSlots() = default;
  COPSE_HD BidirectionalSlots(void* memory, const HashShape& shape)
      : layout_(memory, shape), max_probes_(shape.max_probes), memory_bytes_(shape.bytes) {}

  static HashShape shape(u64 capacity, const HashTableOptions& options) {
    return Layout::shape(capacity, options);
  }

  COPSE_HD Start start(const Key& key) const {
    const u32 tag = Layout::tag_of(key);
    const u64 home = layout_.home_of(tag);
    return {{key, tag, home}, Group::load(layout_.word(home / Group::size * Group::size))};
  }

  COPSE_HD InsertResult insert(const Start& start, const Value& value) const { return put(start, value, false); }
  COPSE_HD InsertResult insert_or_assign(const Start& start, const Value& value) const {
    return put(start, value, true);
  }

  COPSE_HD bool find(const Start& start, Value& value) const {
    if (is_special(start.target.tag)) return find_in_cell(start.target.tag, value);
    const u32 at_home = Layout::tag_in(word_at_home(start));
    if (is_free(at_home)) return false;
    if constexpr (Layout::is_packed) {
      // A word is a whole element: a thread that sees it has found it, whatever moves meanwhile.
      for (u32 k = 0; k < Group::size; ++k) {
        if (Layout::tag_in(start.group.word[k]) == start.target.tag) {
          value = layout_.value_at(0, start.group.word[k]);
          return true;
        }
      }
    }
    return search(start.target, value);
  }

  COPSE_HD bool erase(const Start& start) const {
    if (is_special(start.target.tag)) return (exchange_relaxed(cell(start.target.tag), u64{0}) & cell_taken) != 0;
    SpinWait wait;
    bool erased = false, done = false;
    for (;;) {
      if (!done) done = try_erase(start.target, erased);
      if (all_lanes_done(done)) return erased;
      if (!done) wait();
    }
  }

  /// The slots, and the two cells of packed slots.
  COPSE_HD u64 visited_slots() const { return layout_.slot_count() + (Layout::is_packed ? 2 : 0); }

  /// True if a slot or cell holds an element, which is stored in `key` and `value`. Insertions and erasures of
  /// other keys move elements. Meanwhile, a walk over all slots may meet an element twice or not at all.
  COPSE_HD bool element(u64 slot, Key& key, Value& value) const {
    if (slot >= layout_.slot_count()) return element_of_cell(u32(slot - layout_.slot_count()), key, value);
    slot += Layout::first_slot;
    for (SpinWait wait;; wait()) {
      SeenPages<Layout> pages(layout_);
      if constexpr (!Layout::is_packed) pages.enter(slot / page_slots);
      const Word word = load_element(slot);
      if (is_free(Layout::tag_in(word))) return false;
      key = layout_.key_at(slot, word);
      value = layout_.value_at(slot, word);
      if (Layout::is_packed || pages.unchanged()) return true;
    }
  }

  /// Erased elements leave no trace.
  COPSE_HD bool is_used(u64 slot) const {
    Key key{};
    Value value{};
    return element(slot, key, value);
  }

  COPSE_HD u64 slot_count() const { return layout_.slot_count(); }
  COPSE_HD u64 memory_bytes() const { return memory_bytes_; }
  COPSE_HD const Layout& layout() const { return layout_; }

  /// Inserts or assigns the key of a cell.
  COPSE_HD InsertResult put_in_cell(u32 special, const Value& value, bool assigns) const {
    u64 taken = cell_taken;
    if constexpr (value_bytes > 0) taken |= value.word[0];
    const u64 before = compare_exchange_relaxed(cell(special), u64{0}, taken);
    if (before == 0) return InsertResult::inserted;
    // A failed compare-and-swap is ordered just before the assignment or erasure that beat it.
    if (assigns && before != taken) compare_exchange_relaxed(cell(special), before, taken);
    return InsertResult::found;
  }
  COPSE_HD static bool is_special(u32 tag) { return Layout::is_packed && is_free(tag); }

 private:
  /// A bit of a cell that holds its key; the lower half has the value.
  static constexpr u64 cell_taken = u64{1} << 32;
  static constexpr u64 any_reach = u64{1} << 62;

  COPSE_HD static Word word_at_home(const Start& start) {
    Word word = start.group.word[0];
    for (u32 k = 1; k < Group::size; ++k) {
      if (k == start.target.home % Group::size) word = start.group.word[k];
    }
    return word;
  }

  /// Loads the word of a slot. If the slot has a record, the load acquires what the writer of the word wrote
  /// there.
  COPSE_HD Word load_element(u64 slot) const {
    return Layout::is_packed ? load_relaxed(layout_.word(slot)) : load_acquire(layout_.word(slot));
  }

  [[gnu::noinline]] COPSE_HD bool search(const Target& target, Value& value) const {
    for (SpinWait wait;; wait()) {
      SeenPages<Layout> pages(layout_);
      const auto place = locate(layout_, target, pages);
      if (place.found) value = layout_.value_at(place.slot, place.word);
      if ((Layout::is_packed && place.found) || pages.unchanged()) return place.found;
    }
  }

  COPSE_HD InsertResult put(const Start& start, const Value& value, bool assigns) const {
    if (is_special(start.target.tag)) return put_in_cell(start.target.tag, value, assigns);
    SpinWait wait;
    InsertResult result{};
    Word at_home = word_at_home(start);
    bool done = false;
    for (;;) {
      if (!done) done = try_put(start.target, at_home, value, assigns, result);
      if (all_lanes_done(done)) break;
      if (!done) {
        wait();
        at_home = load_relaxed(layout_.word(start.target.home));
      }
    }
    if (result == InsertResult::full) fetch_increment_by_warp(&layout_.header()->refused);
    return result;
  }

  /// False if another thread was in the way: try again.
  COPSE_HD bool try_put(const Target& target, Word at_home, const Value& value, bool assigns,
                        InsertResult& result) const {
    if (!is_free(Layout::tag_in(at_home))) return try_put_beside(target, value, assigns, result);
    result = InsertResult::inserted;
    return Layout::tag_in(at_home) == empty_tag && fill_home(target, value);
  }

  /// For a home that another element takes. Not inlined: it is long, and kernels contain it many times.
  [[gnu::noinline]] COPSE_HD bool try_put_beside(const Target& target, const Value& value, bool assigns,
                                                 InsertResult& result) const {
    Value ignored{};
    if (!assigns && search(target, ignored)) {
      result = InsertResult::found;
      return true;
    }
    BidirectionalRun run;
    if (!find_run(layout_, target.home, max_probes_, run)) {
      if (assigns && search(target, ignored)) return try_assign(target, value, result);
      result = InsertResult::full;
      return is_out_of_reach_without(target);
    }
    // Threads that a full table refuses do not wait for each other.
    const bool is_whole_table = run.left < Layout::first_slot && run.right >= layout_.end_slot();
    if (is_whole_table && is_full_without(target)) {
      result = InsertResult::full;
      return true;
    }
    if (!try_lock_run(layout_, run)) return false;
    result = put_into_run(run, target, value, assigns);
    return true;
  }

  /// Puts an element at its home, if that is empty.
  COPSE_HD bool fill_home(const Target& target, const Value& value) const {
    Word* const home = layout_.word(target.home);
    constexpr Word empty = Layout::free_word(empty_tag);
    const Word word = Layout::word_of(target.tag, value);
    if constexpr (Layout::is_packed) {
      return compare_exchange_relaxed(home, empty, word) == empty;
    } else {
      if (compare_exchange_relaxed(home, empty, Layout::free_word(locked_tag)) != empty) return false;
      // For searches that still read the record of an erased element: see bidirectional_search.h.
      fence_acq_rel();
      layout_.store_key(target.home, target.key);
      layout_.store_value(target.home, value);
      store_release(home, word);
      return true;
    }
  }

  /// True if there was a moment at which all slots were taken, and none by the key.
  COPSE_HD bool is_full_without(const Target& target) const {
    SeenPages<Layout> pages(layout_);
    for (u64 page = Layout::first_slot / page_slots; page < layout_.end_slot() / page_slots; ++page) {
      pages.enter(page);
    }
    const bool is_full = free_slot_after(layout_, Layout::first_slot - 1, any_reach) >= layout_.end_slot();
    return is_full && !locate(layout_, target, pages).found && pages.unchanged();
  }

  /// True if there was a moment at which the key's home was taken, its run reached too far on one side, and the
  /// key was not in the table. A search before find_run is not enough: another thread may insert the key in
  /// between, and so make the run longer. While no element moves, no slot becomes free. So the slots that find_run
  /// saw as taken are still taken when the walk after it does not find the key.
  COPSE_HD bool is_out_of_reach_without(const Target& target) const {
    const u64 home = target.home;
    const u64 first = home > max_probes_ ? home - max_probes_ : 0;
    const u64 last = smaller(home + max_probes_, layout_.end_slot()) + Group::size;
    SeenPages<Layout> pages(layout_);
    for (u64 page = (first < Group::size ? 0 : first - Group::size) / page_slots; page <= last / page_slots;
         ++page) {
      pages.enter(page);
    }
    BidirectionalRun run;
    return !is_free(layout_.tag_at(home)) && !find_run(layout_, home, max_probes_, run) &&
           !locate(layout_, target, pages).found && pages.unchanged();
  }

  COPSE_HD InsertResult put_into_run(const BidirectionalRun& run, const Target& target, const Value& value,
                                     bool assigns) const {
    NoPages no_pages;
    const auto place = locate(layout_, target, no_pages);
    if (!place.found) {
      return insert_into_run(layout_, run, place.slot, target, value) ? InsertResult::inserted
                                                                      : InsertResult::full;
    }
    if (assigns) assign(place.slot, target, value);
    unlock_run(layout_, run);
    return InsertResult::found;
  }

  /// Assigns to a key whose run has ends further away than an insertion looks. False if another thread was in the
  /// way, or erased the key: try again.
  COPSE_HD bool try_assign(const Target& target, const Value& value, InsertResult& result) const {
    BidirectionalRun run;
    if (!find_run(layout_, target.home, any_reach, run) || !try_lock_run(layout_, run)) return false;
    NoPages no_pages;
    const auto place = locate(layout_, target, no_pages);
    if (place.found) assign(place.slot, target, value);
    result = InsertResult::found;
    unlock_run(layout_, run);
    return place.found;
  }

  COPSE_HD void assign(u64 slot, const Target& target, const Value& value) const {
    if constexpr (Layout::is_packed) {
      store_relaxed(layout_.word(slot), Layout::word_of(target.tag, value));
    } else {
      begin_change(layout_, slot, slot);
      layout_.store_value(slot, value);
      end_change(layout_, slot, slot);
    }
  }

  /// False if another thread was in the way: try again.
  [[gnu::noinline]] COPSE_HD bool try_erase(const Target& target, bool& erased) const {
    Value ignored{};
    if (!search(target, ignored)) return true;
    BidirectionalRun run;
    if (!find_run(layout_, target.home, any_reach, run) || !try_lock_run(layout_, run)) return false;
    NoPages no_pages;
    const auto place = locate(layout_, target, no_pages);
    erased = place.found;
    if (erased) {
      erase_from_run(layout_, run, place.slot);
    } else {
      unlock_run(layout_, run);
    }
    return true;
  }

  COPSE_HD bool element_of_cell(u32 special, Key& key, Value& value) const {
    if constexpr (Layout::is_packed) key = {unmixed(special)};
    return find_in_cell(special, value);
  }

  COPSE_HD u64* cell(u32 special) const { return layout_.header()->cells + special; }

  COPSE_HD bool find_in_cell(u32 special, Value& value) const {
    if constexpr (Layout::is_packed) {
      const u64 word = load_relaxed(cell(special));
      if ((word & cell_taken) == 0) return false;
      if constexpr (value_bytes > 0) value.word[0] = u32(word);
      return true;
    } else {
      return false;
    }
  }

  Layout layout_;
  u64 max_probes_ = 0, memory_bytes_ = 0;
};

}  // namespace copse::detail
