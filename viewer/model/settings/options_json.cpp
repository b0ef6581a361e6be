#include "viewer/model/settings/options_json.h"

#include <glm/common.hpp>
#include <optional>

#include "builders/bvh/splits.h"
#include "builders/grid/frustum_layout.h"

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
          {"traversal_cost", options.traversal_cost},
          {"reinsertion_passes", options.reinsertion_passes},
          {"splits", options.splits},
          {"wide_leaf_size", options.wide_leaf_size},
          {"overlap", options.overlap},
          {"density", options.density},
          {"grid_resolution", json_of(options.grid_resolution)},
          {"voxel_resolution", options.voxel_resolution},
          {"rule", name_of(options.rule)},
          {"brick_resolution", options.brick_resolution},
          {"frustum_resolution", json_of(options.frustum_resolution)},
          {"frustum_follows", options.frustum_follows},
          {"points_per_cell", options.points_per_cell},
          {"point_cell_size", options.point_cell_size},
          {"ball_radius", options.ball_radius}};
}

namespace {

/// Reads three whole numbers up to `most`; none if it cannot.
std::optional<uvec3> read_whole(const JsonReader& reader, const char* name, const uvec3& value,
                                const uvec3& most) {
  vec3 read(value);
  reader.read(name, read);
  const uvec3 whole(glm::clamp(read, vec3(0), vec3(most)));
  if (vec3(whole) != read) return std::nullopt;
  return whole;
}

bool has_zero(const uvec3& v) {
  return v.x == 0 || v.y == 0 || v.z == 0;
}

void read_resolution(const JsonReader& reader, uvec3& resolution) {
  const std::optional<uvec3> read = read_whole(reader, "grid_resolution", resolution, uvec3(2048));
  if (read && (!has_zero(*read) || *read == uvec3(0))) {
    resolution = *read;
  } else {
    reader.complain("grid_resolution", "three numbers of 1 to 2048, or all 0");
  }
}

void read_frustum_resolution(const JsonReader& reader, uvec3& resolution) {
  const uvec3 most(max_frustum_tiles, max_frustum_tiles, max_frustum_slabs);
  const std::optional<uvec3> read = read_whole(reader, "frustum_resolution", resolution, most);
  if (read && !has_zero(*read)) {
    resolution = *read;
  } else {
    reader.complain("frustum_resolution", "two numbers of 1 to 512 and one of 1 to 256");
  }
}

}  // namespace

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
  reader.read("traversal_cost", options.traversal_cost, 0.1f, 10.0f);
  reader.read("reinsertion_passes", options.reinsertion_passes, 0u, 16u);
  reader.read("splits", options.splits, 1.0f, max_splits);
  reader.read("wide_leaf_size", options.wide_leaf_size, 0u, 32u);
  reader.read("overlap", options.overlap);
  reader.read("density", options.density, 1e-6f, 1024.0f);
  read_resolution(reader, options.grid_resolution);
  reader.read("voxel_resolution", options.voxel_resolution, 1u, max_voxel_resolution);
  reader.read("rule", options.rule);
  reader.read("brick_resolution", options.brick_resolution, 1u, 8192u);
  read_frustum_resolution(reader, options.frustum_resolution);
  reader.read("frustum_follows", options.frustum_follows);
  reader.read("points_per_cell", options.points_per_cell, 1e-3f, 1048576.0f);
  float cell_size = options.point_cell_size;
  reader.read("point_cell_size", cell_size, 0.0f, 1.0f);
  if (cell_size == 0 || cell_size >= min_point_cell) {
    options.point_cell_size = cell_size;
  } else {
    reader.complain("point_cell_size", "0 or 0.002 to 1");
  }
  reader.read("ball_radius", options.ball_radius, 1e-6f, 0.1f);
}

}  // namespace copse::viewer
