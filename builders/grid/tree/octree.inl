// Octrees of voxels: sort bricks by Morton key, split each into leaves, and make the levels above one by one. The nodes
// of a level are the runs of keys of the level below that differ in their lowest three bits alone. How many nodes each
// level has is counted from the bricks' keys first, so nothing waits between levels.

#include "builders/grid/tree/tree_build.h"
#include "primitives/core/executor.h"
#include "primitives/count.h"
#include "primitives/for_each.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

/// Returns the bits of a number below 2^21, with two zeros between each:  ...cba  ->  ...c00b00a
COPSE_HD inline u64 spread_for_tree(u32 value) {
  u64 bits = value;
  bits = (bits | bits << 32) & 0x001f00000000ffffu;
  bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
  bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
  return (bits | bits << 2) & 0x1249249249249249u;
}

struct TreeKeyOfBrick {
  BrickArrays bricks;
  COPSE_HD u64 operator()(u64 i) const {
    const uvec3 place = bricks.places.cell_of(bricks.keys[i]);
    return spread_for_tree(place.x) | spread_for_tree(place.y) << 1 | spread_for_tree(place.z) << 2;
  }
};

/// Returns a leaf of a brick: the 4 x 4 x 4 voxels of child `child`. A row of four voxels is a nibble of the brick.
COPSE_HD inline u64 leaf_of_brick(const u32* words, u32 child) {
  const u32 x = child & 1, y = child >> 1 & 1, z = child >> 2;
  u64 leaf = 0;
  for (u32 slab = 0; slab < 4; ++slab) {
    const u32 word = words[2 * (4 * z + slab) + y] >> (4 * x);
    const u32 rows = (word & 0xf) | (word >> 4 & 0xf0) | (word >> 8 & 0xf00) | (word >> 12 & 0xf000);
    leaf |= u64{rows} << (16 * slab);
  }
  return leaf;
}

COPSE_HD inline u32 child_mask_of_brick(const u32* words) {
  u32 mask = 0;
  for (u32 child = 0; child < 8; ++child) mask |= (leaf_of_brick(words, child) != 0 ? 1u : 0u) << child;
  return mask;
}

struct LeavesOfBrick {
  BrickArrays bricks;
  const u32* order;
  COPSE_HD u64 operator()(u64 i) const {
    return population_count(child_mask_of_brick(bricks.words + u64{order[i]} * brick_words));
  }
};

/// True if a node begins at element i: keys with the same bits from `shift` on have one node.
struct NodeBeginsAt {
  const u64* keys;
  u32 shift;
  COPSE_HD bool operator()(u64 i) const { return i == 0 || (keys[i] ^ keys[i - 1]) >> shift != 0; }
};

struct NodesAt {
  NodeBeginsAt begins;
  COPSE_HD u64 operator()(u64 i) const { return begins(i) ? 1 : 0; }
};

/// Writes the leaves of a brick and its node of level 1.
struct WriteTreeBrick {
  BrickArrays bricks;
  TreeOrder order;
  TreeMemory tree;
  COPSE_HD void operator()(u64 i) const {
    const u32* const words = bricks.words + u64{order.bricks[i]} * brick_words;
    u64 at = order.leaves_before[i];
    VoxelNode node{u32(at), 0};
    for (u32 child = 0; child < 8; ++child) {
      const u64 leaf = leaf_of_brick(words, child);
      if (leaf == 0) continue;
      node.mask |= 1u << child;
      tree.leaves[at++] = leaf;
    }
    tree.nodes[i] = node;
  }
};

/// Writes a node and its key, if it begins at element i of the level below.
struct WriteTreeNode {
  NodeBeginsAt begins;
  const u64* nodes_before;
  u64 child_count, first_child;
  VoxelNode* nodes;  // of this level
  u64* keys;
  COPSE_HD void operator()(u64 i) const {
    if (!begins(i)) return;
    VoxelNode node{u32(first_child + i), 0};
    const u64 key = begins.keys[i] >> 3;
    for (u64 child = i; child < child_count && begins.keys[child] >> 3 == key; ++child) {
      node.mask |= 1u << (begins.keys[child] & 7);
    }
    nodes[nodes_before[i]] = node;
    keys[nodes_before[i]] = key;
  }
};

