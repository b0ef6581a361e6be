#pragma once

#include "accel/accel.h"
#include "scale/sharded_build.h"

namespace copse {

namespace detail {

struct ShardedAccelAccess;

}  // namespace detail

/// This rank's data for rays through the triangles of all ranks: an Accel over the triangles of this rank, and boxes
/// around those of the others. By the boxes, a ray is sent to the ranks that it may hit. The object owns its memory,
/// and does not need the ShardedBvh that it was made from. refit() takes over the positions of a shard that was
/// refitted.
class ShardedAccel {
 public:
  /// An empty object. All calls throw for it.
  ShardedAccel() = default;

  /// The Accel over the triangles of this rank. Rays through it hit these triangles alone.
  const Accel& own() const { return accel_; }

  /// The number of ranks that made it; 0 if it was never built.
  u32 rank_count() const { return rank_count_; }

 private:
  friend struct detail::ShardedAccelAccess;

  Accel accel_;
  Bvh spine_;  // over the boxes of all ranks
  Buffer<Aabb> boxes_;
  Buffer<u32> box_ranks_;
  Buffer<u32> places_;  // of the packed triangles, in the shard
  u32 rank_count_ = 0;
};

/// Returns this rank's part of a structure for rays. Collective.
///   quality: of the Accel over the triangles of this rank. Its tree is not that of `shard`. Hits are the same for all
///            qualities
/// Throws: Error invalid_argument if `shard` was built by another number of ranks, or if there are more than 64;
/// Error out_of_memory, Error cancelled. All ranks throw the same error.
/// Waits: for the other ranks.
/// Memory: as build(context, triangles), with 4 bytes more per triangle, and 1.5 KiB for each rank.
COPSE_API ShardedAccel make_accel(Communicator& comm, Context& context, const ShardedBvh& shard,
                                  Quality quality = Quality::balanced);

/// Fits the tree of this rank to the triangles of a shard that was refitted, and sends the new boxes to the other
/// ranks. Collective.
///   shard: the one that `accel` was made of
/// Throws: Error invalid_argument if `accel` was never made, or has another number of triangles or ranks than
/// `shard`; Error out_of_memory, Error cancelled. All ranks throw the same error.
/// Waits: for the other ranks.
COPSE_API void refit(Communicator& comm, Context& context, ShardedAccel& accel, const ShardedBvh& shard);

}  // namespace copse
