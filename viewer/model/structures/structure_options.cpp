#include "viewer/model/structures/structure_options.h"

namespace copse::viewer {

namespace {

std::string tree_in_words(const StructureOptions& options) {
  const std::string splits =
      options.splits > 1 ? ", splits to " + std::to_string(options.splits).substr(0, 4) : "";
  if (quality_of(options.builder)) return std::string("Accel, ") + name_of(options.builder) + splits;
  std::string text = name_of(options.builder);
  if (options.layout != Layout::bvh2) text += std::string(", ") + name_of(options.layout);
  if (options.max_leaf_size != 1) text += ", leaves to " + std::to_string(options.max_leaf_size);
  text += splits;
  if (options.reinsertion_passes > 0) text += ", reinserted " + std::to_string(options.reinsertion_passes) + "x";
  return text;
}

std::string in_words(const uvec3& r) {
  return std::to_string(r.x) + " x " + std::to_string(r.y) + " x " + std::to_string(r.z);
}

std::string grid_in_words(const StructureOptions& options) {
  if (options.grid_resolution != uvec3(0)) return "grid, " + in_words(options.grid_resolution);
  return "grid, density " + std::to_string(options.density).substr(0, 4);
}

std::string points_in_words(const StructureOptions& options) {
  if (options.point_cell_size == 0)
    return "points, " + std::to_string(options.points_per_cell).substr(0, 4) + " per cell";
  return "points, cells of " + std::to_string(options.point_cell_size).substr(0, 5);
}

}  // namespace

std::string in_words(const StructureOptions& options) {
  switch (options.kind) {
    case StructureKind::bvh: return tree_in_words(options);
    case StructureKind::grid: return grid_in_words(options);
    case StructureKind::frustum: {
      const uvec3 r = options.frustum_resolution;
      return "frustum, " + in_words(r) + (options.frustum_follows ? "" : ", held");
    }
    case StructureKind::voxels:
      return "voxels, " + std::to_string(options.voxel_resolution) + ", " + name_of(options.rule);
    case StructureKind::file: return "as in the file";
    case StructureKind::bricks: return "bricks, " + std::to_string(options.brick_resolution);
    case StructureKind::octree: return "octree, " + std::to_string(options.brick_resolution);
    case StructureKind::dag: return "dag, " + std::to_string(options.brick_resolution);
    case StructureKind::points: return points_in_words(options);
    case StructureKind::kdtree: return "kd-tree, node cost " + std::to_string(options.traversal_cost).substr(0, 4);
  }
  return "unknown";
}

bool can_refit(const StructureOptions& options) {
  return options.kind == StructureKind::bvh || options.kind == StructureKind::file;
}

}  // namespace copse::viewer