template <class Executor>
void order_tree_bricks(const Executor& ex, const BrickArrays& bricks, u32 level_count, const TreeOrder& order,
                       TreeCounts* counts) {
  const u64 n = bricks.count;
  radix_sort_pairs(ex, "octree: sort", n, TreeKeyOfBrick{bricks}, Index{}, order.keys, order.bricks,
                   BitRange{0, 3 * (level_count - 1) + 1});
  exclusive_scan(ex, "octree: leaves", n, LeavesOfBrick{bricks, order.bricks}, u64{0}, Plus{}, order.leaves_before,
                 &counts->leaves);
  for (u32 level = 0; level < level_count; ++level) {
    count_if(ex, "octree: nodes", n, NodeBeginsAt{order.keys, 3 * level}, &counts->nodes[level]);
  }
}

template <class Executor>
void write_octree(const Executor& ex, const BrickArrays& bricks, const TreeOrder& order, u32 level_count,
                  const TreeCounts& counts, u64* other_keys, const TreeMemory& tree) {
  for_each(ex, "octree: bricks", bricks.count, WriteTreeBrick{bricks, order, tree});
  u64 *keys = order.keys, *next_keys = other_keys, *const nodes_before = order.leaves_before;
  u64 first = 0;
  for (u32 level = 1; level < level_count; ++level) {
    const u64 n = counts.nodes[level - 1];
    const NodeBeginsAt begins{keys, 3};
    u64* const no_total = nullptr;
    exclusive_scan(ex, "octree: numbers", n, NodesAt{begins}, u64{0}, Plus{}, nodes_before, no_total);
    for_each(ex, "octree: level", n,
             WriteTreeNode{begins, nodes_before, n, first, tree.nodes + first + n, next_keys});
    first += n;
    u64* const swapped = keys;
    keys = next_keys;
    next_keys = swapped;
  }
}

/// Voxels below each node, from those below its children.
struct CountTreeNode {
  VoxelTreeView tree;
  u64 first;
  bool is_lowest;
  u64* counts;
  COPSE_HD void operator()(u64 i) const {
    const VoxelNode node = tree.nodes.data()[first + i];
    u64 sum = 0;
    for (u32 child = 0; child < 8; ++child) {
      if ((node.mask >> child & 1) == 0) continue;
      const u32 at = tree.child_of(node, child);
      const u64 leaf = is_lowest ? tree.leaves.data()[at] : 0;
      sum += is_lowest ? population_count(u32(leaf)) + population_count(u32(leaf >> 32)) : counts[at];
    }
    counts[first + i] = sum;
  }
};

/// Counts the voxels below all nodes, level by level: the children of a node are of the level before.
template <class Executor>
void count_tree_voxels(const Executor& ex, const VoxelTreeView& tree, const TreeCounts& levels, u64* counts) {
  u64 first = 0;
  for (u32 level = 0; level < tree.level_count; ++level) {
    for_each(ex, "octree: count voxels", levels.nodes[level], CountTreeNode{tree, first, level == 0, counts});
    first += levels.nodes[level];
  }
}

template <class Executor>
u64 octree_scratch_bytes(const Executor& ex, u64 n, u32 level_count) {
  return larger(u64(radix_sort_pairs_scratch_bytes<u64, u32>(ex, n, BitRange{0, 3 * (level_count - 1) + 1})),
                larger(u64(scan_scratch_bytes<u64>(ex, n)), u64(reduce_scratch_bytes<u64>(ex, n))));
}

template void order_tree_bricks(const BodyExecutor&, const BrickArrays&, u32, const TreeOrder&, TreeCounts*);
template void write_octree(const BodyExecutor&, const BrickArrays&, const TreeOrder&, u32, const TreeCounts&, u64*,
                           const TreeMemory&);
template void count_tree_voxels(const BodyExecutor&, const VoxelTreeView&, const TreeCounts&, u64*);
template u64 octree_scratch_bytes(const BodyExecutor&, u64, u32);

}  // namespace copse::detail
