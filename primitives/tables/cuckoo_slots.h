#pragma once

// Cuckoo hashing (Pagh, Rodler, 2001; on GPUs, Alcantara and others, "Real-Time Parallel Hashing on the GPU", SIGGRAPH
// Asia 2009) with buckets (Awad and others, "Analyzing and Implementing GPU Hash Tables", APOCS 2023). A key has two
// buckets of 64 bytes. It stands in its first one if there was room when it came, else in its second one. Where both
// are full, an element of theirs moves to its own second bucket and leaves its slot.
//
// Where we differ: an element moves from its first bucket to its second one and never back (Kirsch, Mitzenmacher,
// "The Power of One Move: Hashing Schemes for Hardware", 2010). So a search that looks at the first bucket and then
// at the second cannot miss an element that moves meanwhile: its copy stands in the second bucket before the slot in
// the first is given to another. A key that finds no element to move goes to the stash, a small third table with one
// bucket for each key.
//
//   first bucket of x          second bucket of y        second bucket of z
//   [a b y c d e f g]          [h i j k l m z n]         [o p q r . . . .]
//        |   y moves --------------------- |  z moves -----------^
//        x takes its slot                  y takes its slot
//
// A search often ends at the first bucket although the key is not there. A slot that has been filled is never empty
// again, so a bucket with an empty slot has never turned a key away. And each bucket has a byte that tells which keys it
// turned away, all of them in 1/16 of the second-level cache of a GPU for a table of 100 million slots:
//
//   7      | 6 .. 0
//   lock   | bit k: a key whose hash chooses k stands in its second bucket or in the stash, or did
//
// Why no key is ever there twice. Only the thread that holds the lock of its first bucket moves a key, changes its value, erases it, or inserts it past a full first bucket. A thread inserts a key without
// the lock only into the first empty slot of its first bucket, which it has seen hold no such key; two threads that
// insert one key so meet at the same slot, and one of their compare-and-swaps fails. Where a first bucket has an empty
// slot, no thread that holds its lock inserts a key of it.
//
// No thread waits for a lock while it holds one: it tries the lock, gives up its own if that fails, and looks again. So
// the threads of a warp may run in lockstep. Two threads that each want what the other holds could do so for ever, so
// after max_tries a key goes to the stash.

#include "primitives/tables/looking_slots.h"
#include "primitives/tables/packed_words.h"

namespace copse::detail {

/// Buckets of the stash of a table of `bucket_count` buckets, which contain those of the stash.
COPSE_HD inline u64 stash_bucket_count(u64 bucket_count) {
  return larger(bucket_count / 128, u64{1});
}

template <u32 key_bytes_, u32 value_bytes_>
class CuckooLooks : PackedWords<key_bytes_, value_bytes_> {
  using Packed = PackedWords<key_bytes_, value_bytes_>;
  using Packed::bits_of_value, Packed::key_in, Packed::value_in, Packed::is_special;
  using Packed::empty, Packed::erased, Packed::key_mask;
  using typename Packed::EmptyOrKey;

 public:
  static constexpr u32 key_bytes = key_bytes_, value_bytes = value_bytes_;
  using typename Packed::Key;
  using typename Packed::Value;
  using typename Packed::Word;
  using Group = HashGroup<Word>;
  static constexpr u32 bucket_slots = cuckoo_bucket_bytes / sizeof(Word);
  static constexpr u32 bucket_groups = bucket_slots / Group::size;
  static constexpr u32 max_tries = 64;

  /// A search that has begun.
  struct Start {
    Word key;         // its complement, and zeros in the place of the value
    u32 turned_away;  // its bit in the byte of its first bucket
    u64 first, second;
    u32 group = 0;  // the next one to look at: of the first bucket, then of the second; behind them: lock
    u32 tries = 0;
  };

  CuckooLooks() = default;
  COPSE_HD CuckooLooks(void* memory, const HashShape& shape)
      : header_(static_cast<HashHeader*>(memory)),
        words_(reinterpret_cast<Word*>(header_ + 1)),
        states_(reinterpret_cast<u32*>(words_ + shape.slot_count)),
        slot_count_(shape.slot_count),
        seed_(shape.seed) {}

  static HashShape shape(u64 capacity, const HashTableOptions& options) {
    return cuckoo_shape(capacity, options, sizeof(Word));
  }

