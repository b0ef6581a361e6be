// All statistics of A and B side by side.

#include <fmt/format.h>
#include <imgui.h>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

void value_cell(const std::optional<double>& value, Unit unit, bool is_better) {
  ImGui::TableNextColumn();
  if (!value) {
    ImGui::TextDisabled("-");
  } else if (is_better) {
    ImGui::TextColored(heading_colour(), "%s", in_words(*value, unit).c_str());
  } else {
    ImGui::TextUnformatted(in_words(*value, unit).c_str());
  }
}

void row(const StatisticRow& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string shown = fit_text(row.name, ImGui::GetContentRegionAvail().x);
  ImGui::TextDisabled("%s", shown.c_str());
  note_widget(row.name);
  if (shown != row.name) explain(row.name);
  const bool compares = row.less_is_better && row.a && row.b && *row.a != *row.b;
  value_cell(row.a, row.unit, compares && *row.a < *row.b);
  value_cell(row.b, row.unit, compares && *row.b < *row.a);
  ImGui::TableNextColumn();
  const std::optional<double> ratio = row.ratio();
  if (ratio) ImGui::TextUnformatted(fmt::format("{:.2f}", *ratio).c_str());
}

}  // namespace

void comparison_panel(Desk& desk) {
  const WidgetScope scope("A and B");
  Session& session = desk.session;
  if (session.comparison() == Comparison::off || !session.has_structure(0) || !session.has_structure(1)) {
    quiet_text(
        "Compare, under Structure, shows a second structure. Its numbers then stand beside those of the first.");
    return;
  }
  for (u32 side = 0; side < 2; ++side) {
    quiet_text(fmt::format("{}: {}", side == 0 ? "A" : "B", in_words(session.built(side))));
  }
  if (!ImGui::BeginTable("rows", 4, ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersOuter)) return;
  const float unit = ImGui::GetFontSize();
  ImGui::TableSetupColumn("");
  for (const char* side : {"A", "B"}) ImGui::TableSetupColumn(side, ImGuiTableColumnFlags_WidthFixed, unit * 4.4f);
  ImGui::TableSetupColumn("B/A", ImGuiTableColumnFlags_WidthFixed, unit * 2.4f);
  ImGui::TableHeadersRow();
  for (const StatisticRow& one :
       compare(session.statistics(0), session.timings(0), session.statistics(1), session.timings(1))) {
    row(one);
  }
  ImGui::EndTable();
}

}  // namespace copse::viewer
