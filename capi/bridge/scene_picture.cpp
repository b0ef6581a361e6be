// Pictures of scenes.

#include "capi/scene_picture.h"

#include <algorithm>
#include <cstring>

#include "capi/bridge/render.h"
#include "capi/bridge/triangles.h"
#include "primitives/core/counted.h"
#include "scene/scene_render.h"

using namespace copse;
using namespace copse::capi;

namespace {

/// Adds a mesh to a scene, with a material for each part.
void add_mesh(Context& context, const copse_scene_mesh& given, SceneFile& file) {
  JoinedMesh joined = join(context, given.geometries, given.geometry_count);
  SceneMesh mesh{{}, std::move(joined.mesh), std::move(joined.parts), {}};
  for (size_t part = 0; part < mesh.parts.size(); ++part) {
    if (mesh.parts[part].geometry != part) {
      refuse("geometry " + std::to_string(part) + " of mesh " + std::to_string(file.meshes.size()) +
             " has the id " + std::to_string(mesh.parts[part].geometry) +
             "; a picture of a scene needs ids that count from 0");
    }
    SceneMaterial material;
    if (given.colours != nullptr) std::copy_n(given.colours + 4 * part, 4, material.base_colour);
    mesh.materials.push_back(u32(file.materials.size()));
    file.materials.push_back(std::move(material));
  }
  file.meshes.push_back(std::move(mesh));
}

/// Returns instances of a caller on the host. Throws: Error invalid_argument if one names a mesh that does not exist.
std::vector<Instance> instances_on_host(Context& context, const copse_instance* given, u64 count,
                                        copse_memory memory, u64 mesh_count) {
  static_assert(sizeof(copse_instance) == sizeof(Instance));
  check_array("instances", given, count, sizeof(Instance), memory, alignof(Instance));
  std::vector<Instance> all(count);
  if (count == 0) return all;
  if (memory == COPSE_MEMORY_HOST || reads_host(context)) {
    std::memcpy(static_cast<void*>(all.data()), given, count * sizeof(Instance));
  } else {
    copse::detail::download_bytes(context.parts(), all.data(), given, count * sizeof(Instance));
  }
  for (u64 i = 0; i < count; ++i) {
    if (all[i].accel < mesh_count) continue;
    refuse("instance " + std::to_string(i) + " is of mesh " + std::to_string(all[i].accel) + ", but there are " +
           std::to_string(mesh_count));
  }
  return all;
}

}  // namespace

copse_status copse_scene_render(copse_context* context, const copse_scene* scene, const copse_scene_mesh* meshes,
                                uint64_t mesh_count, const copse_instance* instances, uint64_t instance_count,
                                copse_memory instances_memory, const copse_camera* camera,
                                const copse_render_options* options, uint8_t* pixels) {
  return run("copse_scene_render", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    if (mesh_count != scene->accel_count || instance_count != object.instance_count()) {
      refuse(copse::detail::counted(mesh_count, "meshes") + " and " +
             copse::detail::counted(instance_count, "instances") + ", but the scene has " +
             std::to_string(scene->accel_count) + " and " + std::to_string(object.instance_count()));
    }
    if (mesh_count > 0) require(meshes, "the meshes");
    SceneFile file;
    for (u64 i = 0; i < mesh_count; ++i) add_mesh(c, meshes[i], file);
    file.instances = instances_on_host(c, instances, instance_count, instances_memory, mesh_count);
    store_picture(camera, options, pixels, [&](const Camera& from, const RenderOptions& of_picture) {
      return render(c, object, SceneMeshes(c, file), from, of_picture);
    });
  });
}
