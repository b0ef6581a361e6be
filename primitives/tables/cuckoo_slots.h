#pragma once

// Cuckoo hashing (Pagh, Rodler, 2001; on GPUs, Alcantara and others, "Real-Time Parallel Hashing on the GPU",
// SIGGRAPH Asia 2009) with buckets (Awad and others, "Analyzing and Implementing GPU Hash Tables", APOCS 2023). A
// key has two buckets of 64 bytes. It stands in its first one if there was room when it came, else in its second
// one. Where both are full, an element of theirs moves to its own second bucket and leaves its slot.
//
// Where we differ: an element moves from its first bucket to its second one and never back (Kirsch, Mitzenmacher,
// "The Power of One Move: Hashing Schemes for Hardware", 2010). So a search that looks at the first bucket and
// then at the second cannot miss an element that moves meanwhile: its copy stands in the second bucket before the
// slot in the first is given to another. A key that finds no element to move goes to the stash, a small third
// table with one bucket for each key.
//
//   first bucket of x          second bucket of y        second bucket of z
//   [a b y c d e f g]          [h i j k l m z n]         [o p q r . . . .]
//        |   y moves --------------------- |  z moves -----------^
//        x takes its slot                  y takes its slot
//
// A search often ends at the first bucket although the key is not there. A slot that has been filled is never
// empty again, so a bucket with an empty slot has never turned a key away. And each bucket has a byte that tells
// which keys it turned away. These bytes are a small table of their own, most of which stays in the second-level
// cache of a GPU:
//
//   7      | 6 .. 0
//   lock   | bit k: a key whose hash chooses k is or was in its second bucket or in the stash
//
// Why no key is ever there twice. Only the thread that holds the lock of its first bucket moves a key, changes its
// value, erases it, or inserts it past a full first bucket. A thread inserts a key without the lock only into the
// first empty slot of its first bucket, which it has seen hold no such key; two threads that insert one key so
// meet at the same slot, and one of their compare-and-swaps fails. A thread that holds the lock and sees an empty
// slot in the first bucket gives the lock back and begins again.
//
// No thread waits for a lock while it holds one: it tries the lock, gives up its own if that fails, and looks
// again. So the threads of a warp may run in lockstep. Two threads that each want the lock of the other could
// retry for ever, so after max_tries a key goes to the stash.

#include "primitives/tables/cuckoo_buckets.h"
#include "primitives/tables/looking_slots.h"

namespace copse::detail {

template <u32 key_bytes, u32 value_bytes>
class CuckooLooks : public CuckooBuckets<key_bytes, value_bytes> {
  using Buckets = CuckooBuckets<key_bytes, value_bytes>;
  using Buckets::empty, Buckets::erased, Buckets::key_mask, Buckets::lock_bit, Buckets::bucket_slots;
  using Buckets::first_bucket, Buckets::second_bucket, Buckets::stash_bucket, Buckets::hashes_of;
  using Buckets::header_, Buckets::bucket_at, Buckets::lock, Buckets::unlock, Buckets::find_in_bucket;
  using Buckets::is_special, Buckets::key_in, Buckets::value_in, Buckets::bits_of_value, Buckets::cell;
  using typename Buckets::Bucket;
  using typename Buckets::EmptyOrKey;
  using typename Buckets::Hashes;

 public:
  using typename Buckets::Group;
  using typename Buckets::Key;
  using typename Buckets::Value;
  using typename Buckets::Word;
  static constexpr u32 bucket_groups = Bucket::groups;
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
  COPSE_HD CuckooLooks(void* memory, const HashShape& shape) : Buckets(memory, shape) {}

  COPSE_HD Start start(const Key& key) const {
    const Hashes hashes = hashes_of(key);
    return {Buckets::bits_of_key(key), Buckets::turned_away_bit(hashes), first_bucket(hashes),
            second_bucket(hashes)};
  }

  /// One look at a group, for bulk calls: `going` means to call again. `quiet`: no thread writes meanwhile.
  template <bool quiet>
  COPSE_HD Look look_for(Start& search, Value& value) const {
    if (is_special(search.key)) return Buckets::find_in_cell(cell(search.key), value) ? Look::found : Look::absent;
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
      return (Buckets::template state_of<quiet>(search.first) & search.turned_away) != 0 ? Look::going
                                                                                         : Look::absent;
    }
    if (search.group < 2 * bucket_groups) return Look::going;
    return is_in_stash<quiet>(search.key, value) ? Look::found : Look::absent;
  }

  /// Looks at the first bucket, and for the lock if that is not enough.
  COPSE_HD Look look_to_put(Start& search, const Value& value, bool assigns) const {
    if (needs_more_than_first(search)) return put_with_lock(search, search.key | bits_of_value(value), assigns);
    return look_to_put_first(search, value, assigns);
  }

