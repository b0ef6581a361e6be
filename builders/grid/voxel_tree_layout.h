#pragma once

// How octrees of voxels lie in memory, and sparse voxel DAGs, which are octrees whose equal subtrees are stored once.
//
// A leaf has 4 x 4 x 4 voxels in 64 bits. A node of level 1 has up to eight leaves, one of level 2 up to eight nodes of
// level 1, and so on up to the root. Children are in Morton order: child x + 2 y + 4 z is the one towards (x, y, z).

#include "builders/grid/layout.h"

namespace copse {

/// A node of an octree of voxels.
struct VoxelNode {
  u32 first;  // octree: its first child; DAG: where its children begin in the list of links
  u32 mask;   // bit k: child k has a voxel. The other bits are 0.
};

/// A leaf has this many voxels along an edge; voxel (x, y, z) has bit x + 4 y + 16 z.
inline constexpr u32 voxel_leaf_edge = 4;

/// The highest level of a root: 4 * 2^14 voxels are 65,536.
inline constexpr u32 max_voxel_levels = 14;

/// Returns the number of bits of `mask` below bit `child`.
COPSE_HD inline u32 children_before(u32 mask, u32 child) {
  return population_count(mask & ((1u << child) - 1));
}

/// An octree of voxels or a DAG, in the context's memory.
struct VoxelTreeView {
  GridShape shape;                    // of the voxels
  BufferSpan<const VoxelNode> nodes;  // level by level from level 1 on; the last one is the root
  BufferSpan<const u32> links;        // DAG: the children of each node; octree: empty
  BufferSpan<const u64> leaves;
  u32 level_count;  // the level of the root, 1 to 14

  /// Returns child `child` of a node, as an index into nodes, or into leaves for a node of level 1.
  COPSE_HD u32 child_of(const VoxelNode& node, u32 child) const {
    const u32 at = node.first + children_before(node.mask, child);
    return links.empty() ? at : links.data()[at];
  }

  /// The node of level 1 over a brick, which has 8 voxels along each edge, or the reason why there is none.
  struct Brick {
    VoxelNode node;  // the mask is 0 if there is none
    u32 level;       // of the cube of 8 * 2^(level - 1) voxels around the brick that has no voxel; 1 for a brick
  };
  COPSE_HD Brick find_brick(const uvec3& brick) const {
    Brick found{{0, 0}, level_count};
    if (nodes.empty()) return found;
    found.node = nodes.data()[nodes.size() - 1];
    while (found.level > 1) {
      --found.level;
      const u32 bit = found.level - 1;
      const u32 child = (brick.x >> bit & 1) | (brick.y >> bit & 1) << 1 | (brick.z >> bit & 1) << 2;
      if ((found.node.mask >> child & 1) == 0) {
        found.node = {0, 0};
        return found;
      }
      found.node = nodes.data()[child_of(found.node, child)];
    }
    return found;
  }

  /// Returns true if voxel (x, y, z) of a brick is set.
  COPSE_HD bool is_set(const VoxelNode& brick, u32 x, u32 y, u32 z) const {
    const u32 child = x / 4 | y / 4 << 1 | z / 4 << 2;
    if ((brick.mask >> child & 1) == 0) return false;
    return (leaves.data()[child_of(brick, child)] >> (x % 4 | (y % 4) << 2 | (z % 4) << 4) & 1) != 0;
  }
};

}  // namespace copse
