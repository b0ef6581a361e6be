#pragma once

// The bytes of a tree file; docs/guide/tree-file.md describes them for other programs.

#include <span>

#include "builders/geometry/aabb.h"
#include "builders/io/structure/block_sums.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/tree_file.h"

namespace copse::detail {

inline constexpr char tree_magic[8] = {'C', 'O', 'P', 'S', 'T', '\r', '\n', '\x1a'};
/// Version 1 had one checksum of all bytes. Version 2 has one per block.
inline constexpr u32 tree_version = 2;

struct TreeHeader {
  char magic[8];
  u32 version;
  u32 kind;
  u64 file_bytes;
  u64 checksum;  // of the table of block sums; in version 1 of the whole file, with 0 here
  u64 vertex_count;
  u64 triangle_count;  // 0 for trees of points
  u64 node_count;      // 0 for a kd-tree of points, whose nodes are its points
  u64 id_count;
  u64 element_count;  // points or triangles in the tree
  u32 depth;          // of a kd-tree of triangles, else 0
  u32 zero;
  Aabb bounds;  // zeros for a kd-tree of points
  u32 zeros[6];
};

static_assert(sizeof(TreeHeader) == 128);
static_assert(offsetof(TreeHeader, checksum) == structure_checksum_at);

/// Returns the bytes per node of a kind of tree.
constexpr u64 tree_node_bytes(TreeKind kind) {
  return kind == TreeKind::point_bvh ? sizeof(PointNode) : kind == TreeKind::sah_kd_tree ? sizeof(SahKdNode) : 0;
}

/// The places of the arrays in the file. Each begins at a multiple of 32 bytes; bytes between them are 0.
struct TreeLayout {
  u64 positions, triangles, nodes, ids;  // offsets in bytes
  u64 content_bytes;                     // up to the table of block sums, which version 1 does not have
  u64 file_bytes;

  /// Returns the layout for counts of at most 2^34 each.
  static constexpr TreeLayout of(const TreeHeader& header) {
    TreeLayout at{};
    at.positions = sizeof(TreeHeader);
    at.triangles = StructureLayout::padded(at.positions + header.vertex_count * sizeof(vec3));
    at.nodes = StructureLayout::padded(at.triangles + header.triangle_count * sizeof(uvec3));
    at.ids = StructureLayout::padded(at.nodes + header.node_count * tree_node_bytes(TreeKind(header.kind)));
    at.content_bytes = StructureLayout::padded(at.ids + header.id_count * sizeof(u32));
    at.file_bytes = header.version < tree_version ? at.content_bytes : with_block_table(at.content_bytes);
    return at;
  }
};

/// The content of a tree file on the host. All of its arrays may be empty.
struct TreeArrays {
  TreeHeader header;
  std::span<const vec3> positions;
  std::span<const uvec3> triangles = {};
  std::span<const PointNode> point_nodes = {};  // of a point BVH, depth by depth, without those that are not there
  std::span<const SahKdNode> kd_nodes = {};     // of a kd-tree of triangles
  std::span<const u32> ids = {};                // points in the order of the tree; the lists of leaves
};

/// Returns the first fault, with value and limit, or an empty string. Without a fault, every walk over the tree ends and
/// reads nothing outside the arrays: counts fit each other; ids are in range, and those of points distinct; points and
/// triangles of the tree are finite, and no other is; numbers of nodes are; each node of a kd-tree of triangles is
/// below one other and in 60 levels, and each entry of a list is in one leaf. The sizes of the spans must fit the
/// header.
std::string find_tree_fault(const TreeArrays& tree);

}  // namespace copse::detail