  /// Whether the first bucket is not enough to put the key there: it needs the lock.
  COPSE_HD bool needs_more_than_first(const Start& search) const { return search.group >= bucket_groups; }

  /// Looks at the first bucket alone.
  COPSE_HD Look look_to_put_first(Start& search, const Value& value, bool assigns) const {
    if (is_special(search.key)) return Buckets::put_in_cell(cell(search.key), value, assigns);
    const Word word = search.key | bits_of_value(value);
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
    if (is_special(search.key)) return Buckets::erase_in_cell(cell(search.key)) ? Look::found : Look::absent;
    if (search.group < 2 * bucket_groups) {
      Value value;
      const Look look = look_for<false>(search, value);
      if (look != Look::found) return look;
      search.group = 2 * bucket_groups;
    }
    const u32 before = lock(search.first, 0);
    if ((before & lock_bit) != 0) return Look::waiting;
    Word* const slot = find_anywhere(search, load_buckets(search), before);
    if (slot != nullptr) store_relaxed(slot, erased);
    unlock(search.first);
    return slot != nullptr ? Look::found : Look::absent;
  }

 private:
  /// Both buckets of a key, read under the lock of the first one.
  struct BothBuckets {
    Bucket first, second;
  };

  template <bool quiet>
  COPSE_HD static Group load_group(const Word* from) {
    return quiet ? Group::load_quiet(from) : Group::load(from);
  }

  COPSE_HD BothBuckets load_buckets(const Start& search) const {
    return {Bucket::load(bucket_at(search.first)), Bucket::load(bucket_at(search.second))};
  }

  COPSE_HD Word* find_in_stash(Word key) const {
    const u64 bucket = stash_bucket(key);
    return find_in_bucket(bucket, Bucket::load(bucket_at(bucket)), key);
  }

  template <bool quiet>
  COPSE_HD bool is_in_stash(Word key, Value& value) const {
    if ((quiet ? header_->stashed : load_relaxed(&header_->stashed)) == 0) return false;
    const Word* const slot = find_in_stash(key);
    if (slot == nullptr) return false;
    const Word word = load_relaxed(slot);
    if ((word & key_mask) != key) return false;  // erased since
    value = value_in(word);
    return true;
  }

  /// Returns the slot of a key, or null. The caller has the lock of its first bucket, whose byte was `state`.
  COPSE_HD Word* find_anywhere(const Start& search, const BothBuckets& seen, u32 state) const {
    Word* slot = find_in_bucket(search.first, seen.first, search.key);
    if (slot != nullptr || (state & search.turned_away) == 0) return slot;
    slot = find_in_bucket(search.second, seen.second, search.key);
    if (slot == nullptr && load_relaxed(&header_->stashed) != 0) slot = find_in_stash(search.key);
    return slot;
  }

  /// Moves an element of a bucket to its second one. If that is full and `moves_two` is set, an element there
  /// moves on first. Puts `word` into the slot. The caller has the lock of `from`. Sets `contended` if another
  /// lock was taken.
  template <bool moves_two>
  COPSE_HD bool move_from(u64 from, Word word, bool& contended) const {
    const Bucket seen = Bucket::load(bucket_at(from));
    for (u32 k = 0; k < bucket_slots; ++k) {
      const Word moving = seen.word(k);
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
        if (!Buckets::fill(to, moving)) continue;
      }
      Buckets::turn_away(from, Buckets::turned_away_bit(hashes));
      store_release(bucket_at(from) + k, word);
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
    return Buckets::fill(stash_bucket(word & key_mask), word);
  }

  COPSE_HD Look put_with_lock(Start& search, Word word, bool assigns) const {
    const u32 before = lock(search.first, search.turned_away);
    if ((before & lock_bit) != 0) return Look::waiting;
    const Look look = put_locked(search, word, assigns, before);
    unlock(search.first);
    return look == Look::full ? Buckets::refuse() : look;
  }

  COPSE_HD Look put_locked(Start& search, Word word, bool assigns, u32 state) const {
    const BothBuckets seen = load_buckets(search);
    Word* const slot = find_anywhere(search, seen, state);
    if (slot != nullptr) {
      if (assigns) store_relaxed(slot, word);
      return Look::found;
    }
    // A thread without the lock may have put the key into a slot after this one saw it empty. A slot that has been
    // filled is never empty again. So only a bucket in which all slots were seen filled has no such slot.
    if (seen.first.find(empty, ~Word{0}) < bucket_slots) {
      search.group = 0;
      return Look::going;
    }
    if (Buckets::fill(search.first, seen.first, word) || Buckets::fill(search.second, seen.second, word)) {
      return Look::inserted;
    }
    bool contended = false;
    if (make_room(search, word, contended)) return Look::inserted;
    if (contended && ++search.tries < max_tries) return Look::waiting;
    return fill_stash(word) ? Look::inserted : Look::full;
  }
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
