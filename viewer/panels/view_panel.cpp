#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

void scale_option(ViewSettings& view) {
  checkbox("Scale", view.heat_legend, "Draws the scale of the colours into the picture");
}

/// The hottest colour stands for a percentile of the rays, or for a number of visits.
void heat_options(Desk& desk) {
  constexpr const char* ways[] = {"a percentile", "a number of visits"};
  ViewSettings& view = desk.session.view();
  u64 way = view.heat_limit != 0;
  if (choice("Hottest at", ways, 2, way,
             "The hottest colour stands for a percentile, so that a few rays do not darken the picture, or for a "
             "number of visits, so that pictures can be compared")) {
    view.heat_limit = way == 0 ? 0 : std::max(desk.session.picture(0).heat_limit, 1u);
  }
  if (view.heat_limit == 0) {
    slider("Percentile", view.heat_percentile, 50, 100, view.heat_percentile >= 100 ? "the maximum" : "%.1f %%",
           "So many of a hundred rays visit less than the hottest colour shows");
  } else {
    slider("Visits", view.heat_limit, 1, 4096, "Nodes and triangles that a ray visits, or cells", true,
           "%u visits");
  }
  scale_option(view);
}

void ambient_options(Desk& desk) {
  ViewSettings& view = desk.session.view();
  slider("Samples", view.ambient_samples, 1, 1024, "Ambient rays per pixel, after which the picture is complete",
         true);
  slider("Reach", view.ambient_reach, 0.01f, 2, "%.2f", "How far ambient rays reach, in diagonals of the scene",
         true);
  const u32 samples = desk.session.picture(0).samples;
  ImGui::ProgressBar(float(samples) / float(view.ambient_samples), ImVec2(-1, 0),
                     fmt::format("{} of {}", samples, view.ambient_samples).c_str());
}

void slice_options(SlicePlane& slice) {
  checkbox("Slice", slice.on, "Cuts away what lies on one side of a plane (V)");
  if (!slice.on) return;
  ImGui::SameLine();
  checkbox("Other side", slice.flipped);
  u64 axis = slice.axis;
  if (choice("Across", axis_names, 3, axis)) slice.axis = u32(axis);
  slider("At", slice.place, 0, 1, "%.3f");
}

void level_options(Session& session, OverlaySettings& overlay) {
  const u32 deepest = session.deepest_level(0);
  // Without boxes these stay where they are, so that a click on a node does not move the panels.
  ImGui::BeginDisabled(!overlay.boxes);
  slider("Level", overlay.level, 0, std::max(deepest, overlay.level), "Level of the tree ( [ and ] )");
  checkbox("Levels above too", overlay.levels_above);
  ImGui::SameLine();
  ImGui::BeginDisabled(overlay.subtree == 0);
  if (button("Whole tree", "Shows the boxes of the whole tree again, not those below one node"))
    overlay.subtree = 0;
  ImGui::EndDisabled();
  ImGui::EndDisabled();
}

}  // namespace

void view_panel(Desk& desk) {
  const WidgetScope scope("View");
  ViewSettings& view = desk.session.view();
  choice("Show", view.view, "What the colour of a pixel shows (1 to 7)");
  const bool is_difference = desk.session.comparison() == Comparison::difference;
  switch (is_difference ? View::heat : view.view) {
    case View::heat: heat_options(desk); break;
    case View::ambient_occlusion: ambient_options(desk); break;
    case View::leaves:
      choice("Tint by", view.leaf_tint, "id: a colour for each leaf; depth: how far it is below the root");
      if (view.leaf_tint == LeafTint::depth) scale_option(view);
      break;
    default: break;
  }
  if (view.view != View::heat && view.view != View::ambient_occlusion) {
    slider("Smoothing", view.smooth_samples, 1, 64, "Rays per pixel once nothing moves, for smooth edges", true,
           view.smooth_samples == 1 ? "off" : "%u rays");
  }
  checkbox("Wire frame", view.wire, "Draws the edges of triangles, voxels or balls (8)");
  slice_options(view.slice);
  if (desk.session.backend(0) == Backend::cuda) {
    fact("Shown by", desk.state.picture_way, "How pictures get from the GPU to the window");
  }
}

void overlay_panel(Desk& desk) {
  const WidgetScope scope("Overlays");
  Session& session = desk.session;
  OverlaySettings& overlay = session.overlay();
  checkbox("Boxes of a level", overlay.boxes, "The boxes of all nodes of a level of the tree (B)");
  level_options(session, overlay);
  const float column = ImGui::GetWindowContentRegionMax().x * 0.5f;
  checkbox("Morton curve", overlay.curve, "A line through the leaves in their order (M)");
  ImGui::SameLine(column);
  checkbox("Grid cells", overlay.cells, "Occupied cells of a grid, or set voxels (G)");
  checkbox("Picked ray", overlay.picked_path, "The ray of the picked pixel and the boxes that it visited");
  ImGui::SameLine(column);
  checkbox("Scene box", overlay.bounds);
  checkbox("Lines on top", overlay.on_top,
           "Draws all lines over the picture; else lines behind surfaces are faint");
}

}  // namespace copse::viewer
