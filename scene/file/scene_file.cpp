// Loads a scene: the checked glTF model, the places of meshes, the meshes that are placed, then the instances.

#include "scene/scene_file.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <unordered_map>

#include "builders/io/whole_file.h"
#include "scene/file/gltf_meshes.h"
#include "scene/file/gltf_nodes.h"

namespace copse {

namespace fs = std::filesystem;

namespace {

std::vector<SceneMaterial> materials_of(const detail::GltfModel& model) {
  std::vector<SceneMaterial> materials;
  for (const auto& source : model.materials) {
    SceneMaterial material{.name = source.name};
    const std::vector<double>& colour = source.pbrMetallicRoughness.baseColorFactor;
    for (size_t i = 0; i < std::min(colour.size(), size_t{4}); ++i) material.base_colour[i] = float(colour[i]);
    materials.push_back(std::move(material));
  }
  return materials;
}

bool has_white_part(const std::vector<SceneMesh>& meshes, u64 material_count) {
  for (const SceneMesh& mesh : meshes) {
    for (const u32 material : mesh.materials) {
      if (material == material_count) return true;
    }
  }
  return false;
}

/// Reads the meshes that are placed and have triangles. Returns a map from the number of a mesh in the file to its
/// number among these.
std::unordered_map<u32, u32> read_meshes(const fs::path& path, const detail::GltfModel& model,
                                         const std::vector<detail::GltfPlacement>& placements,
                                         const LoadSceneOptions& options, SceneFile& file) {
  std::vector<bool> is_placed(model.meshes.size());
  for (const detail::GltfPlacement& placement : placements) is_placed[placement.mesh] = true;
  std::unordered_map<u32, u32> numbers;
  detail::MeshBytes bytes(path, options.max_bytes);
  for (u32 i = 0; i < is_placed.size(); ++i) {
    if (!is_placed[i]) continue;
    detail::throw_if_cancelled(path, options.cancel);
    SceneMesh mesh = detail::mesh_of(path, model, i, bytes, file.left_out);
    if (mesh.mesh.triangles.empty()) continue;
    numbers[i] = u32(file.meshes.size());
    file.meshes.push_back(std::move(mesh));
  }
  return numbers;
}

SceneFile scene_of(const fs::path& path, const detail::GltfModel& model, const LoadSceneOptions& options) {
  SceneFile file;
  const std::vector<detail::GltfPlacement> placements =
      detail::placements_of(path, model, options.scene, options.max_bytes);
  const std::unordered_map<u32, u32> numbers = read_meshes(path, model, placements, options, file);
  for (const detail::GltfPlacement& placement : placements) {
    const auto number = numbers.find(placement.mesh);
    if (number == numbers.end()) continue;
    Instance instance{.accel = number->second, .id = placement.node};
    std::copy(&placement.rows[0][0], &placement.rows[0][0] + 12, &instance.rows[0][0]);
    file.instances.push_back(instance);
    file.instance_names.push_back(model.nodes[placement.node].name);
  }
  file.left_out.animations = model.animations.size();
  if (file.instances.empty()) {
    const std::string cause = file.left_out.message();
    detail::throw_bad_file(
        path, "the scene has 0 triangles; at least 1 is needed" + (cause.empty() ? "" : ": " + cause));
  }
  file.materials = materials_of(model);
  if (has_white_part(file.meshes, file.materials.size())) file.materials.push_back({});
  return file;
}

}  // namespace

std::string SceneReport::message() const {
  std::string list;
  const auto add = [&](u64 count, const char* one, const char* many) {
    if (count == 0) return;
    if (!list.empty()) list += ", ";
    list += count == 1 ? std::string("1 ") + one : std::to_string(count) + " " + many;
  };
  add(drawings, "primitive of points or lines", "primitives of points or lines");
  add(animations, "animation", "animations");
  if (list.empty()) return list;
  return list + (drawings + animations == 1 ? " was left out" : " were left out");
}

u64 SceneFile::triangle_count() const {
  u64 count = 0;
  for (const SceneMesh& mesh : meshes) count += mesh.mesh.triangles.size();
  return count;
}

u64 SceneFile::instanced_triangle_count() const {
  u64 count = 0;
  for (const Instance& instance : instances) count += meshes[instance.accel].mesh.triangles.size();
  return count;
}

SceneFile load_scene(const FilePath& file_path, const LoadSceneOptions& options) {
  const fs::path path = file_path.text();
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  if (ending != ".glb" && ending != ".gltf") {
    detail::throw_bad_file(path, "the ending " + detail::in_quotes(ending) + " is neither '.glb' nor '.gltf'");
  }
  try {
    return scene_of(path, detail::read_gltf(path, options.cancel, options.max_bytes), options);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, path.string() + ": no memory for the scene");
  }
}

}  // namespace copse
