#pragma once

// The bytes of a structure file; docs/guide/structure-file.md describes them for other programs.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/io/structure/block_sums.h"

namespace copse::detail {

static_assert(std::endian::native == std::endian::little, "structure files are little-endian");

/// "COPSE", then line ends and an end-of-file mark that a transfer as text would damage.
inline constexpr char structure_magic[8] = {'C', 'O', 'P', 'S', 'E', '\r', '\n', '\x1a'};
/// Files are written in this version. Its blocks have checksums of their own, and its arrays stand as a tree in memory
/// has them, so that a file can be mapped.
inline constexpr u32 structure_version = 4;

/// A file of this older version holds an Accel. Versions 1 and 2 hold a binary tree.
inline constexpr u32 old_accel_version = 3;

/// What a file holds: a binary tree and perhaps a wide one, or a mesh in parts and a wide tree with its triangles.
enum class StructureContents : u32 { tree = 1, accel = 2 };

struct StructureHeader {
  char magic[8];
  u32 version;
  u32 header_bytes;  // 96 in version 1, else 128
  u64 file_bytes;
  u64 checksum;  // of the table of block sums; before version 4 of the whole file, with 0 here
  u64 vertex_count;
  u64 triangle_count;
  BvhCounts counts;
  u32 morton_bits;
  u32 max_leaf_size;
  char builder[24];  // the name, then zeros, at least one
};

static_assert(sizeof(StructureHeader) == 96);

/// Where the checksum stands in the header of every kind of file.
inline constexpr u64 structure_checksum_at = 24;
static_assert(offsetof(StructureHeader, checksum) == structure_checksum_at);

/// Follows the header from version 2 on. A tree may have a wide tree beside it; an Accel has a wide one alone.
struct StructureWideHeader {
  u32 layout = 0;  // 1: Bvh4, 2: CompressedBvh4, 3: CompressedBvh8; 0 for none
  u32 node_count = 0;
  u32 quality = 0;                                       // that of an Accel, else 0
  u32 part_count = 0;                                    // the parts of the mesh of an Accel, else 0
  StructureContents contents = StructureContents::tree;  // from version 4 on; the reader sets it for older ones
  u32 has_masks = 0;  // from version 4 on: 1 if the triangles of an Accel have masks, else 0
  u32 zeros[2] = {};

  static constexpr u32 max_layout = 3;
  static constexpr u32 accel_layout = 2;
  static constexpr u32 max_quality = 2;
};

static_assert(sizeof(StructureWideHeader) == 32);

/// Triangles of the mesh that follow each other: a view that the Accel was built over.
struct StructurePart {
  u64 triangle_count;
  u32 geometry;
  u32 mask;
};

static_assert(sizeof(StructurePart) == 16);

/// Returns the bytes per node in a layout; 0 for no layout.
constexpr u64 wide_node_bytes(u32 layout) {
  constexpr u64 bytes[] = {0, sizeof(Bvh4Node), sizeof(CompressedBvh4Node), sizeof(CompressedBvh8Node)};
  return bytes[layout];
}

/// The places of the arrays in the file. Bytes between them are 0.
struct StructureLayout {
  /// Arrays begin at multiples of this: in version 4 that of a MemoryResource, so that they can be used where they are.
  static constexpr u64 alignment = 256;
  static constexpr u64 old_alignment = 32;

  u64 node_count;  // 1 more than counts.node_count for a tree without primitives: its root. 0 for an Accel
  u64 pair_count;
  u64 id_count;
  u64 wide_node_count;
  u64 wide_id_count;  // 0 for an Accel of version 4, whose packed triangles have the ids
  u64 packed_count;  // of an Accel of version 4: one per triangle of the mesh, or more with splits; those left out are 0
  u64 mask_count;
  u64 nodes, parents, primitive_ids, positions, triangles;  // offsets in bytes
  u64 wide_nodes, wide_parents, wide_primitive_ids, packed, masks, parts;
  u64 content_bytes;  // up to the table of block sums, which older versions do not have
  u64 file_bytes;

