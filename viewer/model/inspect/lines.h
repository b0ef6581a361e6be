#pragma once

#include <vector>

#include "builders/geometry/aabb.h"
#include "builders/geometry/image.h"
#include "viewer/model/inspect/cell_corners.h"

namespace copse::viewer {

struct LineVertex {
  vec3 position;
  Rgba8 colour;
};

/// Pairs of vertices in the world.
using Lines = std::vector<LineVertex>;

/// What is drawn over the picture. Panels change any member.
struct OverlaySettings {
  bool boxes = false;         // those of `level`, below `subtree`
  u32 level = 3;              // edges below the subtree's root
  bool levels_above = false;  // and all levels above that one
  u32 subtree = 0;            // a node of HostTree; 0: the whole tree
  bool picked_path = true;    // ray, visited boxes and triangle of the picked pixel
  bool curve = false;         // a line through the leaves' middles in their order
  bool cells = false;         // occupied cells of a grid, set voxels
  bool bounds = false;        // the scene's box
  bool on_top = false;        // not hidden by surfaces (a hint for who draws)

  bool operator==(const OverlaySettings&) const = default;
};

/// Most boxes, cells and curve points that are drawn; a message says where there are more.
inline constexpr u64 max_boxes = 20000;
inline constexpr u64 max_curve_points = 200000;

/// The twelve edges of a box; nothing of an empty one.
void add_box(Lines& lines, const Aabb& box, Rgba8 colour);
void add_cell(Lines& lines, const CellCorners& corners, Rgba8 colour);
void add_line(Lines& lines, const vec3& from, const vec3& to, Rgba8 colour);

/// The colour of a depth: warm at the root, cold below.
Rgba8 depth_colour(u32 depth, u32 deepest);

}  // namespace copse::viewer
