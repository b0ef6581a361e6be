#include "builders/io/structure/voxel_tree_check.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "builders/io/structure/structure_check.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

using std::to_string;

/// Checks a tree level by level, from the leaves up. Children have lower levels, so no walk runs in a cycle.
class VoxelTreeChecker {
 public:
  explicit VoxelTreeChecker(const HostVoxelTree& tree) : tree_(tree), ends_(tree.nodes.size()) {}

  std::string find_fault() {
    std::string fault = find_count_fault();
    if (fault.empty() && !tree_.nodes.empty()) fault = find_leaf_fault();
    for (u32 level = 1; level <= tree_.level_count && fault.empty(); ++level) {
      fault = find_level_fault(level);
      level_begin_ += level_size(level);
    }
    if (fault.empty()) fault = find_end_fault();
    return fault;
  }

 private:
  u64 level_size(u32 level) const { return tree_.level_nodes[level - 1]; }

  std::string find_count_fault() const {
    const uvec3 bricks = (tree_.shape.resolution + brick_edge - 1u) / brick_edge;
    u32 levels = 1;
    while ((1u << (levels - 1)) < std::max({bricks.x, bricks.y, bricks.z})) ++levels;
    if (tree_.level_count != levels) {
      return "the tree has " + counted(tree_.level_count, "levels") + "; its resolution needs " +
             to_string(levels);
    }
    u64 sum = 0;
    for (u32 level = 1; level <= max_voxel_levels; ++level) {
      const bool is_level = level <= levels && !tree_.nodes.empty();
      if ((level_size(level) > 0) != is_level || level_size(level) > tree_.nodes.size())
        return "level " + to_string(level) + " has " + counted(level_size(level), "nodes");
      sum += level_size(level);
    }
    if (sum != tree_.nodes.size())
      return "the levels have " + counted(sum, "nodes") + " together; there are " + to_string(tree_.nodes.size());
    if (sum > 0 && level_size(levels) != 1) {
      return "the highest level has " + to_string(level_size(levels)) + " nodes; it can have one root";
    }
    if (!tree_.is_dag && !tree_.links.empty())
      return "an octree has " + counted(tree_.links.size(), "links") + "; only a DAG has some";
    if (sum == 0 && (!tree_.leaves.empty() || !tree_.links.empty()))
      return "a tree without nodes has leaves or links";
    return "";
  }

  std::string find_leaf_fault() const {
    for (u64 i = 0; i < tree_.leaves.size(); ++i) {
      if (tree_.leaves[i] == 0) return "leaf " + to_string(i) + " has no voxel";
    }
    if (!tree_.is_dag) return "";
    std::vector<u64> sorted = tree_.leaves;
    std::sort(sorted.begin(), sorted.end());
    const bool is_distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    return is_distinct ? "" : "two leaves of a DAG are equal";
  }

  /// The children of a level are all elements of the one below, which begin at `first`.
  std::string find_level_fault(u32 level) {
    const u64 first = level == 1 ? 0 : level_begin_ - level_size(level - 1);
    const u64 end = level == 1 ? tree_.leaves.size() : level_begin_;
    NumberSet reached(end - first);
    u64 reached_count = 0;
    u64 next = tree_.is_dag ? next_link_ : first;
    for (u64 i = level_begin_; i < level_begin_ + level_size(level); ++i) {
      const VoxelNode& node = tree_.nodes[i];
      const std::string name = "node " + to_string(i);
      if (node.mask < 1 || node.mask > 0xff)
        return name + " has the mask " + to_string(node.mask) + "; it can be 1 to 255";
      if (node.first != next)
        return name + " has its first child at " + to_string(node.first) + "; it must be at " + to_string(next);
      const u32 count = population_count(node.mask);
      if (next + count > (tree_.is_dag ? tree_.links.size() : end))
        return name + " has children past the last one";
      next += count;
      for (u32 k = 0; k < count; ++k) {
        const u64 child = tree_.is_dag ? tree_.links[node.first + k] : node.first + k;
        if (child < first || child >= end) {
          return name + " has the child " + to_string(child) + "; the level below has " + to_string(first) +
                 " to " + to_string(end);
        }
        reached_count += reached.insert(child - first) ? 1 : 0;
      }
      set_end(i, level);
    }
    if (tree_.is_dag) next_link_ = next;
    if (reached_count != end - first) {
      return "level " + to_string(level) + " has " + to_string(reached_count) + " of " + to_string(end - first) +
             " children below it";
    }
    return tree_.is_dag ? find_equal_nodes(level) : "";
  }

  /// No two nodes of a level have the same children at the same places.
  std::string find_equal_nodes(u32 level) const {
    const auto children = [&](u32 id) {
      const VoxelNode& node = tree_.nodes[id];
      return std::span(tree_.links).subspan(node.first, population_count(node.mask));
    };
    std::vector<u32> ids(level_size(level));
    std::iota(ids.begin(), ids.end(), u32(level_begin_));
    const auto is_less = [&](u32 a, u32 b) {
      if (tree_.nodes[a].mask != tree_.nodes[b].mask) return tree_.nodes[a].mask < tree_.nodes[b].mask;
      return std::ranges::lexicographical_compare(children(a), children(b));
    };
    std::sort(ids.begin(), ids.end(), is_less);
    for (size_t k = 1; k < ids.size(); ++k) {
      if (!is_less(ids[k - 1], ids[k]))
        return "nodes " + to_string(ids[k - 1]) + " and " + to_string(ids[k]) + " of a DAG are equal";
    }
    return "";
  }

  /// Stores where the voxels of a node end, counted from its corner.
  void set_end(u64 i, u32 level) {
    const VoxelTreeView view = tree_.view();
    uvec3 end(0);
    for (u32 child = 0; child < 8; ++child) {
      if ((tree_.nodes[i].mask >> child & 1) == 0) continue;
      const u32 at = view.child_of(tree_.nodes[i], child);
      const uvec3 of_child = level == 1 ? end_of_leaf(tree_.leaves[at]) : ends_[at];
      const uvec3 from = uvec3(child & 1, child >> 1 & 1, child >> 2) * (voxel_leaf_edge << (level - 1));
      for (int axis = 0; axis < 3; ++axis) end[axis] = std::max(end[axis], from[axis] + of_child[axis]);
    }
    ends_[i] = end;
  }

  static uvec3 end_of_leaf(u64 leaf) {
    uvec3 end(0);
    for (u32 bit = 0; bit < 64; ++bit) {
      if ((leaf >> bit & 1) == 0) continue;
      end.x = std::max(end.x, bit % 4 + 1), end.y = std::max(end.y, bit / 4 % 4 + 1), end.z = bit / 16 + 1;
    }
    return end;
  }

  std::string find_end_fault() const {
    if (next_link_ != tree_.links.size()) {
      return "the nodes have " + counted(next_link_, "links") + "; there are " + to_string(tree_.links.size());
    }
    if (tree_.nodes.empty()) return "";
    const uvec3 &end = ends_.back(), &size = tree_.shape.resolution;
    for (int axis = 0; axis < 3; ++axis) {
      if (end[axis] <= size[axis]) continue;
      return "a voxel is set at " + to_string(end[axis] - 1) + " on axis " + to_string(axis) + " of a grid of " +
             to_string(size[axis]);
    }
    return "";
  }

  const HostVoxelTree& tree_;
  std::vector<uvec3> ends_;
  u64 level_begin_ = 0, next_link_ = 0;
};

}  // namespace

std::string find_voxel_tree_fault(const HostVoxelTree& tree) {
  return VoxelTreeChecker(tree).find_fault();
}

}  // namespace copse::detail
