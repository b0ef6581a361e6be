#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

void tree_facts(const Statistics& statistics) {
  if (statistics.node_count) fact("Nodes", grouped(*statistics.node_count));
  if (statistics.leaf_count) fact("Leaves", grouped(*statistics.leaf_count));
  if (statistics.depth)
    fact("Depth", fmt::format("{}", *statistics.depth), "Edges from the root to the deepest leaf");
  if (statistics.sah_cost) {
    fact("SAH cost", fmt::format("{:.2f}", *statistics.sah_cost),
         "What a ray through the scene's box is expected to cost: nodes visited and triangles tested, by their "
         "areas");
  }
  if (statistics.overlap) {
    fact("Overlap (EPO)", fmt::format("{:.3f}", *statistics.overlap),
         "Area of the surface inside boxes of nodes that it does not belong to, weighted by their cost");
  }
}

void grid_facts(const Statistics& statistics) {
  if (statistics.resolution) {
    const uvec3 r = *statistics.resolution;
    fact("Resolution", fmt::format("{} x {} x {}", r.x, r.y, r.z));
  }
  if (statistics.nearest && statistics.farthest) {
    fact("Depths", fmt::format("{:.3g} to {:.3g}", *statistics.nearest, *statistics.farthest),
         "The slabs are between these depths. The first slab begins at the eye, the last has no end");
  }
  if (statistics.cell_size) fact("Cell size", fmt::format("{:.3g}", *statistics.cell_size));
  if (statistics.bucket_count) {
    fact("Buckets", grouped(*statistics.bucket_count), "Buckets of the hash table that holds the cells");
  }
  if (statistics.cell_count) fact("Cells", grouped(*statistics.cell_count));
  if (statistics.occupied_count) fact("Occupied", grouped(*statistics.occupied_count));
  if (statistics.reference_count)
    fact("References", grouped(*statistics.reference_count), "Triangles in cells, each counted once per cell");
  if (statistics.shared_count) {
    fact("Shared", grouped(*statistics.shared_count), "Buckets that hold points of several cells");
  }
  if (statistics.largest_cell) {
    fact(statistics.bucket_count ? "Fullest bucket" : "Fullest cell", grouped(*statistics.largest_cell));
  }
}

/// Draws bars with their sizes below them.
void leaf_histogram(const std::vector<u64>& leaves) {
  if (leaves.size() < 2) return;
  const u64 most = *std::max_element(leaves.begin(), leaves.end());
  if (most == 0) return;
  quiet_text("Leaves by number of triangles");
  const float height = ImGui::GetFontSize() * 3.5f, label = ImGui::GetFontSize();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("histogram", ImVec2(width, height + label));
  const size_t count = leaves.size() - 1;  // no leaf is empty
  const float step = width / float(count), gap = step > 6 ? 2.0f : 0.0f;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (size_t i = 0; i < count; ++i) {
    const float bar = height * float(double(leaves[i + 1]) / double(most));
    const float left = corner.x + step * float(i), bottom = corner.y + height;
    list.AddRectFilled(ImVec2(left, bottom - std::max(bar, 1.0f)), ImVec2(left + step - gap, bottom),
                       ImGui::GetColorU32(ImGuiCol_PlotHistogram));
    const std::string size = fmt::format("{}", i + 1);
    const float text = ImGui::CalcTextSize(size.c_str()).x;
    if (text < step || i == 0 || i + 1 == count) {
      list.AddText(ImVec2(left + (step - gap - text) / 2, bottom), ImGui::GetColorU32(ImGuiCol_TextDisabled),
                   size.c_str());
    }
  }
  const float along = (ImGui::GetIO().MousePos.x - corner.x) / step;
  const size_t pointed = size_t(std::clamp(along, 0.0f, float(count - 1))) + 1;
  explain(fmt::format("{} leaves of {} triangle{}", grouped(leaves[pointed]), pointed, pointed == 1 ? "" : "s")
              .c_str());
}

}  // namespace

void statistics_panel(Desk& desk) {
  const WidgetScope scope("Statistics");
  Session& session = desk.session;
  const u32 side = desk.state.side;
  if (!session.has_structure(side)) {
    quiet_text(side == 0 ? "No structure yet." : "No structure B yet: Compare builds one.");
    return;
  }
  const Statistics& statistics = session.statistics(side);
  quiet_text(fmt::format("{}: {}", side == 0 ? "A" : "B", in_words(session.built(side))));
  fact("Runs on", session.device_name(side));
  const bool holds_points = statistics.target == Target::point;
  fact(holds_points ? "Points" : "Triangles", grouped(statistics.primitive_count));
  if (statistics.invalid_count > 0) {
    fact("Left out", grouped(statistics.invalid_count),
         holds_points ? "Points with a coordinate that is infinite or not a number"
                      : "Triangles with a coordinate that is infinite or not a number");
  }
  fact("Memory", readable_bytes(statistics.size_bytes));
  tree_facts(statistics);
  grid_facts(statistics);
  leaf_histogram(statistics.leaf_histogram);
  if (button("Save as JSON", "Saves options, statistics and times of A and B (J)", -1)) {
    desk.commands.push_back(Command::save_statistics);
  }
}

}  // namespace copse::viewer