  COPSE_HD Start start(const Key& key) const {
    const Hashes hashes = hashes_of(key);
    return {Packed::bits_of_key(key), turned_away_bit(hashes), first_bucket(hashes), second_bucket(hashes)};
  }

  /// One look at a group, for bulk calls: `going` means to call again. `quiet`: no thread writes meanwhile.
  template <bool quiet>
  COPSE_HD Look look_for(Start& search, Value& value) const {
    if (is_special(search.key)) return Packed::find_in_cell(cell(search.key), value) ? Look::found : Look::absent;
    const u64 bucket = search.group < bucket_groups ? search.first : search.second;
    const Word* const from = bucket_at(bucket) + search.group % bucket_groups * Group::size;
    const auto stop = first_stop(load_group<quiet>(from), 0, EmptyOrKey{search.key});
    if (stop.place < Group::size) {
      if (stop.word == empty) return Look::absent;
      value = value_in(stop.word);
      return Look::found;
    }
    if (++search.group == bucket_groups) {
      // An element that has left this bucket stands in the second one since before.
      if (!quiet) fence_acq_rel();
      return (state_of<quiet>(search.first) & search.turned_away) != 0 ? Look::going : Look::absent;
    }
    if (search.group < 2 * bucket_groups) return Look::going;
    return is_in_stash<quiet>(search.key, value) ? Look::found : Look::absent;
  }

  /// Looks at the first bucket, and for the lock if that is not enough.
  COPSE_HD Look look_to_put(Start& search, const Value& value, bool assigns) const {
    if (is_special(search.key)) return Packed::put_in_cell(cell(search.key), value, assigns);
    const Word word = search.key | bits_of_value(value);
    if (search.group >= bucket_groups) return put_with_lock(search, word, assigns);
    Word* const from = bucket_at(search.first) + search.group * Group::size;
    const auto stop = first_stop(Group::load(from), 0, EmptyOrKey{search.key});
    if (stop.place == Group::size) {
      ++search.group;
      return Look::going;
    }
    if (stop.word == empty) {
      // If another thread took the slot first, look again.
      return compare_exchange_relaxed(from + stop.place, empty, word) == empty ? Look::inserted : Look::going;
    }
    if (!assigns || stop.word == word) return Look::found;
    search.group = bucket_groups;
    return Look::going;
  }

  COPSE_HD Look look_to_erase(Start& search) const {
    if (is_special(search.key)) return Packed::erase_in_cell(cell(search.key)) ? Look::found : Look::absent;
    if (search.group < 2 * bucket_groups) {
      Value value;
      const Look look = look_for<false>(search, value);
      if (look != Look::found) return look;
      search.group = 2 * bucket_groups;
    }
    const u32 before = lock(search.first, 0);
    if ((before & lock_bit) != 0) return Look::waiting;
    Word* const slot = find_anywhere(search, before);
    if (slot != nullptr) store_relaxed(slot, erased);
    unlock(search.first);
    return slot != nullptr ? Look::found : Look::absent;
  }

  /// The slots, and the two cells.
  COPSE_HD u64 visited_slots() const { return slot_count_ + 2; }

  /// True if a slot or cell holds an element, which is stored in `key` and `value`.
  COPSE_HD bool element(u64 slot, Key& key, Value& value) const {
    if (slot < slot_count_) {
      const Word word = load_relaxed(words_ + slot);
      if (is_special(word & key_mask)) return false;
      key = key_in(word);
      value = value_in(word);
      return true;
    }
    const Word special = Word(slot - slot_count_);
    key = key_in(special);
    return Packed::find_in_cell(cell(special), value);
  }

  COPSE_HD bool is_used(u64 slot) const {
    return slot < slot_count_ ? load_relaxed(words_ + slot) != empty
                              : load_relaxed(cell(Word(slot - slot_count_))) != 0;
  }

  COPSE_HD u64 slot_count() const { return slot_count_; }
  COPSE_HD u64 memory_bytes() const { return slot_count_ * sizeof(Word); }

 private:
  static constexpr u32 lock_bit = 0x80;

  struct Hashes {
    u64 first, second;
  };

  COPSE_HD u64* cell(Word special) const { return header_->cells + special; }
  COPSE_HD Word* bucket_at(u64 bucket) const { return words_ + bucket * bucket_slots; }

