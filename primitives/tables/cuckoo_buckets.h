#pragma once

// The buckets of a cuckoo table, their locks, and the bits of the keys that they turned away (cuckoo_slots.h).
//
//   header | buckets | buckets of the stash | a byte per bucket

#include "primitives/hash_result.h"
#include "primitives/hash_shape.h"
#include "primitives/tables/packed_words.h"

namespace copse::detail {

/// Buckets of the stash of a table of `bucket_count` buckets, which contain those of the stash.
COPSE_HD inline u64 stash_bucket_count(u64 bucket_count) {
  return larger(bucket_count / 128, u64{1});
}

/// The words of a bucket. Each is whole, but they may be of different moments.
template <class Word>
struct CuckooBucket {
  using Group = HashGroup<Word>;
  static constexpr u32 slots = cuckoo_bucket_bytes / sizeof(Word), groups = slots / Group::size;
  Group group[groups];

  /// All loads are on the way before the first word is used.
  COPSE_HD static CuckooBucket load(const Word* first) {
    CuckooBucket bucket;
    for (u32 g = 0; g < groups; ++g) bucket.group[g] = Group::load(first + g * Group::size);
    return bucket;
  }

  COPSE_HD Word word(u32 slot) const { return group[slot / Group::size].word[slot % Group::size]; }

  /// Returns the first slot whose word, under a mask, is this; `slots` if there is none.
  COPSE_HD u32 find(Word wanted, Word mask) const {
    u32 slot = slots;
    for (u32 k = slots; k-- > 0;) {
      if ((word(k) & mask) == wanted) slot = k;
    }
    return slot;
  }
};

template <u32 key_bytes, u32 value_bytes>
class CuckooBuckets : public PackedTable<key_bytes, value_bytes> {
  using Packed = PackedTable<key_bytes, value_bytes>;
  using Packed::words_, Packed::slot_count_;

 public:
  using typename Packed::Group;
  using typename Packed::Key;
  using typename Packed::Value;
  using typename Packed::Word;

  static HashShape shape(u64 capacity, const HashTableOptions& options) {
    return cuckoo_shape(capacity, options, sizeof(Word));
  }

 protected:
  using Bucket = CuckooBucket<Word>;
  static constexpr u32 bucket_slots = Bucket::slots;
  static constexpr u32 lock_bit = 0x80;

  CuckooBuckets() = default;
  COPSE_HD CuckooBuckets(void* memory, const HashShape& shape)
      : Packed(memory, shape.slot_count),
        states_(reinterpret_cast<u32*>(words_ + shape.slot_count)),
        seed_(shape.seed) {}

  struct Hashes {
    u64 first, second;
  };

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
    return count - stash_count + place_of(mixed(hashes_of(Packed::key_in(key)).second), stash_count);
  }
  COPSE_HD static u32 turned_away_bit(const Hashes& hashes) {
    return 1u << (u32(hashes.second & 0xffff) * 7 >> 16);
  }

  COPSE_HD Word* bucket_at(u64 bucket) const { return words_ + bucket * bucket_slots; }

  /// The byte of a bucket.
  template <bool quiet>
  COPSE_HD u32 state_of(u64 bucket) const {
    const u32* const word = states_ + bucket / 4;
    return (quiet ? *word : load_relaxed(word)) >> bucket % 4 * 8 & 0xff;
  }

  /// Sets bits of keys that a bucket turns away.
  COPSE_HD void turn_away(u64 bucket, u32 turned_away) const {
    fetch_or_relaxed(states_ + bucket / 4, turned_away << bucket % 4 * 8);
  }

  /// Sets the lock of a bucket, and bits of keys that it turns away. Returns the byte before: the caller has the
  /// lock if its bit was not set.
  COPSE_HD u32 lock(u64 bucket, u32 turned_away) const {
    const u32 shift = u32(bucket % 4 * 8);
    return fetch_or_acquire(states_ + bucket / 4, (lock_bit | turned_away) << shift) >> shift & 0xff;
  }
  COPSE_HD void unlock(u64 bucket) const {
    fetch_and_release(states_ + bucket / 4, ~(lock_bit << bucket % 4 * 8));
  }

  /// Returns the slot of a key in a bucket, or null.
  COPSE_HD Word* find_in_bucket(u64 bucket, const Bucket& seen, Word key) const {
    const u32 slot = seen.find(key, Packed::key_mask);
    return slot < bucket_slots ? bucket_at(bucket) + slot : nullptr;
  }

  /// Puts an element into a free slot of a bucket: an empty one, or one of an erased element. Tries those that
  /// were `seen` free.
  COPSE_HD bool fill(u64 bucket, const Bucket& seen, Word word) const {
    for (u32 k = 0; k < bucket_slots; ++k) {
      Word before = seen.word(k);
      while (before <= Packed::erased) {
        const Word now = compare_exchange_relaxed(bucket_at(bucket) + k, before, word);
        if (now == before) return true;
        before = now;
      }
    }
    return false;
  }
  COPSE_HD bool fill(u64 bucket, Word word) const { return fill(bucket, Bucket::load(bucket_at(bucket)), word); }

 private:
  /// The buckets but those of the stash, which stand behind them.
  COPSE_HD u64 bucket_count() const {
    const u64 count = slot_count_ / bucket_slots;
    return count - stash_bucket_count(count);
  }

  u32* states_ = nullptr;  // a byte for each bucket
  u32 seed_ = 0;
};

}  // namespace copse::detail
