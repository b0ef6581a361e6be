#pragma once

// How a grid of NanoVDB lies in memory: the trees of OpenVDB for GPUs, which other programs read.
//
//   grid | tree | root | tiles of the root | upper nodes | lower nodes | leaves
//
// A tile of the root covers 4096 voxels along an edge, an upper node has 32 x 32 x 32 children, a lower node 16 x 16 x
// 16, and a leaf 8 x 8 x 8 voxels. The nodes of a level follow each other in the order of their parents, and the
// children of a parent in the order of their numbers. Numbers count along z first: child (x, y, z) of a lower node is
// 256 x + 16 y + z. All numbers are little-endian, and all nodes begin at multiples of 32 bytes.
//
// Source: Museth, "NanoVDB: A GPU-Friendly and Portable VDB Data Structure for Real-Time Rendering and Simulation",
// SIGGRAPH Talks 2021, and the header of version 32 in OpenVDB.

#include "builders/grid/layout.h"

namespace copse {

/// The values that voxels have. The numbers are those of NanoVDB's GridType.
enum class NanoType : u32 {
  /// A float for each voxel of a leaf, and one background for all others.
  floats = 1,
  /// No values: a voxel is set or not.
  mask = 8,
  /// Set voxels have the numbers 1, 2, 3 and on, leaf by leaf, as indices into arrays of your own; all others have 0.
  index = 20,
};

namespace detail {

/// "NanoVDB0", the first of three magic numbers: readers of all versions 32 know it.
inline constexpr u64 nano_magic = 0x304244566f6e614e;
inline constexpr u64 nano_grid_magic = 0x314244566f6e614e;  // "NanoVDB1", of grids since 32.7
inline constexpr u64 nano_file_magic = 0x324244566f6e614e;  // "NanoVDB2", of files since 32.7

/// A version packed as major, minor and patch. Grids of indices to set voxels alone came with 32.6.
COPSE_HD inline constexpr u32 nano_version(u32 major, u32 minor, u32 patch) {
  return major << 21 | minor << 10 | patch;
}
inline constexpr u32 nano_major = 32;

/// A grid has no checksum if all of its bits are set.
inline constexpr u64 no_nano_checksum = ~u64{0};

inline constexpr u32 nano_breadth_first = 1 << 5;  // a flag of grids

/// Maps voxels to space: point = scale * voxel + origin. Voxel (0, 0, 0) has its centre at the origin.
struct NanoMap {
  float matrix[9], inverse[9], origin[3], taper;
  double matrix_double[9], inverse_double[9], origin_double[3], taper_double;
};

struct NanoGridData {
  u64 magic, checksum;
  u32 version, flags, grid_index, grid_count;
  u64 bytes;
  char name[256];
  NanoMap map;
  double world_lo[3], world_hi[3], voxel_size[3];
  u32 grid_class, type;
  i64 blind_offset;
  u32 blind_count, zero;
  u64 value_count, zero_too;
};

struct NanoTreeData {
  u64 offsets[4];      // of the first leaf, lower node, upper node, and of the root, from here
  u32 counts[3];       // of leaves, lower and upper nodes
  u32 tile_counts[3];  // active tiles; Copse writes none
  u64 voxel_count;     // active ones
};

/// The begin of a root. The background and other values follow.
struct NanoRootHead {
  i32 lo[3], hi[3];  // the box of set voxels, both ends included
  u32 tile_count;
  u32 background;  // of floats
};

struct NanoTile {
  u64 key;    // (x << 42 | y << 21 | z) of the tile's place
  i64 child;  // from the root to its upper node
  u32 state;
  float value;
  u64 zero;
};

/// The begin of upper and lower nodes. Masks of values and of children follow, and then a table.
struct NanoNodeHead {
  i32 lo[3], hi[3];
  u64 flags;
};

struct NanoLeaf {
  i32 lo[3];
  u8 extent[3], flags;
  u64 mask[8];   // voxel (x, y, z) has bit 8 y + z of word x
  u64 offset;    // index: the number of the first set voxel
  u64 prefixes;  // index: how many voxels are set before word k, in 9 bits from 9 (k - 1) on, for k from 1 to 7
};

static_assert(sizeof(NanoMap) == 264 && sizeof(NanoGridData) == 672 && sizeof(NanoTreeData) == 64);
static_assert(sizeof(NanoRootHead) == 32 && sizeof(NanoTile) == 32 && sizeof(NanoNodeHead) == 32);
static_assert(sizeof(NanoLeaf) == 96);

/// The sizes of nodes with 2^(3 bits) children.
struct NanoNodeShape {
  u32 bits;

