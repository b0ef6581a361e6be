#pragma once

#include <vector>

#include "builders/bvh/border_pair.h"
#include "builders/bvh/pack_triangles.h"
#include "scale/communicator.h"

namespace copse {

struct ShardedBuildOptions {
  /// Bits of a Morton key, as LbvhOptions::morton_bits. Default: 63. Must be the same on all ranks.
  u32 morton_bits = 63;

  /// 0: the tree is an LBVH. 1 to 8: it is an H-PLOC tree, and this is HplocOptions::radius. Default: 0. Must be the same
  /// on all ranks.
  u32 hploc_radius = 0;
};

/// The triangles that the ranks send to each other after vertices have moved. The first refit computes them.
struct ShardedRoutes {
  /// The triangles that this rank sends, by their numbers in its input, in the order of the receiving ranks.
  Buffer<u32> sent_ids;
  std::vector<u64> sent_begins;  // [rank] where the triangles for each rank begin

  /// The leaves of the triangles that this rank receives, in the order of arrival.
  Buffer<u32> slots;
  std::vector<u64> received_begins;  // [rank] where the triangles of each rank begin
};

/// One rank's part of an LBVH or an H-PLOC tree over the triangles of all ranks: a range of its leaves, contiguous on the
/// Morton curve, with a tree over them. It owns its memory.
struct ShardedBvh {
  /// The tree over the leaves of this rank. Primitive ids are places in `triangles`. In an LBVH it is the LBVH over these
  /// leaves. In an H-PLOC tree its subtrees are those of the whole tree, up to the merges that depend on other ranks.
  Bvh tree;

  /// The triangles of this rank in the order of the leaves. `primitive` counts through the triangles of all ranks, in
  /// the order of ranks. `geometry` is that of its view, and `local_id` its number in its view.
  PackedTriangles triangles;

  /// Triangles of this rank's input that are invalid and not in the tree, by their numbers among those of all ranks.
  Buffer<u32> left_out;

  /// Where the leaves of each rank begin in the tree over all triangles, [rank], and their number. Equal on all ranks.
  std::vector<u64> first_slots;

  /// The deltas between the last leaf of rank r and the leaf after it, [r]. Equal on all ranks.
  std::vector<u8> border_deltas;

  /// The pairs of an H-PLOC tree that come from merges which depend on several ranks, children before their parents; at
  /// most some 3000 per rank. Equal on all ranks. Empty for an LBVH, and if there is one rank.
  std::vector<BorderPair> border_pairs;

  /// The number of triangles of all ranks, including those left out of the tree.
  u64 source_count = 0;

  /// The first id of the triangles in each rank's input, [rank], and the end. Equal on all ranks.
  std::vector<u64> first_ids;

  /// Bits of the Morton keys, as in the options.
  u32 morton_bits = 0;

  /// The radius of an H-PLOC tree, as in the options; 0 for an LBVH.
  u32 hploc_radius = 0;

  /// The keys at the borders between ranks, [rank - 1]. Equal on all ranks.
  std::vector<u64> border_keys;

  /// True if the last rebuild() kept the borders of the previous build.
  bool has_kept_borders = false;

  /// Empty before the first refit.
  ShardedRoutes routes = {};
};

/// Returns this rank's part of the LBVH or the H-PLOC tree over the triangles of all ranks. Collective. Ranks may have any
/// number of triangles, also none. Each rank gets the same number of leaves, up to 2 %. Joined by gather(), the parts form
/// the tree that build(context, triangles, LbvhOptions), or with HplocOptions of the same radius, makes of the triangles
/// of all ranks in the order of ranks, byte for byte, for any number of ranks and any distribution.
///   context:   of this rank, CPU or GPU
///   triangles: of this rank, in the memory of `context`
/// Throws: Error invalid_argument for morton_bits or hploc_radius out of range, or if ranks give different ones; Error
/// capacity past 2^32 - 1 triangles of all ranks, past 2^31 that one rank brings, or if one would get more; Error
/// out_of_memory, Error cancelled. All ranks throw the same error.
/// Waits: for the other ranks.
/// Memory: per triangle of this rank, beside scratch, at most 96 bytes before the exchange and 169 after it; 121 stay.
/// With hploc_radius, for a while at most 100 KiB more for each rank.
COPSE_API ShardedBvh build_sharded(Communicator& comm, Context& context, const TriangleViews& triangles,
                                   const ShardedBuildOptions& options = {});

/// Builds the tree of this rank anew, as build_sharded does. Collective. It keeps the borders between ranks of the
/// previous build and need not search for them, unless a rank would get more than 1.25 times its share of the
/// triangles. Then it finds new borders. `shard.has_kept_borders` tells which was done. The gathered tree is the same
/// for any borders.
///   triangles: any number, as for build_sharded. They must not be in the memory of `shard`
/// Throws: as build_sharded; Error invalid_argument if `shard` was built by another number of ranks. After an error
/// `shard` is empty, unless its arguments were invalid.
/// Memory: as build_sharded. The old tree is freed first.
COPSE_API void rebuild(Communicator& comm, Context& context, ShardedBvh& shard, const TriangleViews& triangles,
                       const ShardedBuildOptions& options = {});

/// Fits the boxes of this rank's tree to triangles that have moved, and takes over their positions, geometry ids and
/// masks. Collective. The leaves stay on their ranks: each triangle is sent to the rank that has its leaf. The
/// gathered tree is that of refit(context, tree, triangles) on one context, byte for byte. A triangle that has become
/// NaN or infinite is empty until it is finite again. Triangles that the build left out stay out.
///   triangles: those of this rank, as many as in its input of the build, in the same order
/// Throws: Error invalid_argument for another number of triangles, or if `shard` was built by another number of ranks
/// or never; Error out_of_memory, Error cancelled. All ranks throw the same error.
/// Waits: for the other ranks.
/// Memory: per triangle 8 bytes from the first refit on, and 96 bytes and scratch until it returns.
COPSE_API void refit(Communicator& comm, Context& context, ShardedBvh& shard, const TriangleViews& triangles);

/// Returns the whole tree on rank `root`, and an empty tree on the others. Collective.
///   host: a context of the CPU, whose memory receives the tree; on the other ranks any context of the CPU
/// Throws: Error invalid_argument if there is no rank `root`, or `host` is not of the CPU; Error capacity past 2^31
/// triangles of all ranks, since a Bvh holds no more; Error out_of_memory. All ranks throw the same error.
/// Waits: for the other ranks.
/// Memory: on the root the tree, and a copy of its own part.
COPSE_API Bvh gather(Communicator& comm, Context& host, const ShardedBvh& shard, u32 root = 0);

}  // namespace copse
