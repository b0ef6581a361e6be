#pragma once

// The bytes of a voxel file; docs/guide/voxel-file.md describes them for other programs.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "builders/grid/voxel_tree_layout.h"
#include "builders/io/structure/block_sums.h"

namespace copse::detail {

inline constexpr char voxel_magic[8] = {'C', 'O', 'P', 'S', 'V', '\r', '\n', '\x1a'};

/// Files are written in this version, which has checksums of blocks.
inline constexpr u32 voxel_version = 4;

/// Older versions have no checksums. 1: voxels, with keys of 32 bits; 2: voxels, with keys of 64 bits; 3: an octree or
/// a DAG.
inline constexpr u32 old_voxel_tree_version = 3;

/// What a file of version 4 holds. Keys have 64 bits.
enum class VoxelContents : u32 { voxels = 1, tree = 2 };

struct VoxelHeader {
  char magic[8];
  u32 version;
  u32 brick_edge;  // 0 for a dense grid
  u64 file_bytes;
  u64 brick_count;  // of a DAG: at all places
  double lo[3];
  double edge;  // of a voxel
  u32 resolution[3];
  u32 zero;
};

/// Follows the header from version 4 on.
struct VoxelBlockHeader {
  u64 checksum;  // of the table of block sums
  VoxelContents contents;
  u32 zero;
};

/// Follows in the file of a tree. Then come nodes, leaves and links.
struct VoxelTreeHeader {
  u32 kind;  // 1: octree, 2: DAG
  u32 level_count;
  u64 link_count, leaf_count;
  u64 level_nodes[max_voxel_levels];
};

static_assert(sizeof(VoxelHeader) == 80 && sizeof(VoxelBlockHeader) == 16 && sizeof(VoxelTreeHeader) == 136);

/// Where the checksum stands in the file.
inline constexpr u64 voxel_checksum_at = sizeof(VoxelHeader) + offsetof(VoxelBlockHeader, checksum);

/// The arrays of a file of voxels, behind all headers but that of a tree.
struct VoxelBytes {
  VoxelHeader header;
  VoxelContents contents;
  std::string_view arrays;
};

/// Writes voxels or a tree in the current version.
///   header: its magic, version, place and file_bytes are filled in
///   arrays: in the order of the file, each of a multiple of 4 bytes; the next one follows without a gap
/// Throws: Error bad_file, Error cancelled.
void write_voxel_file(const std::filesystem::path& path, const GridShape& shape, VoxelHeader header,
                      VoxelContents contents, std::span<const FileArray> arrays, const CancelToken& cancel);

/// Checks the headers of a file of any version, and its checksums, but not brick_count.
/// Throws: Error bad_file, Error cancelled.
VoxelBytes check_voxel_file(const std::filesystem::path& path, std::string_view file, const CancelToken& cancel);

/// Returns what a file holds by its first bytes, or nothing if it is no voxel file.
std::optional<VoxelContents> voxel_contents(const std::filesystem::path& path);

/// Returns the grid of a header that was checked.
GridShape shape_of(const VoxelHeader& header);

}  // namespace copse::detail