  COPSE_HD constexpr u64 child_count() const { return u64{1} << (3 * bits); }
  COPSE_HD constexpr u64 mask_bytes() const { return child_count() / 8; }
  COPSE_HD constexpr u64 value_mask() const { return sizeof(NanoNodeHead); }
  COPSE_HD constexpr u64 child_mask() const { return value_mask() + mask_bytes(); }
  COPSE_HD constexpr u64 table() const { return child_mask() + mask_bytes() + 32; }  // behind statistics
  COPSE_HD constexpr u64 bytes() const { return table() + 8 * child_count(); }
};

inline constexpr NanoNodeShape nano_upper{5}, nano_lower{4};
static_assert(nano_upper.bytes() == 270400 && nano_lower.bytes() == 33856);

/// Where the parts of a grid begin, in bytes.
struct NanoLayout {
  NanoType type;
  u64 leaf_count, lower_count, upper_count;

  COPSE_HD u64 leaf_bytes() const { return sizeof(NanoLeaf) + (type == NanoType::floats ? 2048 : 0); }
  COPSE_HD u64 tree() const { return sizeof(NanoGridData); }
  COPSE_HD u64 root() const { return tree() + sizeof(NanoTreeData); }
  COPSE_HD u64 tiles() const { return root() + (type == NanoType::index ? 96 : 64); }
  COPSE_HD u64 upper(u64 i) const { return tiles() + upper_count * sizeof(NanoTile) + i * nano_upper.bytes(); }
  COPSE_HD u64 lower(u64 i) const { return upper(upper_count) + i * nano_lower.bytes(); }
  COPSE_HD u64 leaf(u64 i) const { return lower(lower_count) + i * leaf_bytes(); }
  COPSE_HD u64 bytes() const { return leaf(leaf_count); }
};

/// The place of a leaf in the order of NanoVDB: the tile of the root, the child of the upper node, and that of the
/// lower node, each with z in its low bits.
///
///   0 ... 0 | tile x y z, 4 bits each | x y z, 5 bits each | x y z, 4 bits each
///           27                        12                   0
///
///   leaf: its lowest corner / 8; below 2^13 on each axis
COPSE_HD inline u64 nano_key(const uvec3& leaf) {
  const auto level = [&leaf](u32 shift, u32 bits) {
    const u32 mask = (1u << bits) - 1;
    return u64{leaf.x >> shift & mask} << (2 * bits) | u64{leaf.y >> shift & mask} << bits |
           (leaf.z >> shift & mask);
  };
  return level(9, 4) << 27 | level(4, 5) << 12 | level(0, 4);
}
inline constexpr u32 nano_key_bits = 39, nano_upper_key_bits = 27, nano_lower_key_bits = 12;

/// Returns the leaf of a key.
COPSE_HD inline uvec3 nano_leaf_of(u64 key) {
  const auto level = [key](u32 first, u32 bits, u32 shift) {
    const u32 mask = (1u << bits) - 1;
    return uvec3(u32(key >> (first + 2 * bits)) & mask, u32(key >> (first + bits)) & mask,
                 u32(key >> first) & mask)
           << shift;
  };
  return level(27, 4, 9) + level(12, 5, 4) + level(0, 4, 0);
}

/// Returns the bits of a brick in the order of a leaf's mask: voxel (x, y, z) moves from bit 64 z + 8 y + x to bit
/// 64 x + 8 y + z. Word x takes bit x of each byte:
///
///   word z of the brick:  y = 7: ...x...   ...   y = 1: ...x...   y = 0: ...x...
///   word x of the mask:   y = 7: ...z...   ...   y = 1: ...z...   y = 0: ...z...
///
/// The step is its own inverse.
COPSE_HD inline void turn_brick(const u64 (&from)[8], u64 (&to)[8]) {
  for (u32 x = 0; x < 8; ++x) {
    to[x] = 0;
    for (u32 z = 0; z < 8; ++z) to[x] |= (from[z] >> x & 0x0101010101010101u) << z;
  }
}

}  // namespace detail

}  // namespace copse
