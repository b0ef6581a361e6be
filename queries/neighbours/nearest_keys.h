#pragma once

// Keeps the few nearest points in registers.

#include "queries/near_points.h"

namespace copse::detail {

/// Keeps the k nearest points in ascending order; k is at most `room`. A key holds the square of the distance
/// above the id. Squares are not negative, so their bits compare as they do.
///
///   ssssssss ssssssss ssssssss ssssssss iiiiiiii iiiiiiii iiiiiiii iiiiiiii
///
/// The first room - k places hold 0, which is below every key. So the farthest key is always in the last place. A
/// place that depends on k would move the whole array to local memory.
template <u32 room>
class NearestKeys {
 public:
  COPSE_HD NearestKeys(u32 k, float limit) : k_(k), first_limit_(limit) { clear(); }

  COPSE_HD float limit() const { return limit_; }
  COPSE_HD void clear() {
    for (u32 i = 0; i < room; ++i) keys_[i] = i + k_ < room ? 0 : none;
    limit_ = first_limit_;
  }
  COPSE_HD void add(float square, u32 id) {
    const u64 key = u64{bits_of(square)} << 32 | id;
    if (key >= keys_[room - 1]) return;
    for (u32 i = room - 1; i > 0; --i) {
      keys_[i] = key < keys_[i - 1] ? keys_[i - 1] : smaller(key, keys_[i]);
    }
    keys_[0] = smaller(key, keys_[0]);
    if (keys_[room - 1] != none) limit_ = float_from_bits(u32(keys_[room - 1] >> 32));
  }

  /// Writes the k nearest; none() in place of those that were not found.
  COPSE_HD void store(PointNeighbour* out) const {
    for (u32 i = 0; i < room; ++i) {
      if (i + k_ < room) continue;
      const u64 key = keys_[i];
      out[i + k_ - room] = key == none ? PointNeighbour::none()
                                       : PointNeighbour{sqrt_rn(float_from_bits(u32(key >> 32))), u32(key)};
    }
  }

 private:
  static constexpr u64 none = ~u64{0};

  u64 keys_[room];
  u32 k_;
  float first_limit_, limit_;
};

}  // namespace copse::detail
