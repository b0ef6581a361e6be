#include "viewer/model/scene/scene_file.h"

#include "accel/accel_file.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "primitives/core/context.h"
#include "viewer/model/inspect/cell_corners.h"

namespace copse::viewer {

namespace {

SceneFile load_tree_and_mesh(const std::filesystem::path& file, bool alone, const CancelToken& cancel) {
  Context context({.backend = Backend::cpu});
  Mesh mesh =
      holds_accel(file) ? load_accel(file, context, cancel).mesh : load_structure(file, context, cancel).mesh;
  SceneFile scene{{file.filename().string(), std::move(mesh)}, {}, Aabb::empty(), {}};
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
  return {{file.filename().string(), {}}, file, box, {}};
}

}  // namespace

SceneFile load_scene_file(const std::filesystem::path& file, bool alone, const CancelToken& cancel) {
  const std::string ending = lower_case_ending(file);
  if (ending == ".copse") return load_tree_and_mesh(file, alone, cancel);
  if (ending == ".voxels" || ending == ".nvdb") return load_voxels_alone(file, alone, cancel);
  MeshReport left_out;
  SceneFile scene{
      {file.filename().string(), load_mesh(file, {.cancel = cancel}, &left_out)}, {}, Aabb::empty(), {}};
  if (!left_out.is_complete()) scene.left_out = scene.mesh.name + ": " + left_out.message();
  return scene;
}

bool is_scene_name(const std::filesystem::path& path) {
  const std::string ending = lower_case_ending(path);
  return is_mesh_name(path) || ending == ".copse" || ending == ".voxels" || ending == ".nvdb";
}

}  // namespace copse::viewer
