// The nodes of the tree with their costs. A click on a node shows its boxes in the picture; a click on the picture
// opens the nodes down to the leaf that was hit.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/model/inspect/node_costs.h"
#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

/// What a row needs to know of the whole tree.
struct Nodes {
  Desk& desk;
  const TreeNodes& tree;
  const std::vector<NodeCost>& costs;
  std::vector<u32> path;  // from the root to the leaf that was picked
  bool opens_path;        // the pick is new
};

std::string percent(double share) {
  return share < 0.1 ? fmt::format("{:.2f} %", share * 100) : fmt::format("{:.0f} %", share * 100);
}

void cost_cells(const NodeCost& cost) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(percent(cost.sah).c_str());
  ImGui::TableNextColumn();
  if (cost.overlap > 0) ImGui::TextUnformatted(percent(cost.overlap).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(grouped(cost.primitives).c_str());
}

void select(Desk& desk, u32 node) {
  OverlaySettings& overlay = desk.session.overlay();
  overlay.subtree = overlay.subtree == node ? 0 : node;
  overlay.boxes = true;
}

/// Draws the row of a node. Returns true if the nodes below it are shown too.
bool node_row(Nodes& nodes, u32 number) {
  const TreeNode& node = nodes.tree.nodes[number];
  const bool is_picked = std::find(nodes.path.begin(), nodes.path.end(), number) != nodes.path.end();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const u32 subtree = nodes.desk.session.overlay().subtree;
  int flags =
      ImGuiTreeNodeFlags_OpenOnArrow | ImGuiTreeNodeFlags_OpenOnDoubleClick | ImGuiTreeNodeFlags_SpanFullWidth;
  if (node.is_leaf()) flags |= ImGuiTreeNodeFlags_Leaf;
  if (subtree != 0 && subtree == number) flags |= ImGuiTreeNodeFlags_Selected;
  if (nodes.opens_path && is_picked) ImGui::SetNextItemOpen(true);
  if (is_picked) ImGui::PushStyleColor(ImGuiCol_Text, heading_colour());
  const bool open = ImGui::TreeNodeEx(reinterpret_cast<void*>(uintptr_t{number} + 1), flags, "%u", number);
  note_widget(fmt::format("{}", number));
  if (is_picked) ImGui::PopStyleColor();
  if (ImGui::IsItemClicked() && !ImGui::IsItemToggledOpen()) select(nodes.desk, number);
  explain(node.is_leaf() ? "A leaf. Click to show its box" : "Click to show the boxes below this node");
  if (nodes.opens_path && !nodes.path.empty() && nodes.path.back() == number) ImGui::SetScrollHereY();
  cost_cells(nodes.costs[number]);
  return open;
}

void rows(Nodes& nodes, u32 number) {
  if (!node_row(nodes, number)) return;
  const TreeNode& node = nodes.tree.nodes[number];
  for (u32 child = 0; child < node.child_count; ++child)
    rows(nodes, nodes.tree.children[node.first_child + child]);
  ImGui::TreePop();
}

void table(Nodes& nodes) {
  constexpr int flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersOuter;
  const float unit = ImGui::GetFontSize();
  if (!ImGui::BeginTable("nodes", 4, flags, ImVec2(0, unit * 18))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Node");
  ImGui::TableSetupColumn("SAH", ImGuiTableColumnFlags_WidthFixed, unit * 3.3f);
  ImGui::TableSetupColumn("Overlap", ImGuiTableColumnFlags_WidthFixed, unit * 3.5f);
  ImGui::TableSetupColumn("Triangles", ImGuiTableColumnFlags_WidthFixed, unit * 4);
  ImGui::TableHeadersRow();
  // Trees are deep and the panel is narrow.
  ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing, unit * 0.15f);
  rows(nodes, 0);
  ImGui::PopStyleVar();
  ImGui::EndTable();
}

}  // namespace

void nodes_panel(Desk& desk) {
  const WidgetScope scope("Nodes");
  Session& session = desk.session;
  const u32 side = desk.state.side;
  if (session.playback().playing) {
    quiet_text("The nodes are shown while the scene rests.");
    return;
  }
  const TreeNodes* const tree = session.tree(side);
  if (tree == nullptr || tree->nodes.empty()) {
    quiet_text("This structure has no tree.");
    return;
  }
  const std::optional<Pick>& picked = session.picked();
  Nodes nodes{desk, *tree, session.node_costs(side), {}, false};
  if (picked && session.picked_side() == side && picked->leaf != invalid_id) {
    nodes.path = path_to(*tree, picked->leaf);
    nodes.opens_path = desk.state.pick_shown != session.pick_revision();
  }
  desk.state.pick_shown = session.pick_revision();
  quiet_text("SAH: share of the tree's cost in this node and below. Overlap: area that its children share.");
  table(nodes);
}

}  // namespace copse::viewer
