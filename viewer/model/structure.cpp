#include "viewer/model/structure.h"

#include "viewer/model/grid_structure.h"
#include "viewer/model/tree_structure.h"
#include "viewer/model/voxel_structure.h"

namespace copse::viewer {

std::unique_ptr<Structure> make_structure(Context& context, const StructureOptions& options) {
  switch (options.kind) {
    case StructureKind::bvh: return std::make_unique<TreeStructure>(context, options);
    case StructureKind::grid: return std::make_unique<GridStructure>(context, options);
    case StructureKind::voxels: return std::make_unique<VoxelStructure<Voxels>>(context, options);
    case StructureKind::bricks: return std::make_unique<VoxelStructure<Bricks>>(context, options);
  }
  throw Error(ErrorCode::invalid_argument, "there is no structure " + std::to_string(u32(options.kind)));
}

}  // namespace copse::viewer
