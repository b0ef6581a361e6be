#pragma once

// Linear probing, as in packed_slots.h, for keys and values that together do not fit in a word of 8 bytes. Each
// slot has a tag of 4 bytes and a record with key and value. A search looks at the tags, and reads the records
// whose tags match. (One compare-and-swap of 16 bytes would be enough for some sizes. But GPUs have it only from
// compute capability 9.0 on, and on a host it is a library call that may lock.)
//
//   tag   31          3 2   0
//         fingerprint  state
//
// The fingerprint is a part of the hash. For wide values, a version stands below it.
//
// A compare-and-swap takes a slot from empty to writing. The same thread writes the record, and then takes the
// slot to full, with release. So a thread that acquires a full tag sees the key, which never changes again. An
// erased slot stays erased. No key is ever there twice for the same reason as in packed_slots.h, if an insertion
// waits at a slot that is being written with the fingerprint of its own key: it passes a slot only when it knows
// that the slot has another key.
//
// The wait is safe also if the threads of a warp run in lockstep. The thread that has won a slot publishes it in
// the same pass of the loop, without a wait in between. A thread that waits does so by another pass. So no thread
// waits for a thread that cannot run before the wait ends.
//
// Values of up to 8 bytes are assigned by one store. The tag guards wider values (a sequence lock: Boehm, "Can
// Seqlocks Get Along With Programming Language Memory Models?", MSPC 2012): it is `assigning` while the words
// change, and has another version afterwards. A reader acquires each word and then checks that the tag is still
// the same. It could be misled only if it slept through a multiple of 2^21 assignments to one element.

#include <type_traits>

#include "primitives/core/warp_atomic.h"
#include "primitives/hash_result.h"
#include "primitives/hash_shape.h"
#include "primitives/tables/hash_group.h"
#include "primitives/tables/hash_words.h"

namespace copse::detail {

/// A value as words, each of which is read and written whole.
template <u32 value_bytes>
struct RecordValue {
  using Word = std::conditional_t<value_bytes <= 4, u32, u64>;
  static constexpr u32 count = (value_bytes + sizeof(Word) - 1) / sizeof(Word);
  Word word[count];
};
template <u32 key_bytes, u32 value_bytes>
struct HashRecord {
  Words<key_bytes> key;
  RecordValue<value_bytes> value;
};
template <u32 key_bytes>
struct HashRecord<key_bytes, 0> {
  Words<key_bytes> key;
};

template <u32 key_bytes_, u32 value_bytes_>
class TaggedSlots {
 public:
  static constexpr u32 key_bytes = key_bytes_, value_bytes = value_bytes_;
  using Key = Words<key_bytes>;
  using Value = Words<value_bytes>;
  using Group = HashGroup<u32>;
  using Record = HashRecord<key_bytes, value_bytes>;

  /// A search that has begun.
  struct Start {
    Key key;
    u32 fingerprint;  // in the bits where a tag has it
    HashWalk walk;
  };

  TaggedSlots() = default;
  COPSE_HD TaggedSlots(void* memory, const HashShape& shape)
      : header_(static_cast<HashHeader*>(memory)),
        tags_(reinterpret_cast<u32*>(header_ + 1)),
        records_(reinterpret_cast<Record*>(tags_ + shape.slot_count)),
        slot_count_(shape.slot_count),
        max_probes_(shape.max_probes),
        bucket_slots_(shape.bucket_slots) {}

  static HashShape shape(u64 capacity, const HashTableOptions& options) {
    return hash_shape(capacity, options, sizeof(u32), sizeof(Record));
  }

  COPSE_HD Start start(const Key& key) const {
    const u64 hash = hash_of(key);
    const u64 home = place_of(hash, slot_count_ / bucket_slots_) * bucket_slots_;
    return {key, u32(hash) & fingerprint_mask, {home, max_probes_}};
  }

  /// One look at a group, for bulk calls: `going` and `waiting` mean to call again. `quiet`: no thread writes
  /// meanwhile.
  template <bool quiet>
  COPSE_HD Look look_for(Start& search, Value& value) const {
    Found found;
    const Look look = look_for_key<quiet>(search, found);
    return look != Look::found || read_value(found, value) ? look : Look::waiting;
  }

  COPSE_HD Look look_to_put(Start& search, const Value& value, bool assigns) const {
    const auto stop = first_stop(Group::load(tags_ + search.walk.slot), search.walk.from,
                                 EmptyOrFingerprint{search.fingerprint});
    if (stop.place == Group::size) return search.walk.next(Group::size, slot_count_) ? Look::going : refuse();
    const u64 slot = search.walk.slot + stop.place;
    if (stop.word == empty && fill(slot, search, value)) return Look::inserted;
    const u32 tag = load_acquire(tags_ + slot);
    if (has_key(tag) && records_[slot].key == search.key) {
      if (assigns) assign({slot, tag}, value);
      return Look::found;
    }
    // If the slot has another key, it has it for ever: go on behind it. Else look again until the key is written.
    if (state_of(tag) == writing && (tag & fingerprint_mask) == search.fingerprint) return Look::waiting;
    search.walk.from = stop.place + 1;
    return Look::going;
  }

  COPSE_HD Look look_to_erase(Start& search) const {
    Found found;
    const Look look = look_for_key<false>(search, found);
    if (look != Look::found) return look;
    // If an assignment or another erasure came in between, look again.
    const bool is_erased = state_of(found.tag) == full &&
                           compare_exchange_relaxed(tags_ + found.slot, found.tag, u32(erased)) == found.tag;
    return is_erased ? Look::found : Look::waiting;
  }

