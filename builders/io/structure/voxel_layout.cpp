#include "builders/io/structure/voxel_layout.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

static_assert(std::endian::native == std::endian::little, "voxel files are little-endian");

VoxelHeader voxel_header(const GridShape& shape, u32 version) {
  VoxelHeader header{};
  std::memcpy(header.magic, voxel_magic, sizeof voxel_magic);
  header.version = version;
  header.edge = 1 / shape.cells_per_unit.x;
  for (int axis = 0; axis < 3; ++axis) {
    header.lo[axis] = shape.lo[axis];
    header.resolution[axis] = shape.resolution[axis];
  }
  return header;
}

void check_voxel_header(const std::filesystem::path& path, const VoxelHeader& header, u64 file_bytes) {
  const auto refuse = [&](const std::string& what) { throw_bad_file(path, what); };
  if (std::memcmp(header.magic, voxel_magic, sizeof voxel_magic) != 0) refuse("is not a voxel file");
  if (header.version < 1 || header.version > voxel_tree_version) {
    refuse("has version " + std::to_string(header.version) + "; this Copse reads versions 1 to " +
           std::to_string(voxel_tree_version));
  }
  if (header.file_bytes != file_bytes) {
    refuse("has " + std::to_string(file_bytes) + " bytes; the header says " + std::to_string(header.file_bytes));
  }
  const bool can_be_dense = header.version < voxel_tree_version;
  if (!(can_be_dense && header.brick_edge == 0) && header.brick_edge != brick_edge) {
    refuse("has bricks of " + std::to_string(header.brick_edge) +
           " voxels along an edge; this Copse reads bricks of " + std::to_string(brick_edge));
  }
  const u32 most = header.brick_edge == 0 ? max_voxel_resolution : max_brick_voxels;
  for (const u32 cells : header.resolution) {
    if (cells < 1 || cells > most) {
      refuse("has a resolution of " + std::to_string(cells) + "; it can be 1 to " + std::to_string(most));
    }
  }
  const bool is_placed = std::isfinite(header.lo[0]) && std::isfinite(header.lo[1]) && std::isfinite(header.lo[2]);
  const bool has_size = header.edge > 0 && std::isfinite(header.edge) && std::isfinite(1 / header.edge);
  if (!is_placed || !has_size) refuse("has voxels of no place or no size");
}

GridShape shape_of(const VoxelHeader& header) {
  return {dvec3(header.lo[0], header.lo[1], header.lo[2]), dvec3(1 / header.edge),
          uvec3(header.resolution[0], header.resolution[1], header.resolution[2])};
}

}  // namespace copse::detail
