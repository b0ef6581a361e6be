#include "scale/files/linked_part.h"

#include <algorithm>
#include <string>

#include "builders/io/whole_file.h"

namespace copse::detail {

namespace {

/// A node of a pair of this slot.
std::string node_in_words(u64 slot) {
  return "the merge that gave up slot " + std::to_string(slot);
}

}  // namespace

LinkedPart::LinkedPart(std::filesystem::path path, u64 first_slot, std::vector<LinkedPair> links, u64 slot_count)
    : path_(std::move(path)), first_slot_(first_slot), slot_count_(slot_count), links_(std::move(links)) {
  find_parents();
  complete_pairs();
  list_left();
}

void LinkedPart::fail(const std::string& message) const {
  throw_bad_file(path_, message);
}

void LinkedPart::find_parents() {
  leaf_parents_.assign(links_.size(), invalid_id);
  pair_parents_.assign(links_.size(), invalid_id);
  for (u64 k = 0; k < links_.size(); ++k) {
    if (first_slot_ + k == 0) continue;  // no merge gives up the first slot
    for (const u64 link : links_[k].links) {
      if (link == LinkedPair::none || linked_slot(link) >= slot_count_)
        fail("has a wrong link in " + node_in_words(first_slot_ + k));
      if (!holds(link)) continue;
      std::vector<u32>& parents = links_to_leaf(link) ? leaf_parents_ : pair_parents_;
      u32& parent = parents[linked_slot(link) - first_slot_];
      if (parent != invalid_id) fail("has the same link twice, also in " + node_in_words(first_slot_ + k));
      parent = u32(k);
    }
  }
}

/// A pair is complete when both children are: leaves of this part, or complete pairs.
void LinkedPart::complete_pairs() {
  first_leaves_.resize(links_.size());
  std::vector<u8> children(links_.size());  // those that are complete
  const auto complete_child = [&](u32 parent) {
    if (parent == invalid_id || ++children[parent] < 2) return;
    check_merge(parent);
    first_leaves_[parent] = first_leaf_below(links_[parent].links[0]);
    complete_.push_back(parent);
  };
  for (const u32 parent : leaf_parents_) complete_child(parent);
  for (size_t i = 0; i < complete_.size(); ++i) complete_child(pair_parents_[complete_[i]]);
}

u64 LinkedPart::first_leaf_below(u64 link) const {
  return links_to_leaf(link) ? linked_slot(link) : first_leaves_[linked_slot(link) - first_slot_];
}

/// A merge gives up the higher one of its clusters' slots. So no slot is given up twice.
void LinkedPart::check_merge(u64 k) const {
  const u64 slot = first_slot_ + k;
  if (first_leaf_below(links_[k].links[0]) >= slot || first_leaf_below(links_[k].links[1]) != slot)
    fail("has other clusters in " + node_in_words(slot));
}

void LinkedPart::list_left() {
  std::vector<u8> is_complete(links_.size());
  for (const u32 k : complete_) is_complete[k] = 1;
  const auto add_if_left = [&](u32 parent, u64 slot, u64 link) {
    if (parent == invalid_id || is_complete[parent] == 0)
      left_.push_back({slot, link, slot == 0 ? LinkedPair() : links_[slot - first_slot_]});
  };
  for (u64 k = 0; k < links_.size(); ++k)
    add_if_left(leaf_parents_[k], first_slot_ + k, link_to_leaf(first_slot_ + k));
  for (const u32 k : complete_) add_if_left(pair_parents_[k], first_leaves_[k], link_to_pair(first_slot_ + k));
  std::sort(left_.begin(), left_.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  const u64 most = max_waiting_ranges(links_.size()) * max_kept_clusters;
  if (left_.size() > most) {
    fail("leaves " + std::to_string(left_.size()) + " clusters of a part; H-PLOC leaves up to " +
         std::to_string(most));
  }
}

void LinkedPart::build(std::span<const Aabb> boxes, const BvhArrays& tree) const {
  const auto leaf_in_slot = [&](u64 slot) { return BvhNode::leaf(boxes[slot], u32(slot), 1); };
  const auto in_part = [&](u64 link) { return link - 2 * first_slot_; };
  for (const u32 k : complete_) {
    store_pair({k, {in_part(links_[k].links[0]), in_part(links_[k].links[1])}}, leaf_in_slot, tree);
  }
  std::vector<Cluster> clusters;
  for (const LeftCluster& left : left_) {
    const u64 link = in_part(left.link);
    const BvhNode node = node_of_link(link, leaf_in_slot, tree.nodes);
    const u32 children = links_to_leaf(link) ? 0 : u32(linked_slot(link));
    clusters.push_back({node.lo, children, node.hi, u32(left.slot - first_slot_)});
  }
  const PlaceCluster<SingleLeaves> place{{}, tree};
  for (const PlacedCluster& placed : merge_to_one(clusters)) place(placed.cluster, placed.node);
}

namespace {

/// The border pairs, and the clusters that are left below them, by their numbers in the list of these clusters. Pair 0
/// does not exist.
class BorderTree {
 public:
  BorderTree(const std::filesystem::path& path, std::span<const LeftCluster> left) : path_(path), left_(left) {
    for (u64 i = 0; i < left.size(); ++i) by_link_.push_back({left[i].link, i});
    std::sort(by_link_.begin(), by_link_.end());
  }

  std::vector<BorderPair> ordered() {
    const u64 root = find_root();
    std::vector<u64> open{root}, order;
    while (!open.empty()) {
      const u64 pair = open.back();
      open.pop_back();
      order.push_back(pair);
      for (const u64 link : left_[pair].pair.links) {
        const Target target = target_of(link);
        if (target.is_pair) open.push_back(target.number);
      }
    }
    if (order.size() + 1 != left_.size()) fail();
    std::reverse(order.begin(), order.end());
    check_merges(order);
    std::vector<BorderPair> pairs;
    for (const u64 pair : order) {
      const auto& links = left_[pair].pair.links;
      pairs.push_back({left_[pair].slot, {links[0], links[1]}});
    }
    return pairs;
  }

 private:
  /// What a link of a border pair leads to.
  struct Target {
    bool is_pair;
    u64 number;
  };

  [[noreturn]] void fail() const { throw_bad_file(path_, "has links between its parts that form no tree"); }

  Target target_of(u64 link) const {
    const auto pair = std::lower_bound(left_.begin(), left_.end(), linked_slot(link),
                                       [](const LeftCluster& left, u64 slot) { return left.slot < slot; });
    if (!links_to_leaf(link) && pair != left_.end() && pair->slot == linked_slot(link))
      return {true, u64(pair - left_.begin())};
    const auto cluster = std::lower_bound(by_link_.begin(), by_link_.end(), std::pair{link, u64{0}});
    if (cluster == by_link_.end() || cluster->first != link) fail();
    return {false, cluster->second};
  }

  /// Returns the pair that is no child. There are two links for each pair, and one node more than that: if no link is
  /// there twice, only one node is no child.
  u64 find_root() const {
    std::vector<u8> is_child[2] = {std::vector<u8>(left_.size()), std::vector<u8>(left_.size())};
    for (u64 i = 1; i < left_.size(); ++i) {
      for (const u64 link : left_[i].pair.links) {
        const Target target = target_of(link);
        if (is_child[target.is_pair][target.number]++ > 0) fail();
      }
    }
    for (u64 i = 1; i < left_.size(); ++i) {
      if (is_child[1][i] == 0) return i;
    }
    fail();
  }

  /// Checks that each merge gave up the slot of its right cluster.
  ///   order: of the pairs, children before their parents
  void check_merges(std::span<const u64> order) const {
    std::vector<u64> first_leaves(left_.size());
    const auto first_leaf_below = [&](u64 link) {
      const Target target = target_of(link);
      return target.is_pair ? first_leaves[target.number] : left_[target.number].slot;
    };
    for (const u64 pair : order) {
      const auto& links = left_[pair].pair.links;
      first_leaves[pair] = first_leaf_below(links[0]);
      if (first_leaves[pair] >= left_[pair].slot || first_leaf_below(links[1]) != left_[pair].slot) fail();
    }
  }

  const std::filesystem::path& path_;
  std::span<const LeftCluster> left_;
  std::vector<std::pair<u64, u64>> by_link_;  // the link to a cluster, and its number
};

}  // namespace

std::vector<BorderPair> join_left_clusters(const std::filesystem::path& path, std::span<const LeftCluster> left) {
  return left.size() < 2 ? std::vector<BorderPair>() : BorderTree(path, left).ordered();
}

}  // namespace copse::detail
