#include "viewer/model/scene/scene_file.h"

#include "accel/accel_file.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "primitives/core/context.h"
#include "scene/scene_file.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/scene/placed_meshes.h"

namespace copse::viewer {

namespace {

SceneFile load_tree_and_mesh(const std::filesystem::path& file, bool alone, const CancelToken& cancel) {
  Context context({.backend = Backend::cpu});
  Mesh mesh =
      holds_accel(file) ? load_accel(file, context, cancel).mesh : load_structure(file, context, cancel).mesh;
  SceneFile scene{.mesh = {file.filename().string(), std::move(mesh)}};
  if (alone) scene.structure = file;
  return scene;
}

SceneFile load_voxels_alone(const std::filesystem::path& file, bool alone, const CancelToken& cancel) {
  if (!alone) {
    throw Error(ErrorCode::bad_file, file.string() +
                                         ": voxels have no mesh, so they cannot be shown together with "
                                         "other files; open them alone");
  }
  const GridShape shape = load_voxels(file, cancel).shape;
  const Aabb box{cell_box(shape, uvec3(0)).lo, cell_box(shape, shape.resolution - 1u).hi};
  return {.mesh = {file.filename().string(), {}}, .structure = file, .bounds = box};
}

SceneFile load_instances(const std::filesystem::path& file, bool alone, const CancelToken& cancel) {
  copse::SceneFile read = load_scene(file, {.cancel = cancel});
  auto meshes = std::make_shared<std::vector<NamedMesh>>();
  for (SceneMesh& mesh : read.meshes) meshes->push_back({std::move(mesh.name), std::move(mesh.mesh)});
  PlacedMeshes placed{std::move(meshes), std::move(read.instances)};
  SceneFile scene;
  scene.mesh.name = file.filename().string();
  if (!read.left_out.is_complete()) scene.left_out = scene.mesh.name + ": " + read.left_out.message();
  if (!alone) {
    scene.mesh.mesh = scene_of(std::move(placed), read.instance_names)->mesh;
    return scene;
  }
  scene.structure = file;
  scene.placed = std::make_shared<const PlacedMeshes>(std::move(placed));
  scene.instance_names = std::move(read.instance_names);
  return scene;
}

}  // namespace

SceneFile load_scene_file(const std::filesystem::path& file, bool alone, const CancelToken& cancel) {
  const std::string ending = lower_case_ending(file);
  if (ending == ".copse") return load_tree_and_mesh(file, alone, cancel);
  if (ending == ".voxels" || ending == ".nvdb") return load_voxels_alone(file, alone, cancel);
  if (ending == ".glb" || ending == ".gltf") return load_instances(file, alone, cancel);
  MeshReport left_out;
  SceneFile scene{.mesh = {file.filename().string(), load_mesh(file, {.cancel = cancel}, &left_out)}};
  if (!left_out.is_complete()) scene.left_out = scene.mesh.name + ": " + left_out.message();
  return scene;
}

bool is_scene_name(const std::filesystem::path& path) {
  const std::string ending = lower_case_ending(path);
  return is_mesh_name(path) || ending == ".glb" || ending == ".gltf" || ending == ".copse" ||
         ending == ".voxels" || ending == ".nvdb";
}

}  // namespace copse::viewer
