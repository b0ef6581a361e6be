#pragma once

#include "accel/accel.h"
#include "scale/sharded_build.h"

namespace copse {

namespace detail {

struct ShardedAccelAccess;

}  // namespace detail

/// What rays need to be traced through the triangles of all ranks: an Accel over the triangles of this rank, and boxes
/// around those of the others, by which a ray is sent to the ranks that it may hit. It owns its memory, and needs
/// nothing of the ShardedBvh that it was made of. refit() takes over the positions of a shard that was refitted.
class ShardedAccel {
 public:
  /// Holds nothing. All calls refuse it.
  ShardedAccel() = default;

  /// The triangles of this rank. Its hits are those of rays through them alone.
  const Accel& own() const { return accel_; }

  /// The number of ranks that made it; 0 if it was never built.
  u32 rank_count() const { return rank_count_; }

 private:
  friend struct detail::ShardedAccelAccess;

  Accel accel_;
  Bvh spine_;  // over the boxes of all ranks
  Buffer<Aabb> boxes_;
  Buffer<u32> box_ranks_;
  Buffer<u32> places_;  // of the packed triangles, among those of the shard
  u32 rank_count_ = 0;
};

/// Returns this rank's part of what rays need. Collective.
///   quality: of the Accel over the triangles of this rank, which has another tree than `shard`. Hits are the same for
///            all
/// Throws: Error invalid_argument if `shard` was built by another number of ranks, or if there are more than 64;
/// Error out_of_memory, Error cancelled: all on all ranks alike.
/// Waits: for the other ranks.
/// Memory: as build(context, triangles), with 4 bytes more per triangle, and 1.5 KiB for each rank.
COPSE_API ShardedAccel make_accel(Communicator& comm, Context& context, const ShardedBvh& shard,
                                  Quality quality = Quality::balanced);

/// Fits the tree of this rank to the triangles of a shard that was refitted, and tells the other ranks the new boxes.
/// Collective.
///   shard: the one that `accel` was made of
/// Throws: Error invalid_argument if `accel` was never made, or has another number of triangles or ranks than `shard`;
/// Error out_of_memory, Error cancelled: all on all ranks alike.
/// Waits: for the other ranks.
COPSE_API void refit(Communicator& comm, Context& context, ShardedAccel& accel, const ShardedBvh& shard);

}  // namespace copse
