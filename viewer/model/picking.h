#pragma once

#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "trace/ray.h"

namespace copse::viewer {

/// One step of a ray's walk: an inner node, a leaf, or a cell.
struct VisitedNode {
  u32 node;       // its number in the structure: HostTree's for trees, the cell's for grids
  u32 depth;      // edges from the root; 0 for cells
  Aabb box;       // as it stands in the structure
  float entered;  // t where the ray enters it
  bool is_leaf;   // a leaf, or a cell with primitives
  u32 primitive_count;
};

/// What the ray through a pixel met, and on which way.
struct Pick {
  Ray ray;
  Hit hit;                // primitive through all meshes; invalid_id on a miss. Of voxels the voxel's number
  vec3 point{0};          // where it hit
  std::string part;       // the mesh's name
  u32 leaf = invalid_id;  // the node or cell that held the hit
  u32 primitive_tests = 0;
  std::vector<VisitedNode> visited;  // in order
};

}  // namespace copse::viewer
