#include "scene/scene_meshes.h"

#include <string>

#include "primitives/core/counted.h"
#include "primitives/core/error.h"

namespace copse {

namespace {

/// The arrays of SceneMeshes on the host.
struct HostMeshes {
  std::vector<vec3> positions;
  std::vector<uvec3> triangles;
  std::vector<u32> mesh_first_part, part_first;
  std::vector<float> part_colours;
};

HostMeshes join(const SceneFile& file) {
  HostMeshes all;
  u64 vertex_count = 0, triangle_count = 0;
  for (const SceneMesh& mesh : file.meshes) {
    vertex_count += mesh.mesh.positions.size();
    triangle_count += mesh.mesh.triangles.size();
  }
  constexpr u64 max_count = ~u32{0};
  if (vertex_count > max_count || triangle_count > max_count) {
    throw Error(ErrorCode::capacity, "SceneMeshes: the meshes have " + detail::counted(vertex_count, "vertices") +
                                         " and " + std::to_string(triangle_count) +
                                         " triangles; at most 2^32 - 1 of each are possible");
  }
  all.positions.reserve(vertex_count);
  all.triangles.reserve(triangle_count);
  for (const SceneMesh& mesh : file.meshes) {
    const u32 first_vertex = u32(all.positions.size());
    u32 first_triangle = u32(all.triangles.size());
    all.mesh_first_part.push_back(u32(all.part_first.size()));
    for (size_t part = 0; part < mesh.parts.size(); ++part) {
      all.part_first.push_back(first_triangle);
      first_triangle += u32(mesh.parts[part].triangle_count);
      const float* const colour = file.materials[mesh.materials[part]].base_colour;
      all.part_colours.insert(all.part_colours.end(), colour, colour + 4);
    }
    all.positions.insert(all.positions.end(), mesh.mesh.positions.begin(), mesh.mesh.positions.end());
    for (const uvec3& corners : mesh.mesh.triangles) all.triangles.push_back(corners + first_vertex);
  }
  return all;
}

}  // namespace

SceneMeshes::SceneMeshes(Context& context, const SceneFile& file) : instances_(context, file.instances) {
  const HostMeshes all = join(file);
  positions_ = Buffer<vec3>(context, all.positions);
  triangles_ = Buffer<uvec3>(context, all.triangles);
  mesh_first_part_ = Buffer<u32>(context, all.mesh_first_part);
  part_first_ = Buffer<u32>(context, all.part_first);
  part_colours_ = Buffer<float>(context, all.part_colours);
  u64 first = 0;
  for (const SceneMesh& mesh : file.meshes) {
    const u64 count = mesh.mesh.triangles.size();
    const BufferSpan<const uvec3> triangles = triangles_.span().subspan(first, count);
    views_.push_back(detail::views_of(positions_.span(), triangles, mesh.parts));
    first += count;
  }
}

std::vector<Accel> build_accels(Context& context, const SceneMeshes& meshes, const AccelOptions& options) {
  std::vector<Accel> accels;
  accels.reserve(meshes.size());
  for (u64 i = 0; i < meshes.size(); ++i) accels.push_back(build(context, meshes.triangles(i), options));
  return accels;
}

}  // namespace copse
