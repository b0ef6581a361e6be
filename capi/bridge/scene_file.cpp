// Scenes of glTF files.

#include "capi/scene_file.h"

#include <algorithm>

#include "capi/bridge/call.h"
#include "scene/scene_file.h"

using namespace copse;
using namespace copse::capi;

struct copse_scene_file {
  SceneFile content;
  std::string message;
};

copse_status copse_scene_file_load(const char* path, copse_scene_file** file) {
  return run("copse_scene_file_load", [&] {
    require(file, "the handle of the file");
    *file = nullptr;
    require(path, "the path");
    auto loaded = std::make_unique<copse_scene_file>();
    loaded->content = load_scene(path);
    loaded->message = loaded->content.left_out.message();
    *file = loaded.release();
  });
}

void copse_scene_file_destroy(copse_scene_file* file) {
  delete file;
}

uint64_t copse_scene_file_mesh_count(const copse_scene_file* file) {
  return file == nullptr ? 0 : file->content.meshes.size();
}

uint64_t copse_scene_file_geometry_count(const copse_scene_file* file, uint64_t mesh) {
  return mesh < copse_scene_file_mesh_count(file) ? file->content.meshes[mesh].parts.size() : 0;
}

copse_status copse_scene_file_geometry(const copse_scene_file* file, uint64_t mesh, uint64_t number,
                                       copse_geometry* geometry, float* colour) {
  return run("copse_scene_file_geometry", [&] {
    require(file, "the file");
    if (mesh >= file->content.meshes.size()) {
      refuse("mesh " + std::to_string(mesh) + " was asked for, but the file has " +
             std::to_string(file->content.meshes.size()));
    }
    const SceneMesh& of_file = file->content.meshes[mesh];
    copse_geometry result = geometry_of(of_file.mesh.positions, of_file.mesh.triangles, of_file.parts, number);
    if (colour != nullptr) {
      const SceneMaterial& material = file->content.materials[of_file.materials[number]];
      std::copy_n(material.base_colour, 4, colour);
    }
    write_struct("the geometry", result, geometry);
  });
}

const char* copse_scene_file_mesh_name(const copse_scene_file* file, uint64_t mesh) {
  return mesh < copse_scene_file_mesh_count(file) ? file->content.meshes[mesh].name.c_str() : nullptr;
}

uint64_t copse_scene_file_instance_count(const copse_scene_file* file) {
  return file == nullptr ? 0 : file->content.instances.size();
}

const copse_instance* copse_scene_file_instances(const copse_scene_file* file) {
  static_assert(sizeof(copse_instance) == sizeof(Instance));
  if (copse_scene_file_instance_count(file) == 0) return nullptr;
  return reinterpret_cast<const copse_instance*>(file->content.instances.data());
}

const char* copse_scene_file_instance_name(const copse_scene_file* file, uint64_t instance) {
  if (instance >= copse_scene_file_instance_count(file)) return nullptr;
  return file->content.instance_names[instance].c_str();
}

const char* copse_scene_file_message(const copse_scene_file* file) {
  return file == nullptr ? "" : file->message.c_str();
}