  COPSE_HD u64 visited_slots() const { return slot_count_; }

  /// True if a slot holds an element, which is stored in `key` and `value`.
  COPSE_HD bool element(u64 slot, Key& key, Value& value) const {
    SpinWait wait;
    for (;;) {
      const u32 tag = load_acquire(tags_ + slot);
      if (!has_key(tag)) return false;
      key = records_[slot].key;
      if (read_value({slot, tag}, value)) return true;
      wait();
    }
  }

  COPSE_HD bool is_used(u64 slot) const { return load_relaxed(tags_ + slot) != empty; }

  COPSE_HD u64 slot_count() const { return slot_count_; }
  COPSE_HD u64 memory_bytes() const { return slot_count_ * (sizeof(u32) + sizeof(Record)); }

 private:
  enum State : u32 { empty = 0, writing = 1, full = 2, assigning = 3, erased = 4 };
  static constexpr u32 state_bits = 3;
  static constexpr bool is_wide = value_bytes > 8;

  // The version of a wide value stands below the fingerprint.
  static constexpr u32 version_bits = is_wide ? 21 : 0;
  static constexpr u32 one_version = 1u << state_bits;
  static constexpr u32 fingerprint_mask = ~u32{0} << (state_bits + version_bits);

  struct Found {
    u64 slot;
    u32 tag;  // acquired; its state is full or assigning
  };

  struct EmptyOrFingerprint {
    u32 fingerprint;
    COPSE_HD bool operator()(u32 tag) const {
      return tag == empty || ((tag & fingerprint_mask) == fingerprint && state_of(tag) != erased);
    }
  };

  COPSE_HD static u32 state_of(u32 tag) { return tag & ((1u << state_bits) - 1); }
  COPSE_HD static bool has_key(u32 tag) { return state_of(tag) == full || state_of(tag) == assigning; }

  /// One look for a key. A key that is still being written does not count as there.
  template <bool quiet>
  COPSE_HD Look look_for_key(Start& search, Found& found) const {
    const u32* const first = tags_ + search.walk.slot;
    const auto stop = first_stop(quiet ? Group::load_quiet(first) : Group::load(first), search.walk.from,
                                 EmptyOrFingerprint{search.fingerprint});
    if (stop.place == Group::size) return search.walk.next(Group::size, slot_count_) ? Look::going : Look::absent;
    if (stop.word == empty) return Look::absent;
    const u64 slot = search.walk.slot + stop.place;
    const u32 tag = quiet ? stop.word : load_acquire(tags_ + slot);
    if (has_key(tag) && records_[slot].key == search.key) {
      found = {slot, tag};
      return Look::found;
    }
    search.walk.from = stop.place + 1;
    return Look::going;
  }

  /// True if the slot was empty and now holds the element.
  COPSE_HD bool fill(u64 slot, const Start& start, const Value& value) const {
    const u32 before = compare_exchange_relaxed(tags_ + slot, u32(empty), start.fingerprint | writing);
    if (before != empty) return false;
    Record& record = records_[slot];
    record.key = start.key;
    store_value(record, value);
    store_release(tags_ + slot, start.fingerprint | full);
    return true;
  }

  /// A failed compare-and-swap is ordered just before the assignment or erasure that beat it.
  COPSE_HD void assign(const Found& found, const Value& value) const {
    if constexpr (!is_wide) {
      store_value(records_[found.slot], value);
    } else if (state_of(found.tag) == full) {
      u32* const tag = tags_ + found.slot;
      const u32 locked = found.tag - full + assigning;
      if (compare_exchange_relaxed(tag, found.tag, locked) != found.tag) return;
      store_value(records_[found.slot], value);
      const u32 version = (found.tag + one_version) & ~fingerprint_mask;
      store_release(tag, (found.tag & fingerprint_mask) | version);
    }
  }

  COPSE_HD static void store_value(Record& record, const Value& value) {
    if constexpr (value_bytes > 0) {
      constexpr u32 words = sizeof(typename RecordValue<value_bytes>::Word) / sizeof(u32);
      for (u32 k = 0; k < RecordValue<value_bytes>::count; ++k) {
        using Word = typename RecordValue<value_bytes>::Word;
        // The words of a wide value are released, so that a reader of one of them also sees the tag before it.
        if constexpr (is_wide) {
          store_release(record.value.word + k, Word(long_word(value, k * words)));
        } else {
          store_relaxed(record.value.word + k, Word(long_word(value, k * words)));
        }
      }
    }
  }

  /// False if an assignment came in between, so that the words may be of two values.
  COPSE_HD bool read_value(const Found& found, Value& value) const {
    if constexpr (value_bytes > 0) {
      constexpr u32 words = sizeof(typename RecordValue<value_bytes>::Word) / sizeof(u32);
      const Record& record = records_[found.slot];
      for (u32 k = 0; k < RecordValue<value_bytes>::count; ++k) {
        const u64 word = is_wide ? load_acquire(record.value.word + k) : load_relaxed(record.value.word + k);
        value.word[k * words] = u32(word);
        if (words * k + 1 < Value::count && words == 2) value.word[k * words + 1] = u32(word >> 32);
      }
    }
    return !is_wide || (state_of(found.tag) == full && load_relaxed(tags_ + found.slot) == found.tag);
  }

  COPSE_HD Look refuse() const {
    fetch_increment_by_warp(&header_->refused);
    return Look::full;
  }

  HashHeader* header_ = nullptr;
  u32* tags_ = nullptr;
  Record* records_ = nullptr;
  u64 slot_count_ = 0, max_probes_ = 0;
  u32 bucket_slots_ = 1;
};

}  // namespace copse::detail
