#pragma once

#include <span>
#include <vector>

#include "builders/geometry/aabb.h"
#include "builders/geometry/image.h"
#include "viewer/model/inspect/cell_corners.h"

namespace copse::viewer {

struct LineVertex {
  vec3 position;
  Rgba8 colour;
};

/// Pairs of vertices in world space.
using Lines = std::vector<LineVertex>;

/// Which lines are drawn over the picture. Panels may change any member.
struct OverlaySettings {
  bool boxes = false;         // boxes of `level` below `subtree`
  u32 level = 3;              // edges below the subtree's root
  bool levels_above = false;  // also all levels above
  u32 subtree = 0;            // a node of TreeNodes, whose own box is white; 0: the whole tree
  bool picked_path = true;    // ray, visited boxes and triangle of the picked pixel
  bool curve = false;         // a line through the middles of the leaves in their order
  bool cells = false;         // occupied cells of a grid, set voxels
  bool bounds = false;        // the scene's box
  bool on_top = false;        // not hidden by surfaces (a hint for displays)

  bool operator==(const OverlaySettings&) const = default;
};

/// The maximum of boxes, cells and curve points that are drawn. A message says if there are more.
inline constexpr u64 max_boxes = 20000;
inline constexpr u64 max_curve_points = 200000;

/// Adds the twelve edges of a box; none of an empty box.
void add_box(Lines& lines, const Aabb& box, Rgba8 colour);
void add_cell(Lines& lines, const CellCorners& corners, Rgba8 colour);
/// Adds the edges of cells. An edge that cells share is added once.
void add_cells(Lines& lines, std::span<const CellCorners> cells, Rgba8 colour);

/// Returns the opacity of one of `count` lines that are drawn on top of each other: 255 for up to 2000; the more
/// there are, the fainter each is, down to 20, so that a thousand layers of cells are not one blot.
u8 opacity_of(u64 count);
void add_line(Lines& lines, const vec3& from, const vec3& to, Rgba8 colour);

/// Returns the colour of a depth: warm at the root, cold below.
Rgba8 depth_colour(u32 depth, u32 deepest);

}  // namespace copse::viewer
