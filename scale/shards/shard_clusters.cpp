// The steps that H-PLOC adds to a sharded build: each rank merges the clusters of its leaves, and then those that are
// left of all ranks. See border_pairs.h.

#include "primitives/core/dispatch.h"
#include "scale/shards/border_pairs.h"
#include "scale/shards/gather_lists.h"
#include "scale/shards/shard_build.h"

namespace copse::detail {

// The body: shard_steps.inl, for either executor. That of H-PLOC is declared in hploc_slice.h.
template <class Executor>
void store_placed_clusters(const Executor& ex, const PlacedCluster* placed, u64 count, const BvhArrays& bvh);

/// Merges the clusters of this rank as far as they do not depend on other ranks, and then to one for a tree of its own.
///   boxes: of the received triangles, at least one
void ShardBuild::merge_clusters(const Buffer<Aabb>& boxes) {
  const u64 count = boxes.size();
  const BvhArrays arrays = arrays_of(shard_.tree);
  ranges_ = Buffer<WaitingRange>(context_, max_waiting_ranges(count));
  Buffer<u32> range_count(context_, 1);
  dispatch(context_, [&](const auto& ex) {
    cluster_slice(ex, boxes.data(), count, curve_, options_.hploc_radius, arrays,
                  {range_count.data(), ranges_.data()});
  });
  range_count_ = range_count.download()[0];

  std::vector<Cluster> waiting;
  for (const WaitingRange& range : ranges_.download(range_count_)) {
    waiting.insert(waiting.end(), range.clusters, range.clusters + range.cluster_count);
  }
  const Buffer<PlacedCluster> placed(context_, merge_to_one(waiting));
  dispatch(context_, [&](const auto& ex) { store_placed_clusters(ex, placed.data(), placed.size(), arrays); });
}

/// Every rank gets the ranges of all ranks, some 100 KiB of each at most, and merges them.
void ShardBuild::merge_over_borders() {
  const ProfileScope scope(context_.profile(), "shards: merge over borders");
  const ListsOfRanks<WaitingRange> lists = gather_lists(comm_, context_, ranges_, range_count_);
  ranges_ = {};
  comm_.agree([&] {
    std::vector<RangesOfRank> ranks;
    for (u32 rank = 0; rank < comm_.size(); ++rank) {
      if (lists.of(rank).empty()) continue;
      const bool is_last = shard_.first_slots[rank + 1] == shard_.first_slots.back();
      const u32 delta_behind = is_last ? 0 : 1 + shard_.border_deltas[rank];
      ranks.push_back({lists.of(rank), shard_.first_slots[rank], delta_behind});
    }
    shard_.border_pairs = merge_ranks(ranks, options_.hploc_radius);
  });
}

}  // namespace copse::detail
