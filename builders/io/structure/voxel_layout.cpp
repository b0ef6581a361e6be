#include "builders/io/structure/voxel_layout.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

static_assert(std::endian::native == std::endian::little, "voxel files are little-endian");

namespace {

void check_place(const std::filesystem::path& path, const VoxelHeader& header, VoxelContents contents) {
  const bool can_be_dense = contents == VoxelContents::voxels;
  if (!(can_be_dense && header.brick_edge == 0) && header.brick_edge != brick_edge) {
    throw_bad_file(path, "has bricks of " + std::to_string(header.brick_edge) +
                             " voxels along an edge; this Copse reads bricks of " + std::to_string(brick_edge));
  }
  const u32 most = header.brick_edge == 0 ? max_voxel_resolution : max_brick_voxels;
  for (const u32 cells : header.resolution) {
    if (cells < 1 || cells > most) {
      throw_bad_file(path,
                     "has a resolution of " + std::to_string(cells) + "; it can be 1 to " + std::to_string(most));
    }
  }
  const bool is_placed = std::isfinite(header.lo[0]) && std::isfinite(header.lo[1]) && std::isfinite(header.lo[2]);
  const bool has_size = header.edge > 0 && std::isfinite(header.edge) && std::isfinite(1 / header.edge);
  if (!is_placed || !has_size) throw_bad_file(path, "has voxels of no place or no size");
}

/// Checks the part of the header that older versions do not have, and the checksums, and returns what the file holds.
VoxelContents check_blocks(const std::filesystem::path& path, std::string_view file, const CancelToken& cancel) {
  constexpr u64 header_bytes = sizeof(VoxelHeader) + sizeof(VoxelBlockHeader);
  const u64 content_bytes = without_block_table(file.size());
  if (content_bytes < header_bytes || with_block_table(content_bytes) != file.size()) {
    throw_bad_file(path, "has " + counted(file.size(), "bytes") + "; headers of " +
                             counted(header_bytes, "bytes") + " and a table of checksums do not fit");
  }
  VoxelBlockHeader header;
  std::memcpy(&header, file.data() + sizeof(VoxelHeader), sizeof header);
  check_block_sums(path, file, content_bytes, voxel_checksum_at, header.checksum, cancel);
  if (header.contents != VoxelContents::voxels && header.contents != VoxelContents::tree) {
    throw_bad_file(path, "has contents of kind " + std::to_string(u32(header.contents)) +
                             "; it can be 1 (voxels) or 2 (a tree)");
  }
  return header.contents;
}

VoxelContents contents_of_old(u32 version) {
  return version == old_voxel_tree_version ? VoxelContents::tree : VoxelContents::voxels;
}

}  // namespace

void write_voxel_file(const std::filesystem::path& path, const GridShape& shape, VoxelHeader header,
                      VoxelContents contents, std::span<const FileArray> arrays, const CancelToken& cancel) {
  std::memcpy(header.magic, voxel_magic, sizeof voxel_magic);
  header.version = voxel_version;
  header.edge = 1 / shape.cells_per_unit.x;
  for (int axis = 0; axis < 3; ++axis) {
    header.lo[axis] = shape.lo[axis];
    header.resolution[axis] = shape.resolution[axis];
  }
  u64 content_bytes = sizeof header + sizeof(VoxelBlockHeader);
  for (const FileArray& array : arrays) content_bytes += array.size;
  header.file_bytes = with_block_table(content_bytes);
  const VoxelBlockHeader blocks{0, contents, 0};
  char bytes[sizeof header + sizeof blocks];
  std::memcpy(bytes, &header, sizeof header);
  std::memcpy(bytes + sizeof header, &blocks, sizeof blocks);
  write_in_blocks(path, bytes, voxel_checksum_at, 1, arrays, cancel);
}

VoxelBytes check_voxel_file(const std::filesystem::path& path, std::string_view file, const CancelToken& cancel) {
  VoxelBytes voxels{};
  VoxelHeader& header = voxels.header;
  if (file.size() < sizeof header || std::memcmp(file.data(), voxel_magic, sizeof voxel_magic) != 0)
    throw_bad_file(path, "is not a voxel file");
  std::memcpy(&header, file.data(), sizeof header);
  if (header.version < 1 || header.version > voxel_version) {
    throw_bad_file(path, "has version " + std::to_string(header.version) + "; this Copse reads versions 1 to " +
                             std::to_string(voxel_version));
  }
  if (header.file_bytes != file.size()) {
    throw_bad_file(
        path, "has " + counted(file.size(), "bytes") + "; the header says " + std::to_string(header.file_bytes));
  }
  if (header.version < voxel_version) {
    voxels.contents = contents_of_old(header.version);
    voxels.arrays = file.substr(sizeof header);
  } else {
    voxels.contents = check_blocks(path, file, cancel);
    voxels.arrays = file.substr(0, without_block_table(file.size()));
    voxels.arrays.remove_prefix(sizeof header + sizeof(VoxelBlockHeader));
  }
  check_place(path, header, voxels.contents);
  return voxels;
}

std::optional<VoxelContents> voxel_contents(const std::filesystem::path& path) {
  VoxelHeader header{};
  VoxelBlockHeader blocks{};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_bad_file(path, "cannot be opened");
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  file.read(reinterpret_cast<char*>(&blocks), sizeof blocks);
  if (std::memcmp(header.magic, voxel_magic, sizeof voxel_magic) != 0) return {};
  return header.version < voxel_version ? contents_of_old(header.version) : blocks.contents;
}

GridShape shape_of(const VoxelHeader& header) {
  return {dvec3(header.lo[0], header.lo[1], header.lo[2]), dvec3(1 / header.edge),
          uvec3(header.resolution[0], header.resolution[1], header.resolution[2])};
}

}  // namespace copse::detail
