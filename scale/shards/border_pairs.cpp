#include "scale/shards/border_pairs.h"

#include <algorithm>
#include <unordered_map>

namespace copse::detail {

namespace {

/// The clusters that are left of all ranks. For the merge they are the leaves of a small tree, so that its slots do not
/// depend on the number of triangles.
class ClustersOfRanks {
 public:
  explicit ClustersOfRanks(std::span<const RangesOfRank> ranks) {
    for (const RangesOfRank& rank : ranks) {
      for (const WaitingRange& range : rank.ranges) add(range, rank.first_slot);
      ranges_.back().delta_right = rank.delta_behind;
    }
  }

  std::vector<PlacedCluster> merge(u32 radius) const {
    RangeJoin join(leaf_count_, radius);
    for (const WaitingRange& range : ranges_) join.push(range);
    join.finish();
    return join.take_placed();
  }

  u64 slot(u32 small_slot) const { return slots_[small_slot]; }

  /// Returns the link of a node of the small tree.
  u64 link_of(const Cluster& cluster) const {
    return cluster.children == 0 ? links_[cluster.slot] : link_to_pair(slots_[cluster.children]);
  }

 private:
  /// How far a range merges depends on whether it has more than narrow_range leaves, but not on how many more. So their
  /// number needs few bits.
  void add(const WaitingRange& of_rank, u64 first_slot) {
    WaitingRange range = of_rank;
    const u32 size = smaller(range.leaves.size(), narrow_range + 1);
    range.leaves = {leaf_count_, leaf_count_ + size - 1};
    leaf_count_ += size;
    for (u32 i = 0; i < range.cluster_count; ++i) {
      Cluster& cluster = range.clusters[i];
      const u64 slot = first_slot + cluster.slot;
      links_.push_back(cluster.children == 0 ? link_to_leaf(slot) : link_to_pair(first_slot + cluster.children));
      cluster.slot = u32(slots_.size());
      cluster.children = 0;
      slots_.push_back(slot);
    }
    ranges_.push_back(range);
  }

  std::vector<WaitingRange> ranges_;
  std::vector<u64> slots_, links_;  // [small slot]: of the cluster, in the whole tree
  u32 leaf_count_ = 0;
};

}  // namespace

std::vector<BorderPair> merge_ranks(std::span<const RangesOfRank> ranks, u32 radius) {
  if (ranks.empty()) return {};
  const ClustersOfRanks clusters(ranks);
  const std::vector<PlacedCluster> placed = clusters.merge(radius);
  std::vector<BorderPair> pairs;
  for (size_t i = 0; i + 1 < placed.size(); i += 2) {  // the last one is the root
    const Cluster &left = placed[i].cluster, &right = placed[i + 1].cluster;
    pairs.push_back({clusters.slot(right.slot), {clusters.link_of(left), clusters.link_of(right)}});
  }
  return pairs;
}

void store_border_pairs(std::span<const BorderPair> pairs, std::span<const u64> first_slots,
                        const BvhArrays& whole) {
  if (pairs.empty()) return;  // the tree of one rank is the whole tree

  // The leaves above the parts stand in the trees of ranks where the pairs will stand.
  std::unordered_map<u64, BvhNode> leaves;
  const auto keep_leaf = [&](u64 place) {
    if (whole.nodes[place].is_leaf()) leaves[whole.nodes[place].first] = whole.nodes[place];
  };
  keep_leaf(0);
  for (const BorderPair& pair : pairs) {
    const bool is_first_of_rank = std::binary_search(first_slots.begin(), first_slots.end(), pair.slot);
    if (!is_first_of_rank) keep_leaf(2 * pair.slot - 1);
    keep_leaf(2 * pair.slot);  // the root of a rank, if the slot is its first
  }

  const auto leaf_in_slot = [&](u64 slot) { return leaves.at(slot); };
  for (const BorderPair& pair : pairs) store_pair(pair, leaf_in_slot, whole);
  const BvhNode root = node_of_link(link_to_pair(pairs.back().slot), leaf_in_slot, whole.nodes);
  whole.nodes[0] = root;
  whole.parents[sibling_pair(root.first)] = 0;
}

}  // namespace copse::detail
