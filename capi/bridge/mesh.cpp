// Meshes of files.

#include "builders/io/mesh_file.h"
#include "capi/bridge/arrays.h"
#include "capi/geometry.h"

namespace copse::capi {

copse_geometry geometry_of(std::span<const vec3> positions, std::span<const uvec3> triangles,
                           const std::vector<MeshPart>& parts, u64 number) {
  if (number >= parts.size()) {
    refuse("geometry " + std::to_string(number) + " was asked for, but the mesh has " +
           std::to_string(parts.size()));
  }
  u64 first = 0;
  for (u64 i = 0; i < number; ++i) first += parts[i].triangle_count;
  const MeshPart& part = parts[number];
  copse_geometry result = COPSE_GEOMETRY_INIT;
  result.positions = positions.empty() ? nullptr : &positions.data()->x;
  result.position_count = positions.size();
  result.indices = part.triangle_count == 0 ? nullptr : triangles.data() + first;
  result.triangle_count = part.triangle_count;
  result.id = part.geometry;
  result.mask = part.mask;
  return result;
}

}  // namespace copse::capi

using namespace copse;
using namespace copse::capi;

namespace {

copse_mesh* mesh_of_file(Mesh mesh, const MeshReport& report) {
  std::vector<MeshPart> parts = {{.triangle_count = mesh.triangles.size()}};
  return new copse_mesh{std::move(mesh), std::move(parts), report.message()};
}

}  // namespace

copse_status copse_mesh_load(const char* path, copse_mesh** mesh) {
  return run("copse_mesh_load", [&] {
    require(mesh, "the handle of the mesh");
    *mesh = nullptr;
    require(path, "the path");
    MeshReport report;
    Mesh loaded = load_mesh(path, {}, &report);
    *mesh = mesh_of_file(std::move(loaded), report);
  });
}

copse_status copse_mesh_parse(const void* bytes, uint64_t size, const char* name, copse_mesh** mesh) {
  return run("copse_mesh_parse", [&] {
    require(mesh, "the handle of the mesh");
    *mesh = nullptr;
    check_array("bytes", bytes, size, 1, COPSE_MEMORY_HOST, 1);
    MeshReport report;
    Mesh parsed =
        parse_mesh({static_cast<const char*>(bytes), size_t(size)}, {}, &report, name == nullptr ? "mesh" : name);
    *mesh = mesh_of_file(std::move(parsed), report);
  });
}

void copse_mesh_destroy(copse_mesh* mesh) {
  delete mesh;
}

uint64_t copse_mesh_geometry_count(const copse_mesh* mesh) {
  return mesh == nullptr ? 0 : mesh->parts.size();
}

copse_status copse_mesh_geometry(const copse_mesh* mesh, uint64_t number, copse_geometry* geometry) {
  return run("copse_mesh_geometry", [&] {
    require(mesh, "the mesh");
    const copse_geometry result = geometry_of(mesh->positions, mesh->triangles, mesh->parts, number);
    write_struct("the geometry", result, geometry);
  });
}

const char* copse_mesh_message(const copse_mesh* mesh) {
  return mesh == nullptr ? "" : mesh->message.c_str();
}
