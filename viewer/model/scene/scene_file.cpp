#include "viewer/model/scene/scene_file.h"

#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "primitives/core/context.h"
#include "viewer/model/inspect/cell_corners.h"

namespace copse::viewer {

namespace {

SceneFile load_tree_and_mesh(const std::filesystem::path& file, bool alone) {
  Context context({.backend = Backend::cpu});
  StructureFile read = load_structure(file, context);
  SceneFile scene{{file.filename().string(), std::move(read.mesh)}, {}, Aabb::empty()};
  if (alone) scene.structure = file;
  return scene;
}

SceneFile load_voxels_alone(const std::filesystem::path& file, bool alone) {
  if (!alone) {
    throw Error(ErrorCode::bad_file, file.string() +
                                         ": voxels have no mesh, so they cannot be shown together with "
                                         "other files; open them alone");
  }
  const GridShape shape = load_voxels(file).shape;
  const Aabb box{cell_box(shape, uvec3(0)).lo, cell_box(shape, shape.resolution - 1u).hi};
  return {{file.filename().string(), {}}, file, box};
}

}  // namespace

SceneFile load_scene_file(const std::filesystem::path& file, bool alone) {
  const std::string ending = lower_case_ending(file);
  if (ending == ".copse") return load_tree_and_mesh(file, alone);
  if (ending == ".voxels") return load_voxels_alone(file, alone);
  return {{file.filename().string(), load_mesh(file)}, {}, Aabb::empty()};
}

bool is_scene_name(const std::filesystem::path& path) {
  const std::string ending = lower_case_ending(path);
  return is_mesh_name(path) || ending == ".copse" || ending == ".voxels";
}

}  // namespace copse::viewer
