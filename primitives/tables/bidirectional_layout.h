#pragma once

// The layout of a table with bidirectional linear probing in memory, and the bits of a slot.
//
// A slot has a tag: the upper 32 bits of its key's hash. In the whole table, elements stand in the order of their
// tags. For keys of 4 bytes with values of up to 4 bytes, tag and value share one word, which is the whole
// element: the hash of 4 bytes is a one-to-one mapping, so the tag gives the key back. Other elements have a
// record beside the tags.
//
//   63            32 31            0
//   tag              value            packed
//                    tag              of a set of packed keys, or beside records
//
// Tags 0 and 1 mean that the slot holds no element: it is empty, or empty and locked. Packed keys with such hashes
// live in two cells in the header of the table. Unpacked keys with such hashes get tag 2, since different keys may
// have equal tags.
//
// Slots are counted from 64 on. The 64 words before the first and the 64 behind the last always stay empty, so a
// walk needs no check for the ends of the table. The nearest of them are locked like any other end of a run, but
// never filled.

#include <cmath>
#include <type_traits>

#include "primitives/hash_shape.h"
#include "primitives/tables/hash_group.h"
#include "primitives/tables/hash_words.h"

namespace copse::detail {

inline constexpr u32 empty_tag = 0, locked_tag = 1, min_tag = 2;

/// True if the slot holds no element, locked or not.
COPSE_HD inline constexpr bool is_free(u32 tag) {
  return tag < min_tag;
}

/// True for a free slot, and for an element that stands behind the elements with `tag`.
COPSE_HD inline constexpr bool ends_walk_right(u32 at, u32 tag) {
  return at - min_tag > tag - min_tag;
}

/// True for a free slot, and for an element that stands before the elements with `tag`.
COPSE_HD inline constexpr bool ends_walk_left(u32 at, u32 tag) {
  return at < tag;
}

/// Returns the inverse of the odd number `a` modulo 2^32, by Newton's iteration.
COPSE_HD inline constexpr u32 inverse_of(u32 a) {
  u32 inverse = a;  // correct in 3 bits; each step doubles their number
  for (int k = 0; k < 4; ++k) inverse *= 2 - a * inverse;
  return inverse;
}

/// Returns the x for which mixed(x) is `hash`.
COPSE_HD inline u32 unmixed(u32 hash) {
  hash ^= hash >> 15 ^ hash >> 30;
  hash *= inverse_of(0xd35a2d97u);
  hash ^= hash >> 15 ^ hash >> 30;
  hash *= inverse_of(0x21f0aaadu);
  return hash ^ hash >> 16;
}

/// The number of slots that share a pair of counters of changes.
inline constexpr u64 page_slots = 64;

/// How many changes of the elements of a page have begun, and how many have ended.
struct PageChanges {
  u32 begun, ended;
};

template <u32 key_bytes_, u32 value_bytes_>
class BidirectionalLayout {
 public:
  static constexpr u32 key_bytes = key_bytes_, value_bytes = value_bytes_;
  using Key = Words<key_bytes>;
  using Value = Words<value_bytes>;
  static constexpr bool is_packed = key_bytes == 4 && value_bytes <= 4;
  using Word = std::conditional_t<(is_packed && value_bytes > 0), u64, u32>;
  using Group = HashGroup<Word>;
  static constexpr u64 first_slot = 64;
  static constexpr u32 record_words = is_packed ? 0 : Key::count + divide_rounding_up(value_bytes, 4);

  BidirectionalLayout() = default;
  COPSE_HD BidirectionalLayout(void* memory, const HashShape& shape)
      : header_(static_cast<HashHeader*>(memory)),
        words_(reinterpret_cast<Word*>(header_ + 1)),
        changes_(reinterpret_cast<PageChanges*>(words_ + shape.slot_count + 2 * first_slot)),
        records_(reinterpret_cast<u32*>(changes_ + shape.slot_count / page_slots + 2)),
        slot_count_(shape.slot_count) {}

