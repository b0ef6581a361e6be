#include "scale/sharded_accel.h"

#include <algorithm>
#include <string>

#include "accel/build/accel_access.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "scale/shards/sharded_accel_access.h"

namespace copse {

namespace detail {

// The body: shard_steps.inl, for either executor.
template <class Executor>
void name_packed(const Executor& ex, const PackedTriangle* named, const u32* masks, u64 count,
                 PackedTriangle* packed, u32* packed_masks);

namespace {

/// The boxes of the largest subtrees of a rank: together they hold all its triangles.
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
      const auto surface = [](const BvhNode& node) { return node.is_leaf() ? -1.0 : half_area(node.box()); };
      const auto largest = std::max_element(
          open.begin(), open.end(), [&](const BvhNode& a, const BvhNode& b) { return surface(a) < surface(b); });
      if (largest->is_leaf()) break;
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

/// An Accel over the triangles of a shard, with the names that they have there: so hits report them, and hits of equal
/// t are decided by ids through all ranks.
Accel accel_of(Context& context, const ShardedBvh& shard, Quality quality) {
  const Buffer<PackedTriangle>& triangles = shard.triangles.triangles;
  // Corner k of triangle i is the first 12 bytes of its 16-byte part k.
  constexpr u64 part_bytes = sizeof(PackedTriangle) / 3;
  const auto* const corners = reinterpret_cast<const vec3*>(triangles.data());
  const TriangleView view{.positions = PositionSpan(corners, 3 * triangles.size(), part_bytes)};
  Accel accel = build(context, view, AccelOptions{.quality = quality});
  PackedTriangles& packed = AccelAccess::packed(accel);
  const bool has_masks = !shard.triangles.masks.empty();
  packed.masks = Buffer<u32>(context, has_masks ? triangles.size() : 0);
  dispatch(context, [&](const auto& ex) {
    name_packed(ex, triangles.data(), has_masks ? shard.triangles.masks.data() : nullptr, triangles.size(),
                packed.triangles.data(), packed.masks.data());
  });
  AccelAccess::tree(accel).primitive_ids = {};  // the packed triangles have them
  packed.tree_ids = nullptr;
  return accel;
}

void check_shard(const Communicator& comm, const ShardedBvh& shard) {
  if (shard.first_slots.size() != u64{comm.size()} + 1) {
    refuse("make_accel", "the tree was built by " +
                             std::to_string(shard.first_slots.empty() ? 0 : shard.first_slots.size() - 1) +
                             " ranks, but there are " + std::to_string(comm.size()));
  }
  check_range("make_accel", comm.size(), "ranks", 1, max_ray_ranks);
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
    detail::check_shard(comm, shard);
    detail::ShardedAccelAccess::accel(sharded) = detail::accel_of(context, shard, quality);
    own = detail::RankBoxes::of(context, shard.tree);
  });
  const std::vector<detail::RankBoxes> of_ranks = comm.all_gather(own);
  comm.agree([&] { detail::make_spine(context, of_ranks, sharded); });
  return sharded;
}

}  // namespace copse
