#pragma once

// Linear probing (Knuth, The Art of Computer Programming, volume 3, 1973, section 6.4; on GPUs, Meister,
// Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course, section 5.4) in
// slots of one word that holds key and value, so that one compare-and-swap puts both there.
//
// Why no key is ever there twice. A compare-and-swap fills an empty slot. A filled slot keeps its key until it
// becomes `erased`, and an erased slot stays erased. So a slot that once held another key, or was erased, never
// holds K later. An insertion of K fills the first empty slot on the walk of K. Before that, it has seen every
// earlier slot of the walk with another key or erased. Assume that K is in two slots: the insertion into the later
// slot has seen the earlier one with another key or erased, so K cannot be there. (Where an insertion may fill
// erased slots, two of the same key may fill different ones: NVIDIA/cuCollections#606.) The proof looks at the
// values of each slot alone, in the order in which they were written. So relaxed operations are enough, for any
// number of threads.

#include "primitives/hash_result.h"
#include "primitives/hash_shape.h"
#include "primitives/tables/packed_words.h"

namespace copse::detail {

template <u32 key_bytes, u32 value_bytes>
class PackedSlots : public PackedTable<key_bytes, value_bytes> {
  using Packed = PackedTable<key_bytes, value_bytes>;
  using Packed::bits_of_value, Packed::value_in, Packed::is_special, Packed::cell, Packed::refuse;
  using Packed::empty, Packed::erased, Packed::key_mask;
  using Packed::words_, Packed::slot_count_;
  using typename Packed::EmptyOrKey;

 public:
  using typename Packed::Group;
  using typename Packed::Key;
  using typename Packed::Value;
  using typename Packed::Word;

  /// A search that has begun.
  struct Start {
    Word key;  // its complement, and zeros in the place of the value
    HashWalk walk;
  };

  PackedSlots() = default;
  COPSE_HD PackedSlots(void* memory, const HashShape& shape)
      : Packed(memory, shape.slot_count), max_probes_(shape.max_probes), bucket_slots_(shape.bucket_slots) {}

  static HashShape shape(u64 capacity, const HashTableOptions& options) {
    return hash_shape(capacity, options, sizeof(Word), 0);
  }

  COPSE_HD Start start(const Key& key) const {
    const u64 home = place_of(hash_of(key), slot_count_ / bucket_slots_) * bucket_slots_;
    return {Packed::bits_of_key(key), {home, max_probes_}};
  }

  /// One look at a group, for bulk calls: `going` means to call again. `quiet`: no thread writes meanwhile.
  template <bool quiet>
  COPSE_HD Look look_for(Start& search, Value& value) const {
    if (is_special(search.key)) return Packed::find_in_cell(cell(search.key), value) ? Look::found : Look::absent;
    const Word* const first = words_ + search.walk.slot;
    const Group group = quiet ? Group::load_quiet(first) : Group::load(first);
    const auto stop = first_stop(group, 0, EmptyOrKey{search.key});
    if (stop.place == Group::size) return search.walk.next(Group::size, slot_count_) ? Look::going : Look::absent;
    if (stop.word == empty) return Look::absent;
    value = value_in(stop.word);
    return Look::found;
  }

  COPSE_HD Look look_to_put(Start& search, const Value& value, bool assigns) const {
    if (is_special(search.key)) return Packed::put_in_cell(cell(search.key), value, assigns);
    const Word word = search.key | bits_of_value(value);
    Word* const first = words_ + search.walk.slot;
    const auto stop = first_stop(Group::load(first), search.walk.from, EmptyOrKey{search.key});
    if (stop.place == Group::size) return search.walk.next(Group::size, slot_count_) ? Look::going : refuse();
    if (stop.word == empty) {
      const Word before = compare_exchange_relaxed(first + stop.place, empty, word);
      if (before == empty) return Look::inserted;
      // If another key took the slot first, go on behind it. If the same key did, the next look finds it.
      search.walk.from = stop.place + ((before & key_mask) != search.key ? 1 : 0);
      return Look::going;
    }
    // A failed compare-and-swap is ordered just before the assignment or erasure that beat it.
    if (assigns && stop.word != word) compare_exchange_relaxed(first + stop.place, stop.word, word);
    return Look::found;
  }

  COPSE_HD Look look_to_erase(Start& search) const {
    if (is_special(search.key)) {
      return Packed::erase_in_cell(cell(search.key)) ? Look::found : Look::absent;
    }
    Word* const first = words_ + search.walk.slot;
    const auto stop = first_stop(Group::load(first), 0, EmptyOrKey{search.key});
    if (stop.place == Group::size) return search.walk.next(Group::size, slot_count_) ? Look::going : Look::absent;
    if (stop.word == empty) return Look::absent;
    // If another thread changed or erased the element, look again.
    return compare_exchange_relaxed(first + stop.place, stop.word, erased) == stop.word ? Look::found
                                                                                        : Look::going;
  }

 private:
  u64 max_probes_ = 0;
  u32 bucket_slots_ = 1;
};

}  // namespace copse::detail
