#pragma once

#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "trace/ray.h"
#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// The kind of primitive that rays hit.
enum class Target : u8 { triangle, voxel, point };

template <>
struct Names<Target> {
  static constexpr const char* list[] = {"triangle", "voxel", "point"};
};

/// One step of a traversal: an inner node, a leaf, or a cell.
struct VisitedNode {
  u32 node;   // its number in the structure: TreeNodes's for trees, the cell's for grids, the bucket's of points
  u32 depth;  // edges from the root; 0 for cells
  Aabb box;   // as stored in the structure
  float entered;  // t at which the ray enters it
  bool is_leaf;   // a leaf, or a cell with primitives
  u32 primitive_count;
};

/// What the ray through a pixel hit, and the nodes that it visited.
struct Pick {
  Ray ray;
  Target target = Target::triangle;
  Hit hit;                   // its primitive counts through all meshes, or is the number of a voxel or point
  vec3 point{0};             // of the hit
  std::string part;          // name of the mesh, for a triangle
  u32 part_id = invalid_id;  // its number in SceneGeometry::parts
  u32 leaf = invalid_id;     // the node or cell that held the hit
  u32 primitive_tests = 0;
  std::vector<VisitedNode> visited;  // in order
};

}  // namespace copse::viewer
