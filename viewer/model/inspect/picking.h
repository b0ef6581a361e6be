#pragma once

#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "trace/ray.h"
#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// What rays hit.
enum class Target : u8 { triangle, voxel, point };

template <>
struct Names<Target> {
  static constexpr const char* list[] = {"triangle", "voxel", "point"};
};

/// One step of a ray's walk: an inner node, a leaf, or a cell.
struct VisitedNode {
  u32 node;   // its number in the structure: HostTree's for trees, the cell's for grids, the bucket's of points
  u32 depth;  // edges from the root; 0 for cells
  Aabb box;   // as it stands in the structure
  float entered;  // t where the ray enters it
  bool is_leaf;   // a leaf, or a cell with primitives
  u32 primitive_count;
};

/// What the ray through a pixel met, and on which way.
struct Pick {
  Ray ray;
  Target target = Target::triangle;
  Hit hit;                // primitive through all meshes; invalid_id on a miss. Else the voxel's or point's number
  vec3 point{0};          // where it hit
  std::string part;       // the mesh's name, of a triangle
  u32 leaf = invalid_id;  // the node or cell that held the hit
  u32 primitive_tests = 0;
  std::vector<VisitedNode> visited;  // in order
};

}  // namespace copse::viewer
