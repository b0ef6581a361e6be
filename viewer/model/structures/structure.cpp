#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

std::unique_ptr<Structure> make_of_file(Context& context, const StructureOptions& options,
                                        const std::filesystem::path& file) {
  if (file.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "the scene has no structure of a file; open a .copse, .glb, .gltf or .voxels file alone, or "
                "choose another "
                "kind");
  }
  const std::string ending = lower_case_ending(file);
  if (ending == ".voxels" || ending == ".nvdb") return make_voxels_of_file(context, file);
  return make_tree_of_file(context, options, file);
}

}  // namespace

std::unique_ptr<Structure> make_structure(Context& context, const StructureOptions& options,
                                          const SceneGeometry& scene) {
  const Aabb& bounds = scene.bounds;
  switch (options.kind) {
    case StructureKind::bvh: return make_tree(context, options);
    case StructureKind::grid: return make_uniform_grid(context, options);
    case StructureKind::frustum: return make_frustum(context, options, bounds);
    case StructureKind::kdtree: return make_kd_tree_of_triangles(context, options);
    case StructureKind::voxels: return make_voxels(context, options);
    case StructureKind::bricks: return make_bricks(context, options);
    case StructureKind::octree: return make_voxel_tree(context, options);
    case StructureKind::dag: return make_voxel_tree(context, options);
    case StructureKind::points: return make_points(context, options, bounds);
    case StructureKind::file:
      if (scene.placed) {
        const Quality quality = quality_of(options.builder).value_or(Quality::balanced);
        return make_instances(context, scene, {.quality = quality, .splits = options.splits});
      }
      return make_of_file(context, options, scene.structure_file);
  }
  throw Error(ErrorCode::invalid_argument, "there is no structure " + std::to_string(u32(options.kind)));
}

}  // namespace copse::viewer