  static HashShape shape(u64 capacity, const HashTableOptions& options) {
    check_hash_options(capacity, options);
    const u64 slots = larger(capacity, u64(std::ceil(double(capacity) / double(options.max_load))));
    HashShape shape;
    shape.bucket_slots = 1;
    shape.slot_count = larger(divide_rounding_up(slots, page_slots), u64{1}) * page_slots;
    shape.max_probes = options.max_probes == 0 ? shape.slot_count : options.max_probes;
    shape.bytes = sizeof(HashHeader) + (shape.slot_count + 2 * first_slot) * sizeof(Word) +
                  (shape.slot_count / page_slots + 2) * sizeof(PageChanges) +
                  shape.slot_count * record_words * sizeof(u32);
    return shape;
  }

  COPSE_HD HashHeader* header() const { return header_; }
  COPSE_HD u64 slot_count() const { return slot_count_; }
  /// Returns the slot behind the last one.
  COPSE_HD u64 end_slot() const { return first_slot + slot_count_; }
  COPSE_HD Word* word(u64 slot) const { return words_ + slot; }
  COPSE_HD PageChanges* changes_of(u64 page) const { return changes_ + page; }

  /// Returns the tag of a key. Only for packed keys, it may be below min_tag.
  COPSE_HD static u32 tag_of(const Key& key) {
    const u32 tag = u32(hash_of(key) >> 32);
    return is_packed ? tag : larger(tag, min_tag);
  }
  COPSE_HD u64 home_of(u32 tag) const { return first_slot + place_of(u64(tag) << 32, slot_count_); }

  COPSE_HD static u32 tag_in(Word word) {
    if constexpr (sizeof(Word) == 8) {
      return u32(word >> 32);
    } else {
      return word;
    }
  }
  COPSE_HD u32 tag_at(u64 slot) const { return tag_in(load_relaxed(words_ + slot)); }

  /// Returns the word of an element.
  COPSE_HD static Word word_of(u32 tag, const Value& value) {
    if constexpr (sizeof(Word) == 8) {
      return u64(tag) << 32 | value.word[0];
    } else {
      return tag;
    }
  }
  /// Returns the word of a slot that is empty or locked.
  COPSE_HD static constexpr Word free_word(u32 tag) {
    return sizeof(Word) == 8 ? Word(u64(tag) << 32) : Word(tag);
  }

  /// True if a slot in which a relaxed load has seen the key's tag holds the key.
  COPSE_HD bool holds_key(u64 slot, const Key& key) const {
    u32 difference = 0;
    if constexpr (!is_packed) {
      acquire_loaded(words_ + slot);  // its writer wrote the record before
      for (u32 k = 0; k < Key::count; ++k) difference |= load_relaxed(record(slot) + k) ^ key.word[k];
    }
    return difference == 0;
  }
  COPSE_HD Key key_at(u64 slot, Word word) const {
    Key key{};
    if constexpr (is_packed) {
      key.word[0] = unmixed(tag_in(word));
    } else {
      for (u32 k = 0; k < Key::count; ++k) key.word[k] = load_relaxed(record(slot) + k);
    }
    return key;
  }
  COPSE_HD Value value_at(u64 slot, Word word) const {
    Value value{};
    if constexpr (sizeof(Word) == 8) {
      value.word[0] = u32(word);
    } else if constexpr (value_bytes > 0) {
      for (u32 k = 0; k < Value::count; ++k) value.word[k] = load_relaxed(record(slot) + Key::count + k);
    }
    return value;
  }

  COPSE_HD void store_key(u64 slot, const Key& key) const {
    if constexpr (!is_packed) {
      for (u32 k = 0; k < Key::count; ++k) store_relaxed(record(slot) + k, key.word[k]);
    }
  }
  COPSE_HD void store_value(u64 slot, const Value& value) const {
    if constexpr (!is_packed && value_bytes > 0) {
      for (u32 k = 0; k < Value::count; ++k) store_relaxed(record(slot) + Key::count + k, value.word[k]);
    }
  }
  /// Copies an element from one slot to another.
  COPSE_HD void move(u64 from, u64 to) const {
    if constexpr (!is_packed) {
      for (u32 k = 0; k < record_words; ++k) store_relaxed(record(to) + k, load_relaxed(record(from) + k));
    }
    store_relaxed(words_ + to, load_relaxed(words_ + from));
  }

 private:
  COPSE_HD u32* record(u64 slot) const { return records_ + (slot - first_slot) * record_words; }

  HashHeader* header_ = nullptr;
  Word* words_ = nullptr;
  PageChanges* changes_ = nullptr;
  u32* records_ = nullptr;
  u64 slot_count_ = 0;
};

}  // namespace copse::detail
