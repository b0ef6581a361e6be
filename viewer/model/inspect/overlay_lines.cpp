#include "viewer/model/inspect/overlay_lines.h"

#include <algorithm>

#include "builders/geometry/triangle.h"
#include "trace/heat_colour.h"
#include "trace/shade_colour.h"

namespace copse::viewer {

namespace {

constexpr Rgba8 ray_colour{255, 232, 92, 255}, triangle_colour{255, 255, 255, 255},
    subtree_colour{255, 255, 255, 255}, bounds_colour{90, 110, 140, 255}, cell_colour{64, 156, 255, 255},
    mesh_colour{96, 232, 128, 255};

/// Adds the boxes of a level below a node, and of the levels above it if settings.levels_above. Returns their
/// number.
u64 add_level(Lines& lines, const HostCopy& structure, u32 root, u32 level, bool levels_above) {
  const TreeNodes& tree = *structure.tree();
  if (root >= tree.nodes.size()) return 0;
  const u32 top = tree.nodes[root].depth;
  u64 count = 0;
  std::vector<u32> open = {root};
  while (!open.empty()) {
    const u32 number = open.back();
    open.pop_back();
    const TreeNode& node = tree.nodes[number];
    const u32 below = node.depth - top;
    if (below == level || (levels_above && below < level)) {
      if (count++ < max_boxes) {
        add_box(lines, node.box,
                number >= structure.first_of_meshes() ? mesh_colour : depth_colour(node.depth, tree.depth));
      }
    }
    if (below >= level) continue;
    for (u32 k = 0; k < node.child_count; ++k) open.push_back(tree.children[node.first_child + k]);
  }
  return count;
}

/// Adds a line through the middles of the leaves, in the order of their primitives. Its colour changes from the
/// first to the last. Returns the number of leaves.
u64 add_curve(Lines& lines, const TreeNodes& tree) {
  std::vector<u32> leaves;
  for (u32 number = 0; number < tree.nodes.size(); ++number) {
    if (tree.nodes[number].is_leaf()) leaves.push_back(number);
  }
  std::sort(leaves.begin(), leaves.end(),
            [&](u32 a, u32 b) { return tree.nodes[a].first_primitive < tree.nodes[b].first_primitive; });
  const u64 stride = std::max<u64>(divide_rounding_up(leaves.size(), max_curve_points), 1);
  for (u64 i = stride; i < leaves.size(); i += stride) {
    const float along = float(i) / float(leaves.size());
    add_line(lines, centroid(tree.nodes[leaves[i - stride]].box), centroid(tree.nodes[leaves[i]].box),
             detail::to_rgba(detail::heat_scale(0.2f + 0.75f * along)));
  }
  return leaves.size();
}

void add_pick(Lines& lines, const HostCopy& structure, const HostTriangles& triangles, const Pick& pick) {
  const u32 deepest = structure.tree() != nullptr ? structure.tree()->depth : 0;
  u64 count = 0;
  for (const VisitedNode& node : pick.visited) {
    if (count++ == max_boxes) break;
    add_cell(lines, structure.corners_of(node), depth_colour(node.depth, deepest));
  }
  if (!is_hit(pick.hit)) return;
  add_line(lines, pick.ray.origin, pick.point, ray_colour);
  const bool is_triangle = structure.target() == Target::triangle && pick.hit.primitive < triangles.count();
  if (!is_triangle) return;
  const Triangle triangle = load_triangle(triangles.view(), pick.hit.primitive);
  add_line(lines, triangle.a, triangle.b, triangle_colour);
  add_line(lines, triangle.b, triangle.c, triangle_colour);
  add_line(lines, triangle.c, triangle.a, triangle_colour);
}

/// Makes lines fainter that nothing hides, the more there are.
void fade(std::span<LineVertex> lines) {
  for (LineVertex& vertex : lines) vertex.colour.a = opacity_of(lines.size() / 2);
}

/// The message for the user if not everything is drawn.
void note_rest(std::string& note, u64 count, u64 most, const char* what) {
  if (count <= most) return;
  note += (note.empty() ? "" : "; ") + std::to_string(most) + " of " + std::to_string(count) + " " + what +
          " are drawn";
}

}  // namespace

bool needs_copy(const OverlaySettings& settings, bool has_pick) {
  return settings.boxes || settings.curve || settings.cells || (settings.picked_path && has_pick);
}

OverlayLines make_overlay(const OverlaySettings& settings, const HostCopy& structure,
                          const HostTriangles& triangles, const Pick* pick, const Aabb& bounds) {
  OverlayLines overlay;
  const TreeNodes* const tree = structure.tree();
  if (settings.bounds) add_box(overlay.lines, bounds, bounds_colour);
  if (settings.boxes && tree != nullptr) {
    const u64 first = overlay.lines.size();
    note_rest(overlay.note,
              add_level(overlay.lines, structure, settings.subtree, settings.level, settings.levels_above),
              max_boxes, "boxes");
    if (settings.on_top) fade(std::span(overlay.lines).subspan(first));
    const bool is_part = settings.subtree != 0 && settings.subtree < tree->nodes.size() && settings.level > 0;
    if (is_part) add_box(overlay.lines, tree->nodes[settings.subtree].box, subtree_colour);
  }
  if (settings.curve && tree != nullptr) {
    note_rest(overlay.note, add_curve(overlay.lines, *tree), max_curve_points, "places of the curve");
  }
  if (settings.cells && tree == nullptr) {
    u64 count = 0;
    const u64 first = overlay.lines.size();
    add_cells(overlay.lines, structure.cells(max_boxes, count), cell_colour);
    if (settings.on_top) fade(std::span(overlay.lines).subspan(first));
    note_rest(overlay.note, count, max_boxes, "cells");
  }
  if (settings.picked_path && pick != nullptr) add_pick(overlay.lines, structure, triangles, *pick);
  return overlay;
}

}  // namespace copse::viewer
