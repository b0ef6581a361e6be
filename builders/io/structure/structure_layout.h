#pragma once

// The bytes of a structure file; docs/guide/structure-file.md describes them for other programs.

#include <bit>
#include <cstddef>
#include <span>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"

namespace copse::detail {

static_assert(std::endian::native == std::endian::little, "structure files are little-endian");

/// "COPSE", then line ends and an end-of-file mark that a transfer as text would damage.
inline constexpr char structure_magic[8] = {'C', 'O', 'P', 'S', 'E', '\r', '\n', '\x1a'};
inline constexpr u32 structure_version = 3;

/// A file of this version holds an Accel: a mesh in parts, and a wide tree without a binary one.
inline constexpr u32 accel_version = 3;

struct StructureHeader {
  char magic[8];
  u32 version;
  u32 header_bytes;  // 96
  u64 file_bytes;
  u64 checksum;  // of the whole file, with 0 here
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

/// Follows the header from version 2 on. Version 2 has a wide tree beside the binary one, version 3 has it alone.
struct StructureWideHeader {
  u32 layout;  // 1: Bvh4, 2: CompressedBvh4, 3: CompressedBvh8; 0 in a file of version 1
  u32 node_count;
  u32 quality;     // version 3: that of the Accel, else 0
  u32 part_count;  // version 3: the parts of the mesh, else 0
  u32 zeros[4];

  static constexpr u32 max_layout = 3;
  static constexpr u32 accel_layout = 2;
  static constexpr u32 max_quality = 2;
};

static_assert(sizeof(StructureWideHeader) == 32);

/// Triangles of the mesh that follow each other, in version 3: a view that the Accel was built over.
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

/// The places of the arrays in the file. Each begins at a multiple of 32 bytes; bytes between them are 0.
struct StructureLayout {
  static constexpr u64 alignment = 32;

  u64 node_count;  // 1 more than counts.node_count for a tree without primitives: its root. 0 from version 3 on
  u64 pair_count;
  u64 id_count;
  u64 wide_node_count;
  u64 nodes, parents, primitive_ids, positions, triangles;  // offsets in bytes
  u64 wide_nodes, wide_parents, wide_primitive_ids, parts;
  u64 file_bytes;

  /// Returns the layout for counts of at most 2^32 each; wide.layout must be valid.
  static constexpr StructureLayout of(const StructureHeader& header, const StructureWideHeader& wide) {
    const BvhCounts& counts = header.counts;
    StructureLayout at{};
    const bool is_binary = header.version < accel_version;
    at.node_count = !is_binary ? 0 : counts.node_count == 0 ? 1 : counts.node_count;
    at.pair_count = at.node_count == 0 ? 0 : (at.node_count - 1) / 2;
    at.id_count = is_binary ? counts.primitive_count : 0;
    at.wide_node_count = wide.layout > 0 && wide.node_count == 0 ? 1 : wide.node_count;
    at.nodes = padded(sizeof(StructureHeader) + (wide.layout > 0 ? sizeof(StructureWideHeader) : 0));
    at.parents = padded(at.nodes + at.node_count * sizeof(BvhNode));
    at.primitive_ids = padded(at.parents + at.pair_count * sizeof(u32));
    at.positions = padded(at.primitive_ids + at.id_count * sizeof(u32));
    at.triangles = padded(at.positions + header.vertex_count * sizeof(vec3));
    at.wide_nodes = padded(at.triangles + header.triangle_count * sizeof(uvec3));
    at.wide_parents = padded(at.wide_nodes + at.wide_node_count * wide_node_bytes(wide.layout));
    at.wide_primitive_ids = padded(at.wide_parents + at.wide_node_count * sizeof(u32));
    const u64 wide_id_count = wide.layout > 0 ? counts.primitive_count : 0;
    at.parts = padded(at.wide_primitive_ids + wide_id_count * sizeof(u32));
    at.file_bytes = padded(at.parts + wide.part_count * sizeof(StructurePart));
    return at;
  }

  static constexpr u64 padded(u64 bytes) { return (bytes + alignment - 1) / alignment * alignment; }
};

/// A checksum of 64 bits over 8-byte words. With all other words fixed, the result is a one-to-one function of any
/// one word, so a change within one word is always detected.
class StructureChecksum {
 public:
  ///   bytes: their number is a multiple of 8
  constexpr void add(std::span<const char> bytes) {
    for (size_t i = 0; i < bytes.size(); i += 8) {
      u64 word = 0;
      __builtin_memcpy(&word, bytes.data() + i, 8);
      add(word);
    }
  }
  constexpr void add(u64 word) {
    // The round of xxHash64; the rotation carries high bits down, where the next product spreads them.
    sum_ = std::rotl(sum_ ^ (word * 0xc2b2ae3d27d4eb4full), 31) * 0x9e3779b185ebca87ull;
  }
  constexpr u64 value() const { return sum_; }

  /// Returns the checksum of a whole file, whose own checksum counts as 0.
  static constexpr u64 of_file(std::span<const char> file) {
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
