#pragma once

// Slots of one word that holds key and value together, so that one compare-and-swap puts both there. Tables with linear
// probing and cuckoo tables share them.
//
// The word holds the complement of key and value, so that memory of zeros is an empty table:
//
//   63        8 * key_bytes            0
//   ~value     ~key                        of an element
//   0          0                           empty
//   0          0 .. 01                     erased
//
// Keys whose complement is 0 or 1 would be taken for those two: they live in two cells beside the slots.

#include <type_traits>

#include "primitives/core/warp_atomic.h"
#include "primitives/hash_shape.h"
#include "primitives/tables/hash_group.h"
#include "primitives/tables/hash_words.h"

namespace copse::detail {

template <u32 key_bytes, u32 value_bytes>
struct PackedWords {
  static_assert(key_bytes >= 4 && key_bytes + value_bytes <= 8);
  using Key = Words<key_bytes>;
  using Value = Words<value_bytes>;
  using Word = std::conditional_t<key_bytes + value_bytes <= 4, u32, u64>;

  static constexpr Word empty = 0, erased = 1;
  static constexpr Word key_mask = Word(~u64{0} >> (64 - 8 * key_bytes));

  /// A bit of a cell that holds its key; the lower half has the value.
  static constexpr u64 cell_taken = u64{1} << 32;

  struct EmptyOrKey {
    Word key;
    COPSE_HD bool operator()(Word word) const { return word == empty || (word & key_mask) == key; }
  };

  /// The complement of a key, with zeros in the place of the value.
  COPSE_HD static Word bits_of_key(const Key& key) { return Word(~long_word(key, 0)) & key_mask; }

  COPSE_HD static bool is_special(Word key) { return key <= erased; }

  COPSE_HD static Key key_in(Word word) {
    const u64 bits = u64(Word(~word) & key_mask);
    Key key;
    key.word[0] = u32(bits);
    if constexpr (Key::count > 1) key.word[1] = u32(bits >> 32);
    return key;
  }

  COPSE_HD static Word bits_of_value(const Value& value) {
    if constexpr (value_bytes == 0) {
      return 0;
    } else {
      return Word(~u64(value.word[0])) << 8 * key_bytes;
    }
  }
  COPSE_HD static Value value_in(Word word) {
    Value value{};
    if constexpr (value_bytes > 0) {
      value.word[0] = u32(Word(~word) >> 8 * key_bytes) & u32((u64{1} << 8 * value_bytes) - 1);
    }
    return value;
  }

  COPSE_HD static Look put_in_cell(u64* cell, const Value& value, bool assigns) {
    u64 taken = cell_taken;
    if constexpr (value_bytes > 0) taken |= value.word[0];
    const u64 before = compare_exchange_relaxed(cell, u64{0}, taken);
    if (before == 0) return Look::inserted;
    if (assigns && before != taken) compare_exchange_relaxed(cell, before, taken);
    return Look::found;
  }

  COPSE_HD static bool find_in_cell(const u64* cell, Value& value) {
    const u64 word = load_relaxed(cell);
    if ((word & cell_taken) == 0) return false;
    if constexpr (value_bytes > 0) value.word[0] = u32(word);
    return true;
  }

  COPSE_HD static bool erase_in_cell(u64* cell) { return (exchange_relaxed(cell, u64{0}) & cell_taken) != 0; }
};

/// An array of such slots behind its header.
template <u32 key_bytes_, u32 value_bytes_>
class PackedTable : protected PackedWords<key_bytes_, value_bytes_> {
  using Packed = PackedWords<key_bytes_, value_bytes_>;

 public:
  static constexpr u32 key_bytes = key_bytes_, value_bytes = value_bytes_;
  using typename Packed::Key;
  using typename Packed::Value;
  using typename Packed::Word;
  using Group = HashGroup<Word>;

  /// The slots, and the two cells.
  COPSE_HD u64 visited_slots() const { return slot_count_ + 2; }

  /// True if a slot or cell holds an element, which is stored in `key` and `value`.
  COPSE_HD bool element(u64 slot, Key& key, Value& value) const {
    if (slot < slot_count_) {
      const Word word = load_relaxed(words_ + slot);
      if (Packed::is_special(word & Packed::key_mask)) return false;
      key = Packed::key_in(word);
      value = Packed::value_in(word);
      return true;
    }
    const Word special = Word(slot - slot_count_);
    key = Packed::key_in(special);
    return Packed::find_in_cell(cell(special), value);
  }

  /// True if an element is or was in a slot, or is in a cell.
  COPSE_HD bool is_used(u64 slot) const {
    return slot < slot_count_ ? load_relaxed(words_ + slot) != Packed::empty
                              : load_relaxed(cell(Word(slot - slot_count_))) != 0;
  }

  COPSE_HD u64 slot_count() const { return slot_count_; }
  COPSE_HD u64 memory_bytes() const { return slot_count_ * sizeof(Word); }

 protected:
  PackedTable() = default;
  COPSE_HD PackedTable(void* memory, u64 slot_count)
      : header_(static_cast<HashHeader*>(memory)),
        words_(reinterpret_cast<Word*>(header_ + 1)),
        slot_count_(slot_count) {}

  /// The cell of a key that no slot can hold.
  COPSE_HD u64* cell(Word special) const { return header_->cells + special; }

  /// Counts a key that found no room.
  COPSE_HD Look refuse() const {
    fetch_increment_by_warp(&header_->refused);
    return Look::full;
  }

  HashHeader* header_ = nullptr;
  Word* words_ = nullptr;
  u64 slot_count_ = 0;
};

}  // namespace copse::detail
