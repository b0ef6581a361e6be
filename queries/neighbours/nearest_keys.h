#pragma once

// The few nearest points in registers.

#include "queries/near_points.h"

namespace copse::detail {

/// Keeps the k nearest, k at most `room`, in ascending order. A distance and an id are one number, the square
/// above the id: squares are not negative, so that their bits have their order.
///
///   ssssssss ssssssss ssssssss ssssssss iiiiiiii iiiiiiii iiiiiiii iiiiiiii
///
/// The first room - k places hold 0, before which nothing comes, so that the farthest is always the last one: a
/// place that changed with k would put all of them into local memory.
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

  /// Writes k of them, none() behind those that there are.
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
