#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

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

/// Draws bars, with a number below each where there is room, and what they count under the mouse.
///   first: the number of the first bar
///   words, nouns: for the text under the mouse, such as "2 leaves of 3 triangles"
void histogram(const char* heading, std::span<const u64> counts, u32 first, const char* words, const char* nouns) {
  const u64 most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  if (most == 0) return;
  quiet_text(heading);
  const float height = ImGui::GetFontSize() * 3.5f, label = ImGui::GetFontSize();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(heading, ImVec2(width, height + label));
  note_widget(heading);
  const float step = width / float(counts.size()), gap = step > 6 ? 2.0f : 0.0f;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string last = fmt::format("{}", first + counts.size() - 1);
  const float wide = ImGui::CalcTextSize(last.c_str()).x + label * 0.4f;
  const size_t stride = std::max<size_t>(size_t(std::ceil(wide / step)), 1);  // of the numbers
  for (size_t i = 0; i < counts.size(); ++i) {
    const float bar = height * float(double(counts[i]) / double(most));
    const float left = corner.x + step * float(i), bottom = corner.y + height;
    list.AddRectFilled(ImVec2(left, bottom - std::max(bar, 1.0f)), ImVec2(left + step - gap, bottom),
                       ImGui::GetColorU32(ImGuiCol_PlotHistogram));
    const std::string number = fmt::format("{}", first + i);
    const float text = ImGui::CalcTextSize(number.c_str()).x;
    if (i % stride != 0) continue;
    const float at = std::clamp(left + (step - gap - text) / 2, corner.x, corner.x + width - text);
    list.AddText(ImVec2(at, bottom), ImGui::GetColorU32(ImGuiCol_TextDisabled), number.c_str());
  }
  const float along = (ImGui::GetIO().MousePos.x - corner.x) / step;
  const size_t pointed = size_t(std::clamp(along, 0.0f, float(counts.size() - 1)));
  explain(fmt::format(fmt::runtime(words), counted(counts[pointed], "leaves"), counted(first + pointed, nouns))
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
  if (!statistics.origin.empty()) fact("Built as", statistics.origin, "How the file's tree was built");
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
  const std::span<const u64> sizes = statistics.leaf_histogram, depths = statistics.leaf_depth_histogram;
  if (sizes.size() > 1) histogram("Leaves by number of triangles", sizes.subspan(1), 1, "{} of {}", "triangles");
  histogram("Leaves by depth", depths, 0, "{}, {} below the root", "edges");
  if (button("Save as JSON", "Saves options, statistics and times of A and B (J)", -1)) {
    desk.commands.push_back(Command::save_statistics);
  }
}

}  // namespace copse::viewer