  /// The buckets but those of the stash, which stand behind them.
  COPSE_HD u64 bucket_count() const {
    const u64 count = slot_count_ / bucket_slots;
    return count - stash_bucket_count(count);
  }

  COPSE_HD Hashes hashes_of(const Key& key) const {
    u64 hash = hash_of(key);
    if (seed_ != 0) hash = mixed(hash + seed_ * 0x9e3779b97f4a7c15u);
    if constexpr (key_bytes == 4) {
      const u32 other = mixed(u32(hash) ^ 0x85ebca6bu);
      return {hash, u64(other) << 32 | other};
    } else {
      return {hash, mixed(hash ^ 0x85ebca6bc2b2ae35u)};
    }
  }
  COPSE_HD u64 first_bucket(const Hashes& hashes) const { return place_of(hashes.first, bucket_count()); }
  /// A bucket other than the first.
  COPSE_HD u64 second_bucket(const Hashes& hashes) const {
    const u64 place = place_of(hashes.second, bucket_count() - 1);
    return place + (place >= first_bucket(hashes) ? 1 : 0);
  }
  COPSE_HD u64 stash_bucket(Word key) const {
    const u64 count = slot_count_ / bucket_slots, stash_count = stash_bucket_count(count);
    return count - stash_count + place_of(mixed(hashes_of(key_in(key)).second), stash_count);
  }

  COPSE_HD static u32 turned_away_bit(const Hashes& hashes) {
    return 1u << (u32(hashes.second & 0xffff) * 7 >> 16);
  }

  template <bool quiet>
  COPSE_HD static Group load_group(const Word* from) {
    return quiet ? Group::load_quiet(from) : Group::load(from);
  }

  /// The byte of a bucket.
  template <bool quiet>
  COPSE_HD u32 state_of(u64 bucket) const {
    const u32* const word = states_ + bucket / 4;
    return (quiet ? *word : load_relaxed(word)) >> bucket % 4 * 8 & 0xff;
  }

  /// Sets the lock of a bucket, and bits of keys that it turns away. Returns the byte before: the caller has the lock if
  /// its bit was not set.
  COPSE_HD u32 lock(u64 bucket, u32 turned_away) const {
    const u32 shift = u32(bucket % 4 * 8);
    return fetch_or_acquire(states_ + bucket / 4, (lock_bit | turned_away) << shift) >> shift & 0xff;
  }
  COPSE_HD void unlock(u64 bucket) const {
    fetch_and_release(states_ + bucket / 4, ~(lock_bit << bucket % 4 * 8));
  }

  template <bool quiet>
  COPSE_HD bool is_in_stash(Word key, Value& value) const {
    if ((quiet ? header_->stashed : load_relaxed(&header_->stashed)) == 0) return false;
    const Word* const slot = find_in_bucket(stash_bucket(key), key);
    if (slot == nullptr) return false;
    const Word word = load_relaxed(slot);
    if ((word & key_mask) != key) return false;  // erased since
    value = value_in(word);
    return true;
  }

  COPSE_HD Word* find_in_bucket(u64 bucket, Word key) const {
    Word* const slots = bucket_at(bucket);
    for (u32 g = 0; g < bucket_groups; ++g) {
      const auto stop = first_stop(Group::load(slots + g * Group::size), 0, EmptyOrKey{key});
      if (stop.place < Group::size) return stop.word == empty ? nullptr : slots + g * Group::size + stop.place;
    }
    return nullptr;
  }

  /// Returns the slot of a key, or null. The caller has the lock of its first bucket, whose byte was `state`.
  COPSE_HD Word* find_anywhere(const Start& search, u32 state) const {
    Word* slot = find_in_bucket(search.first, search.key);
    if (slot != nullptr || (state & search.turned_away) == 0) return slot;
    slot = find_in_bucket(search.second, search.key);
    if (slot == nullptr && load_relaxed(&header_->stashed) != 0) {
      slot = find_in_bucket(stash_bucket(search.key), search.key);
    }
    return slot;
  }

  COPSE_HD bool has_empty_slot(u64 bucket) const {
    return load_relaxed(bucket_at(bucket) + bucket_slots - 1) == empty;  // the last slot is filled last
  }

