#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

std::unique_ptr<Structure> make_structure(Context& context, const StructureOptions& options, const Aabb& bounds) {
  switch (options.kind) {
    case StructureKind::bvh: return make_tree(context, options);
    case StructureKind::grid: return make_uniform_grid(context, options);
    case StructureKind::frustum: return make_frustum(context, options, bounds);
    case StructureKind::voxels: return make_voxels(context, options);
    case StructureKind::bricks: return make_bricks(context, options);
    case StructureKind::points: return make_points(context, options, bounds);
  }
  throw Error(ErrorCode::invalid_argument, "there is no structure " + std::to_string(u32(options.kind)));
}

}  // namespace copse::viewer
