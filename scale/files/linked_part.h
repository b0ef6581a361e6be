#pragma once

// A range of the leaves of an H-PLOC tree, read from links.
//
// The clustering cannot be repeated when a tree is loaded, because its triangles may have moved since its build. So files
// have the links of all nodes: for each slot but the first one, what the two nodes are whose merge gave it up. A rank may
// take any range of slots. The pairs whose leaves are all in the range are part of its tree. The others are border pairs.
// Their slots are those of the clusters that are left:
//
//   slots of a part    4  5  6  7        pair 5 joins the leaves 4 and 5, pair 7 the leaves 3 and 7
//   complete pairs        5
//   clusters left      4     6  7        and border pairs 4, 6 and 7
//
// Nothing in a file is trusted: the checks here prove that all links together are one tree, of which each leaf and each
// pair is one node, and that each merge gave up the slot that it says.

#include <filesystem>
#include <span>
#include <vector>

#include "builders/bvh/hploc/hploc_slice.h"
#include "scale/shards/border_pairs.h"

namespace copse::detail {

/// The links of the pair of a slot, in the whole tree.
struct LinkedPair {
  static constexpr u64 none = ~u64{0};
  u64 links[2] = {none, none};
};

/// A cluster that is left of a part, and the border pair of its slot.
struct LeftCluster {
  u64 slot;         // of its first leaf
  u64 link;         // to the cluster
  LinkedPair pair;  // none for slot 0
};

class LinkedPart {
 public:
  ///   path:       of the file or folder, for messages
  ///   first_slot: of the part
  ///   links:      [slot - first_slot]
  ///   slot_count: of the whole tree
  /// Throws: Error bad_file.
  LinkedPart(std::filesystem::path path, u64 first_slot, std::vector<LinkedPair> links, u64 slot_count);

  /// The clusters that are left, in the order of their slots.
  const std::vector<LeftCluster>& left() const { return left_; }

  /// Builds a tree over the part: its complete pairs, and above them pairs that only this part has.
  ///   boxes: of the leaves, at least one
  ///   tree:  in host memory. Its ids are stored
  void build(std::span<const Aabb> boxes, const BvhArrays& tree) const;

 private:
  [[noreturn]] void fail(const std::string& message) const;
  bool holds(u64 link) const { return linked_slot(link) - first_slot_ < links_.size(); }
  u64 first_leaf_below(u64 link) const;
  void find_parents();
  void complete_pairs();
  void check_merge(u64 k) const;
  void list_left();

  std::filesystem::path path_;
  u64 first_slot_, slot_count_;
  std::vector<LinkedPair> links_;
  std::vector<u32> leaf_parents_, pair_parents_;  // [slot of this part]: the slot of the pair with this child
  std::vector<u32> complete_;                     // slots of complete pairs, children before their parents
  std::vector<u64> first_leaves_;                 // [slot of this part]: of its complete pair
  std::vector<LeftCluster> left_;
};

/// Returns the border pairs, children before their parents.
///   path: of the folder, for messages
///   left: the clusters that are left of all parts, in the order of their slots
/// Throws: Error bad_file unless they form one tree.
std::vector<BorderPair> join_left_clusters(const std::filesystem::path& path, std::span<const LeftCluster> left);

}  // namespace copse::detail
