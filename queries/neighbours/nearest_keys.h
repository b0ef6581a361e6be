#pragma once

// Keeps the few nearest points in registers.

#include "queries/near_points.h"

namespace copse::detail {

/// A candidate for the nearest points: the square of its distance above its id. Squares are not negative, so their
/// bits compare as integers.
///
///   ssssssss ssssssss ssssssss ssssssss iiiiiiii iiiiiiii iiiiiiii iiiiiiii
COPSE_HD inline u64 nearest_key(float square, u32 id) {
  return u64{bits_of(square)} << 32 | id;
}
inline constexpr u64 no_nearest_key = ~u64{0};

COPSE_HD inline void sort_two(u64& a, u64& b) {
  const u64 larger = a < b ? b : a;
  a = a < b ? a : b;
  b = larger;
}

/// Keeps the k nearest points in ascending order of their keys; k is at most `room`, which is 8 or 16.
///
/// The first room - k places contain 0, which is below every key. So the farthest key is always in the last place. If
/// that place depended on k, the whole array would be in local memory.
template <u32 room>
class NearestKeys {
 public:
  static constexpr u32 batch_size = 8;

  COPSE_HD NearestKeys(u32 k, float limit) : k_(k), first_limit_(limit) { clear(); }

  COPSE_HD float limit() const { return limit_; }
  COPSE_HD void clear() {
    for (u32 i = 0; i < room; ++i) keys_[i] = i + k_ < room ? 0 : no_nearest_key;
    limit_ = first_limit_;
  }
  COPSE_HD void add(float square, u32 id) {
    const u64 key = nearest_key(square, id);
    if (key >= keys_[room - 1]) return;
    for (u32 i = room - 1; i > 0; --i) {
      keys_[i] = key < keys_[i - 1] ? keys_[i - 1] : smaller(key, keys_[i]);
    }
    keys_[0] = smaller(key, keys_[0]);
    set_limit();
  }

  /// Adds eight keys at once, which may be no_nearest_key, in half the steps of eight calls of add().
  ///
  /// Both lists are sorted. One is read backwards, and the smaller key of each pair stays. The remaining keys form a
  /// bitonic sequence, which exchanges over distances of room/2, .., 1 sort (Batcher, "Sorting Networks and Their
  /// Applications", AFIPS 1968).
  COPSE_HD void add_batch(u64 (&batch)[batch_size]) {
    sort_batch(batch);
#pragma unroll
    for (u32 i = 0; i < batch_size; ++i) {
      keys_[room - 1 - i] = smaller(keys_[room - 1 - i], batch[i]);
    }
#pragma unroll
    for (u32 distance = room / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (u32 i = 0; i < room; ++i) {
        if ((i & distance) == 0) sort_two(keys_[i], keys_[i | distance]);
      }
    }
    set_limit();
  }

  /// Writes the k nearest; none() in place of those that were not found.
  COPSE_HD void store(PointNeighbour* out) const {
    for (u32 i = 0; i < room; ++i) {
      if (i + k_ < room) continue;
      const u64 key = keys_[i];
      out[i + k_ - room] = key == no_nearest_key
                               ? PointNeighbour::none()
                               : PointNeighbour{sqrt_rn(float_from_bits(u32(key >> 32))), u32(key)};
    }
  }

 private:
  COPSE_HD void set_limit() {
    if (keys_[room - 1] != no_nearest_key) limit_ = float_from_bits(u32(keys_[room - 1] >> 32));
  }

  /// Batcher's odd-even merge sort of eight: 19 exchanges.
  COPSE_HD static void sort_batch(u64 (&b)[batch_size]) {
    for (u32 i = 0; i < 8; i += 2) sort_two(b[i], b[i + 1]);
    for (u32 i = 0; i < 8; i += 4) sort_two(b[i], b[i + 2]), sort_two(b[i + 1], b[i + 3]);
    for (u32 i = 0; i < 8; i += 4) sort_two(b[i + 1], b[i + 2]);
    for (u32 i = 0; i < 4; ++i) sort_two(b[i], b[i + 4]);
    for (u32 i = 2; i < 4; ++i) sort_two(b[i], b[i + 2]);
    for (u32 i = 1; i < 6; i += 2) sort_two(b[i], b[i + 1]);
  }

  u64 keys_[room];
  u32 k_;
  float first_limit_, limit_;
};

}  // namespace copse::detail