  /// Returns the layout for counts of at most 2^32 each; wide.layout must be valid, and wide.contents set.
  static constexpr StructureLayout of(const StructureHeader& header, const StructureWideHeader& wide) {
    const BvhCounts& counts = header.counts;
    const bool is_old = header.version < structure_version, is_accel = wide.contents == StructureContents::accel;
    const u64 step = is_old ? old_alignment : alignment;
    StructureLayout at{};
    at.node_count = is_accel ? 0 : counts.node_count == 0 ? 1 : counts.node_count;
    at.pair_count = at.node_count == 0 ? 0 : (at.node_count - 1) / 2;
    at.id_count = is_accel ? 0 : counts.primitive_count;
    at.wide_node_count = wide.layout > 0 && wide.node_count == 0 ? 1 : wide.node_count;
    const u64 place_count = u64{counts.primitive_count} + counts.invalid_count;
    at.packed_count = !is_accel || is_old ? 0 : std::max(header.triangle_count, place_count);
    at.wide_id_count = wide.layout > 0 && at.packed_count == 0 ? counts.primitive_count : 0;
    at.mask_count = wide.has_masks != 0 ? at.packed_count : 0;

    at.nodes = padded(sizeof(StructureHeader) + (header.version > 1 ? sizeof(StructureWideHeader) : 0), step);
    at.parents = padded(at.nodes + at.node_count * sizeof(BvhNode), step);
    at.primitive_ids = padded(at.parents + at.pair_count * sizeof(u32), step);
    at.positions = padded(at.primitive_ids + at.id_count * sizeof(u32), step);
    at.triangles = padded(at.positions + header.vertex_count * sizeof(vec3), step);
    at.wide_nodes = padded(at.triangles + header.triangle_count * sizeof(uvec3), step);
    at.wide_parents = padded(at.wide_nodes + at.wide_node_count * wide_node_bytes(wide.layout), step);
    at.wide_primitive_ids = padded(at.wide_parents + at.wide_node_count * sizeof(u32), step);
    at.packed = padded(at.wide_primitive_ids + at.wide_id_count * sizeof(u32), step);
    at.masks = padded(at.packed + at.packed_count * sizeof(PackedTriangle), step);
    at.parts = padded(at.masks + at.mask_count * sizeof(u32), step);
    at.content_bytes = padded(at.parts + wide.part_count * sizeof(StructurePart), step);
    at.file_bytes = is_old ? at.content_bytes : with_block_table(at.content_bytes);
    return at;
  }

  static constexpr u64 padded(u64 bytes, u64 step = old_alignment) { return (bytes + step - 1) / step * step; }
};

/// The checksum of files before block sums: 64 bits over 8-byte words. With all other words fixed, the result is a one-to-one function of any
/// one word, so a change within one word is always detected.
class StructureChecksum {
 public:
  ///   bytes: their number is a multiple of 8
  void add(std::span<const char> bytes) {
    for (size_t i = 0; i < bytes.size(); i += 8) {
      u64 word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      add(word);
    }
  }
  constexpr void add(u64 word) {
    // The round of xxHash64; the rotation carries high bits down, where the next product spreads them.
    sum_ = std::rotl(sum_ ^ (word * 0xc2b2ae3d27d4eb4full), 31) * 0x9e3779b185ebca87ull;
  }
  constexpr u64 value() const { return sum_; }

  /// Returns the checksum of a whole file, whose own checksum counts as 0.
  static u64 of_file(std::span<const char> file) {
    StructureChecksum sum;
    sum.add(file.first(structure_checksum_at));
    sum.add(0);
    sum.add(file.subspan(structure_checksum_at + 8));
    return sum.value();
  }

 private:
  u64 sum_ = 0;
};

}  // namespace copse::detail
