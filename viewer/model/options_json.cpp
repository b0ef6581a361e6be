#include "viewer/model/options_json.h"

#include <glm/common.hpp>

namespace copse::viewer {

nlohmann::json to_json(const StructureOptions& options) {
  return {{"backend", name_of(options.backend)},
          {"kind", name_of(options.kind)},
          {"builder", name_of(options.builder)},
          {"layout", name_of(options.layout)},
          {"max_leaf_size", options.max_leaf_size},
          {"morton_bits", options.morton_bits},
          {"radius", options.radius},
          {"bin_count", options.bin_count},
          {"rotation_passes", options.rotation_passes},
          {"overlap", options.overlap},
          {"density", options.density},
          {"grid_resolution", json_of(options.grid_resolution)},
          {"voxel_resolution", options.voxel_resolution},
          {"rule", name_of(options.rule)},
          {"brick_resolution", options.brick_resolution}};
}

void read_options(const JsonReader& reader, StructureOptions& options) {
  reader.read("backend", options.backend);
  reader.read("kind", options.kind);
  reader.read("builder", options.builder);
  reader.read("layout", options.layout);
  reader.read("max_leaf_size", options.max_leaf_size, 1u, 32u);
  u32 morton_bits = options.morton_bits;
  reader.read("morton_bits", morton_bits, 0u, 63u);
  if (morton_bits == 0 || morton_bits >= 30) {
    options.morton_bits = morton_bits;
  } else {
    reader.complain("morton_bits", "0 or 30 to 63");
  }
  reader.read("radius", options.radius, 1u, 8u);
  reader.read("bin_count", options.bin_count, 2u, 32u);
  reader.read("rotation_passes", options.rotation_passes, 0u, 8u);
  reader.read("overlap", options.overlap);
  reader.read("density", options.density, 1e-6f, 1024.0f);
  vec3 resolution(options.grid_resolution);
  reader.read("grid_resolution", resolution);
  const uvec3 cells(glm::clamp(resolution, vec3(0), vec3(2048)));
  const bool has_zero = cells.x == 0 || cells.y == 0 || cells.z == 0;
  if (vec3(cells) == resolution && (!has_zero || cells == uvec3(0))) {
    options.grid_resolution = cells;
  } else {
    reader.complain("grid_resolution", "three of 1 to 2048, or all 0");
  }
  reader.read("voxel_resolution", options.voxel_resolution, 1u, most_voxel_resolution);
  reader.read("rule", options.rule);
  reader.read("brick_resolution", options.brick_resolution, 1u, 8192u);
}

}  // namespace copse::viewer
