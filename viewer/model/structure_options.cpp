#include "viewer/model/structure_options.h"

namespace copse::viewer {

namespace {

std::string tree_in_words(const StructureOptions& options) {
  std::string text = name_of(options.builder);
  if (options.layout != Layout::bvh2) text += std::string(", ") + name_of(options.layout);
  return text + (options.max_leaf_size == 1 ? "" : ", leaves to " + std::to_string(options.max_leaf_size));
}

std::string grid_in_words(const StructureOptions& options) {
  const uvec3 r = options.grid_resolution;
  if (r == uvec3(0)) return "grid, density " + std::to_string(options.density).substr(0, 4);
  return "grid, " + std::to_string(r.x) + " x " + std::to_string(r.y) + " x " + std::to_string(r.z);
}

}  // namespace

std::string in_words(const StructureOptions& options) {
  switch (options.kind) {
    case StructureKind::bvh: return tree_in_words(options);
    case StructureKind::grid: return grid_in_words(options);
    case StructureKind::voxels:
      return "voxels, " + std::to_string(options.voxel_resolution) + ", " + name_of(options.rule);
    case StructureKind::bricks: return "bricks, " + std::to_string(options.brick_resolution);
  }
  return "unknown";
}

bool can_refit(const StructureOptions& options) {
  return options.kind == StructureKind::bvh;
}

}  // namespace copse::viewer
