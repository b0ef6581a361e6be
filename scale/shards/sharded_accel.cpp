// The Accel of a rank, and its spine: a small tree over up to 64 boxes of each rank.

#include "scale/sharded_accel.h"

#include <algorithm>
#include <string>

#include "accel/build/accel_access.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "scale/shards/shard_view.h"
#include "scale/shards/sharded_accel_access.h"

namespace copse {

namespace detail {

// The body: shard_steps.inl, for either executor.
template <class Executor>
void name_packed(const Executor& ex, const PackedTriangle* named, const u32* masks, u64 count,
                 PackedTriangle* packed, u32* packed_masks);
template <class Executor>
void store_places(const Executor& ex, const u32* places, u64 count, PackedTriangle* packed);

namespace {

/// The boxes of the largest subtrees of a rank: together they contain all its triangles.
struct RankBoxes {
  static constexpr u32 capacity = 64;

  u32 count = 0;
  Aabb boxes[capacity];

  /// Begins with the root, and opens the node with the largest surface until there is no room for more.
  static RankBoxes of(Context& context, const Bvh& tree) {
    RankBoxes result;
    if (tree.source_count == 0) return result;
    std::vector<BvhNode> open = read_nodes(context, tree, 0, 1);
    while (open.size() < capacity) {
      const auto surface = [](const BvhNode& node) {
        return node.is_leaf() || is_empty(node.box()) ? -1.0 : half_area(node.box());
      };
      const auto largest = std::max_element(
          open.begin(), open.end(), [&](const BvhNode& a, const BvhNode& b) { return surface(a) < surface(b); });
      if (surface(*largest) < 0) break;
      const std::vector<BvhNode> children = read_nodes(context, tree, largest->first, 2);
      *largest = children[0];
      open.push_back(children[1]);
    }
    for (const BvhNode& node : open) result.boxes[result.count++] = node.box();
    return result;
  }

 private:
  static std::vector<BvhNode> read_nodes(Context& context, const Bvh& tree, u32 first, u32 count) {
    return download(context, BufferSpan<const BvhNode>(tree.nodes.data() + first, count));
  }
};

/// Replaces the ids of an Accel's packed triangles, which are places in a shard, by their ids in that shard. So hits
/// report these, and among hits of equal t the ids through all ranks decide.
void take_names(Context& context, const ShardedBvh& shard, PackedTriangles& packed) {
  const Buffer<PackedTriangle>& triangles = shard.triangles.triangles;
  const bool has_masks = !shard.triangles.masks.empty();
  if (has_masks && packed.masks.empty()) packed.masks = Buffer<u32>(context, triangles.size());
  dispatch(context, [&](const auto& ex) {
    name_packed(ex, triangles.data(), has_masks ? shard.triangles.masks.data() : nullptr, triangles.size(),
                packed.triangles.data(), packed.masks.data());
  });
}

/// Makes the Accel over the triangles of a shard.
void make_own(Context& context, const ShardedBvh& shard, Quality quality, ShardedAccel& sharded) {
  Accel accel = build(context, triangles_of(shard), AccelOptions{.quality = quality});
  PackedTriangles& packed = AccelAccess::packed(accel);
  take_names(context, shard, packed);
  ShardedAccelAccess::places(sharded) = std::move(AccelAccess::tree(accel).primitive_ids);
  AccelAccess::tree(accel).primitive_ids = {};  // the packed triangles have them
  packed.tree_ids = nullptr;
  ShardedAccelAccess::accel(sharded) = std::move(accel);
}

/// Fits the Accel to the triangles of a shard. For the refit, the triangles get their places as ids again.
void fit_own(Context& context, const ShardedBvh& shard, ShardedAccel& sharded) {
  Accel& accel = ShardedAccelAccess::accel(sharded);
  PackedTriangles& packed = AccelAccess::packed(accel);
  dispatch(context, [&](const auto& ex) {
    store_places(ex, ShardedAccelAccess::places(sharded).data(), packed.triangles.size(), packed.triangles.data());
  });
  refit(context, accel, triangles_of(shard));
  take_names(context, shard, packed);
}

void check_pair(const Communicator& comm, const ShardedAccel& accel, const ShardedBvh& shard) {
  check_ranks("refit", comm, shard);
  if (accel.rank_count() == 0) refuse("refit", "the structure was never built");
  check_same_count("refit", "triangles", shard.triangles.triangles.size(), "in the structure",
                   accel.own().triangle_count());
}

/// Makes the tree over the boxes of all ranks.
void make_spine(Context& context, const std::vector<RankBoxes>& of_ranks, ShardedAccel& sharded) {
  std::vector<Aabb> boxes;
  std::vector<u32> ranks;
  for (u32 rank = 0; rank < of_ranks.size(); ++rank) {
    boxes.insert(boxes.end(), of_ranks[rank].boxes, of_ranks[rank].boxes + of_ranks[rank].count);
    ranks.resize(boxes.size(), rank);
  }
  ShardedAccelAccess::boxes(sharded) = Buffer<Aabb>(context, boxes);
  ShardedAccelAccess::box_ranks(sharded) = Buffer<u32>(context, ranks);
  const BoxView view{ShardedAccelAccess::boxes(sharded).span()};
  ShardedAccelAccess::spine(sharded) = build(context, view, LbvhOptions{});
  ShardedAccelAccess::rank_count(sharded) = u32(of_ranks.size());
}

}  // namespace

}  // namespace detail

ShardedAccel make_accel(Communicator& comm, Context& context, const ShardedBvh& shard, Quality quality) {
  ShardedAccel sharded;
  detail::RankBoxes own;
  comm.agree([&] {
    detail::check_ranks("make_accel", comm, shard);
    detail::check_range("make_accel", comm.size(), "ranks", 1, detail::max_wave_ranks);
    detail::make_own(context, shard, quality, sharded);
    own = detail::RankBoxes::of(context, shard.tree);
  });
  const std::vector<detail::RankBoxes> of_ranks = comm.all_gather(own);
  comm.agree([&] { detail::make_spine(context, of_ranks, sharded); });
  return sharded;
}

void refit(Communicator& comm, Context& context, ShardedAccel& accel, const ShardedBvh& shard) {
  detail::RankBoxes own;
  comm.agree([&] {
    detail::check_pair(comm, accel, shard);
    detail::fit_own(context, shard, accel);
    own = detail::RankBoxes::of(context, shard.tree);
  });
  const std::vector<detail::RankBoxes> of_ranks = comm.all_gather(own);
  comm.agree([&] { detail::make_spine(context, of_ranks, accel); });
}

}  // namespace copse
