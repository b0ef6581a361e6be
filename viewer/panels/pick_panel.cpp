#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

struct TargetNames {
  const char *one, *many;
};

constexpr TargetNames target_names[] = {{"Triangle", "Triangles"}, {"Voxel", "Voxels"}, {"Point", "Points"}};

void hit_facts(const Pick& pick, bool is_tree) {
  if (!is_hit(pick.hit)) {
    quiet_text("The ray hits nothing.");
    return;
  }
  if (!pick.part.empty()) fact("Mesh", pick.part);
  fact(target_names[u64(pick.target)].one, grouped(pick.hit.primitive));
  fact("Distance", fmt::format("{:.5g}", pick.hit.t));
  fact("At", fmt::format("{:.3g}, {:.3g}, {:.3g}", pick.point.x, pick.point.y, pick.point.z));
  if (pick.target == Target::triangle) {
    fact("u, v", fmt::format("{:.3f}, {:.3f}", pick.hit.u, pick.hit.v), "Barycentric coordinates in the triangle");
  }
  if (pick.leaf != invalid_id)
    fact(is_tree ? "Leaf" : pick.target == Target::point ? "Bucket" : "Cell", fmt::format("{}", pick.leaf));
}

/// Draws the row of a node. Returns true if it was clicked.
bool node_row(const VisitedNode& visited, bool is_subtree, bool is_tree) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool clicked =
      ImGui::Selectable(fmt::format("{}", visited.node).c_str(), is_subtree, ImGuiSelectableFlags_SpanAllColumns);
  if (is_tree) {
    ImGui::TableNextColumn();
    ImGui::Text("%u", visited.depth);
  }
  ImGui::TableNextColumn();
  ImGui::Text("%.4g", double(visited.entered));
  ImGui::TableNextColumn();
  if (visited.is_leaf) {
    ImGui::Text("%u", visited.primitive_count);
  } else {
    ImGui::TextDisabled(is_tree ? "inner" : "none");
  }
  return clicked;
}

void visited_table(Desk& desk, const Pick& pick, bool is_tree) {
  constexpr int flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersOuter;
  const float height = ImGui::GetTextLineHeightWithSpacing() * std::min(float(pick.visited.size()) + 1.5f, 11.0f);
  if (!ImGui::BeginTable("visited", is_tree ? 4 : 3, flags, ImVec2(0, height))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  const char* const node = is_tree ? "Node" : pick.target == Target::point ? "Bucket" : "Cell";
  ImGui::TableSetupColumn(node);
  if (is_tree) ImGui::TableSetupColumn("Depth");
  ImGui::TableSetupColumn("Entered");
  ImGui::TableSetupColumn(target_names[u64(pick.target)].many);
  ImGui::TableHeadersRow();
  OverlaySettings& overlay = desk.session.overlay();
  ImGuiListClipper clipper;
  clipper.Begin(int(pick.visited.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const VisitedNode& visited = pick.visited[size_t(i)];
      ImGui::PushID(i);
      if (node_row(visited, overlay.subtree != 0 && overlay.subtree == visited.node, is_tree) && is_tree) {
        overlay.subtree = overlay.subtree == visited.node ? 0 : visited.node;
        overlay.boxes = true;
      }
      note_widget(fmt::format("Visited/{}", i));
      explain(is_tree ? "Click to show the boxes below this node" : nullptr);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace

void pick_panel(Desk& desk) {
  const WidgetScope scope("Picked");
  const std::optional<Pick>& picked = desk.session.picked();
  if (!picked) {
    quiet_text("Click on the picture to see a ray, the nodes that it visits and the triangle that it hits.");
    return;
  }
  const bool is_tree = desk.session.built(desk.session.picked_side()).kind == StructureKind::bvh;
  hit_facts(*picked, is_tree);
  fact("Visited", counted(picked->visited.size(), is_tree ? "nodes" : "cells"));
  if (picked->target != Target::voxel) {
    fact("Tested", counted(picked->primitive_tests, fmt::format("{}s", name_of(picked->target))));
  }
  if (!picked->visited.empty()) visited_table(desk, *picked, is_tree);
  if (button("Forget", "Backspace", -1)) desk.commands.push_back(Command::clear_pick);
}

}  // namespace copse::viewer