  /// Puts an element into a free slot of a bucket: an empty one, or one of an erased element.
  COPSE_HD bool fill(u64 bucket, Word word) const {
    Word* const slots = bucket_at(bucket);
    for (u32 g = 0; g < bucket_groups; ++g) {
      const Group group = Group::load(slots + g * Group::size);
      for (u32 k = 0; k < Group::size; ++k) {
        Word before = group.word[k];
        while (before <= erased) {
          const Word seen = compare_exchange_relaxed(slots + g * Group::size + k, before, word);
          if (seen == before) return true;
          before = seen;
        }
      }
    }
    return false;
  }

  /// Moves an element of a bucket to its second one. If that is full and `moves_two` is set, an element there moves on
  /// first. Puts `word` into the slot. The caller has the lock of `from`. Sets `contended` if another lock was taken.
  template <bool moves_two>
  COPSE_HD bool move_from(u64 from, Word word, bool& contended) const {
    Word* const slots = bucket_at(from);
    for (u32 k = 0; k < bucket_slots; ++k) {
      const Word moving = load_relaxed(slots + k);
      if (is_special(moving & key_mask)) continue;
      const Hashes hashes = hashes_of(key_in(moving));
      if (first_bucket(hashes) != from) continue;  // it has moved already
      const u64 to = second_bucket(hashes);
      if constexpr (moves_two) {
        if ((lock(to, 0) & lock_bit) != 0) {
          contended = true;
          continue;
        }
        const bool moved = move_from<false>(to, moving, contended);
        unlock(to);
        if (!moved) continue;
      } else {
        if (!fill(to, moving)) continue;
      }
      const u32 bit = turned_away_bit(hashes);
      fetch_or_relaxed(states_ + from / 4, bit << from % 4 * 8);
      store_release(slots + k, word);
      return true;
    }
    return false;
  }

  /// Makes room for an element whose buckets are full. The caller has the lock of its first bucket.
  COPSE_HD bool make_room(const Start& search, Word word, bool& contended) const {
    if (move_from<false>(search.first, word, contended)) return true;
    if ((lock(search.second, 0) & lock_bit) == 0) {
      const bool moved = move_from<false>(search.second, word, contended);
      unlock(search.second);
      if (moved) return true;
    } else {
      contended = true;
    }
    return move_from<true>(search.first, word, contended);
  }

  COPSE_HD bool fill_stash(Word word) const {
    // Before the element, so that a search for it looks here.
    if (load_relaxed(&header_->stashed) == 0) store_release(&header_->stashed, u64{1});
    return fill(stash_bucket(word & key_mask), word);
  }

  COPSE_HD Look put_with_lock(Start& search, Word word, bool assigns) const {
    const u32 before = lock(search.first, search.turned_away);
    if ((before & lock_bit) != 0) return Look::waiting;
    const Look look = put_locked(search, word, assigns, before);
    unlock(search.first);
    if (look == Look::full) fetch_increment_by_warp(&header_->refused);
    return look;
  }

  COPSE_HD Look put_locked(Start& search, Word word, bool assigns, u32 state) const {
    Word* const slot = find_anywhere(search, state);
    if (slot != nullptr) {
      if (assigns) store_relaxed(slot, word);
      return Look::found;
    }
    if (has_empty_slot(search.first)) {
      search.group = 0;  // the key was erased since: begin again
      return Look::going;
    }
    if (fill(search.first, word) || fill(search.second, word)) return Look::inserted;
    bool contended = false;
    if (make_room(search, word, contended)) return Look::inserted;
    if (contended && ++search.tries < max_tries) return Look::waiting;
    return fill_stash(word) ? Look::inserted : Look::full;
  }

  HashHeader* header_ = nullptr;
  Word* words_ = nullptr;
  u32* states_ = nullptr;  // a byte for each bucket
  u64 slot_count_ = 0;
  u32 seed_ = 0;
};

/// The slots of a cuckoo table: key and value fit in a word of 8 bytes together.
template <u32 key_bytes, u32 value_bytes>
class CuckooSlots : public LookingSlots<CuckooLooks<key_bytes, value_bytes>> {
  static_assert(key_bytes + value_bytes <= 8,
                "A cuckoo table takes a key and a value of at most 8 bytes together.");

 public:
  using LookingSlots<CuckooLooks<key_bytes, value_bytes>>::LookingSlots;
};

}  // namespace copse::detail
