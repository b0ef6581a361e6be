#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

void heat_options(Desk& desk) {
  ViewSettings& view = desk.session.view();
  slider("Hottest at", view.heat_limit, 0, 512, "Visits of nodes and triangles that have the hottest colour",
         false, view.heat_limit == 0 ? "the maximum" : "%u visits");
  checkbox("Scale", view.heat_legend, "Draws a scale into the picture");
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
  slider("Level", overlay.level, 0, std::max(deepest, overlay.level), "Level of the tree ( [ and ] )");
  checkbox("Levels above too", overlay.levels_above);
  if (overlay.subtree != 0) {
    ImGui::SameLine();
    if (button("Whole tree", "Shows the boxes of the whole tree again")) overlay.subtree = 0;
    quiet_text(fmt::format("below node {}", overlay.subtree));
  }
}

}  // namespace

void view_panel(Desk& desk) {
  const WidgetScope scope("View");
  ViewSettings& view = desk.session.view();
  choice("Show", view.view, "What the colour of a pixel shows (1 to 7)");
  switch (view.view) {
    case View::heat: heat_options(desk); break;
    case View::ambient_occlusion: ambient_options(desk); break;
    case View::leaves: choice("Tint by", view.leaf_tint); break;
    default: break;
  }
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
  if (overlay.boxes) level_options(session, overlay);
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
