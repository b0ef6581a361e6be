#pragma once

// The bytes of a structure file; docs/guide/structure-file.md describes them for other programs.

#include <bit>
#include <span>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"

namespace copse::detail {

static_assert(std::endian::native == std::endian::little, "structure files are little-endian");

/// "COPSE", then line ends and an end-of-file mark that a transfer as text would damage.
inline constexpr char structure_magic[8] = {'C', 'O', 'P', 'S', 'E', '\r', '\n', '\x1a'};
inline constexpr u32 structure_version = 2;

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

/// Follows the header in version 2, which is written if there is a wide tree beside the binary one.
struct StructureWideHeader {
  u32 layout;  // 1: Bvh4, 2: CompressedBvh4, 3: CompressedBvh8; 0 in a file of version 1
  u32 node_count;
  u32 zeros[6];

  static constexpr u32 max_layout = 3;
};

static_assert(sizeof(StructureWideHeader) == 32);

/// Returns the bytes per node in a layout; 0 for no layout.
constexpr u64 wide_node_bytes(u32 layout) {
  constexpr u64 bytes[] = {0, sizeof(Bvh4Node), sizeof(CompressedBvh4Node), sizeof(CompressedBvh8Node)};
  return bytes[layout];
}

/// The places of the arrays in the file. Each begins at a multiple of 32 bytes; bytes between them are 0.
struct StructureLayout {
  static constexpr u64 alignment = 32;

  u64 node_count;  // 1 more than counts.node_count for a tree without primitives: its root
  u64 pair_count;
  u64 wide_node_count;
  u64 nodes, parents, primitive_ids, positions, triangles;  // offsets in bytes
  u64 wide_nodes, wide_parents, wide_primitive_ids;
  u64 file_bytes;

  /// Returns the layout for counts of at most 2^32 each; wide.layout must be valid.
  static constexpr StructureLayout of(const StructureHeader& header, const StructureWideHeader& wide) {
    const BvhCounts& counts = header.counts;
    StructureLayout at{};
    at.node_count = counts.node_count == 0 ? 1 : counts.node_count;
    at.pair_count = (at.node_count - 1) / 2;
    at.wide_node_count = wide.layout > 0 && wide.node_count == 0 ? 1 : wide.node_count;
    at.nodes = padded(sizeof(StructureHeader) + (wide.layout > 0 ? sizeof(StructureWideHeader) : 0));
    at.parents = padded(at.nodes + at.node_count * sizeof(BvhNode));
    at.primitive_ids = padded(at.parents + at.pair_count * sizeof(u32));
    at.positions = padded(at.primitive_ids + u64{counts.primitive_count} * sizeof(u32));
    at.triangles = padded(at.positions + header.vertex_count * sizeof(vec3));
    at.wide_nodes = padded(at.triangles + header.triangle_count * sizeof(uvec3));
    at.wide_parents = padded(at.wide_nodes + at.wide_node_count * wide_node_bytes(wide.layout));
    at.wide_primitive_ids = padded(at.wide_parents + at.wide_node_count * sizeof(u32));
    const u64 wide_id_count = wide.layout > 0 ? counts.primitive_count : 0;
    at.file_bytes = padded(at.wide_primitive_ids + wide_id_count * sizeof(u32));
    return at;
  }

 private:
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

 private:
  u64 sum_ = 0;
};

}  // namespace copse::detail
