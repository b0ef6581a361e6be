#pragma once

#include "scale/sharded_accel.h"
#include "scale/waves/spine_view.h"
#include "scale/waves/waves.h"

namespace copse::detail {

/// The members of a ShardedAccel, for the calls that make or trace one.
struct ShardedAccelAccess {
  static Accel& accel(ShardedAccel& sharded) { return sharded.accel_; }
  static Bvh& spine(ShardedAccel& sharded) { return sharded.spine_; }
  static Buffer<Aabb>& boxes(ShardedAccel& sharded) { return sharded.boxes_; }
  static Buffer<u32>& box_ranks(ShardedAccel& sharded) { return sharded.box_ranks_; }
  static Buffer<u32>& places(ShardedAccel& sharded) { return sharded.places_; }
  static u32& rank_count(ShardedAccel& sharded) { return sharded.rank_count_; }

  static SpineView spine_view(const ShardedAccel& sharded) {
    return {sharded.spine_.view(), sharded.boxes_.data(), sharded.box_ranks_.data(), sharded.rank_count_};
  }
};

}  // namespace copse::detail
