// The stages of the last build or refit as a flame chart: time runs from left to right, and the parts of a stage are below
// it. The history of times as curves.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

struct PlacedStage {
  const Stage* stage;
  double begin;  // milliseconds since the first stage began
};

/// Stages come in the order in which they began. A deeper stage is a part of the last stage that is less deep.
std::vector<PlacedStage> place_stages(const std::vector<Stage>& stages) {
  std::vector<PlacedStage> placed;
  std::vector<double> next;  // [depth]: where the next stage of this depth begins
  for (const Stage& stage : stages) {
    const double parent_end = next.size() > stage.depth ? next[stage.depth] : next.empty() ? 0 : next.back();
    placed.push_back({&stage, parent_end});
    next.resize(stage.depth + 1, parent_end);
    next[stage.depth] = parent_end + stage.milliseconds;
    next.push_back(parent_end);  // its first part begins with it
  }
  return placed;
}

ImU32 stage_colour(const std::string& label, bool pointed) {
  // The colour follows from the name, so that a stage keeps it from build to build.
  u32 hash = 2166136261u;  // FNV-1a
  for (const char c : label) hash = (hash ^ u8(c)) * 16777619u;
  const float hue = float(hash >> 8 & 0xffff) / 65536.0f;
  return ImColor::HSV(hue, 0.45f, pointed ? 0.78f : 0.58f);
}

/// Returns "Morton keys" for "lbvh: Morton keys".
std::string short_label(const std::string& label) {
  const size_t colon = label.find(": ");
  return colon == std::string::npos ? label : label.substr(colon + 2);
}

void stage_bars(const std::vector<Stage>& stages, ImVec2 corner, ImVec2 size) {
  const std::vector<PlacedStage> placed = place_stages(stages);
  double total = 0;
  u32 deepest = 0;
  for (const PlacedStage& p : placed) {
    total = std::max(total, p.begin + p.stage->milliseconds);
    deepest = std::max(deepest, p.stage->depth);
  }
  if (total <= 0) return;
  const float row = std::min(ImGui::GetFrameHeight() * 1.15f, size.y / float(deepest + 1));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const PlacedStage& p : placed) {
    const float left = corner.x + float(p.begin / total) * size.x;
    const float right = corner.x + float((p.begin + p.stage->milliseconds) / total) * size.x;
    const ImVec2 low(left, corner.y + row * float(p.stage->depth)),
        high(std::max(right - 1, left + 1), low.y + row - 1);
    const bool pointed = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
    list.AddRectFilled(low, high, stage_colour(p.stage->label, pointed), 2);
    const std::string text = short_label(p.stage->label);
    const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
    if (extent.x + 8 < high.x - low.x && extent.y <= row) {
      list.AddText(ImVec2(low.x + 4, low.y + (row - extent.y) / 2), IM_COL32(255, 255, 255, 230), text.c_str());
    }
    if (pointed) {
      ImGui::SetTooltip("%s\n%s, %.0f %%", p.stage->label.c_str(), readable_time(p.stage->milliseconds).c_str(),
                        p.stage->milliseconds / total * 100);
    }
  }
}

struct Curve {
  const char* name;
  const TimeHistory& history;
  ImU32 colour;
};

void draw_curve(const Curve& curve, ImVec2 corner, ImVec2 size, float top) {
  const std::vector<float>& values = curve.history.values();
  std::vector<ImVec2> points;
  const float step = size.x / float(TimeHistory::capacity - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    const float x = corner.x + size.x - step * float(values.size() - 1 - i);
    points.emplace_back(x, corner.y + size.y * (1 - std::min(values[i] / top, 1.0f)));
  }
  if (points.size() == 1) points.emplace_back(points[0].x - 3, points[0].y);
  ImGui::GetWindowDrawList()->AddPolyline(points.data(), int(points.size()), curve.colour, 0, 1.5f);
}

/// Returns a round number at or above the value: 1, 2 or 5 times a power of ten.
float round_top(float value) {
  const float power = std::pow(10.0f, std::floor(std::log10(std::max(value, 1e-3f))));
  for (const float factor : {1.0f, 2.0f, 5.0f}) {
    if (value <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// Draws names and last times of the curves, in as many lines as they need. Returns the height.
float curve_legend(std::span<const Curve> all, ImVec2 corner, float width) {
  const float line = ImGui::GetTextLineHeightWithSpacing(), height = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImVec2 at = corner;
  for (const Curve& curve : all) {
    const auto& values = curve.history.values();
    const std::string text =
        std::string(curve.name) + " " + (values.empty() ? "-" : readable_time(curve.history.last()));
    const float extent = height * 0.9f + ImGui::CalcTextSize(text.c_str()).x;
    if (at.x > corner.x && at.x + extent > corner.x + width) at = ImVec2(corner.x, at.y + line);
    list.AddRectFilled(ImVec2(at.x, at.y + height * 0.3f), ImVec2(at.x + height * 0.6f, at.y + height * 0.9f),
                       curve.colour, 2);
    list.AddText(ImVec2(at.x + height * 0.9f, at.y), ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
    note_place(curve.name, {at.x, at.y, extent, height});
    at.x += extent + height;
  }
  return at.y + line - corner.y;
}

void curves(const Timings& timings, ImVec2 corner, ImVec2 size) {
  const Curve all[] = {{"build", timings.build, IM_COL32(232, 163, 61, 255)},
                       {"refit", timings.refit, IM_COL32(94, 190, 120, 255)},
                       {"trace", timings.trace, IM_COL32(88, 150, 230, 255)}};
  float largest = 0;
  for (const Curve& curve : all) largest = std::max(largest, curve.history.largest());
  const float top = round_top(largest);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float legend = curve_legend(all, corner, size.x);
  const ImVec2 plot(corner.x, corner.y + legend), extent(size.x, size.y - legend);
  list.AddRectFilled(plot, ImVec2(plot.x + extent.x, plot.y + extent.y),
                     ImGui::GetColorU32(ImGuiCol_FrameBg, 0.5f), 2);
  list.AddText(ImVec2(plot.x + 4, plot.y + 2), ImGui::GetColorU32(ImGuiCol_TextDisabled),
               readable_time(top).c_str());
  list.PushClipRect(plot, ImVec2(plot.x + extent.x, plot.y + extent.y), true);
  for (const Curve& curve : all) {
    if (!curve.history.values().empty()) draw_curve(curve, plot, extent, top);
  }
  list.PopClipRect();
}

}  // namespace

void timeline_panel(Desk& desk) {
  const WidgetScope scope("Times");
  Session& session = desk.session;
  const u32 side = desk.state.side;
  const WorkTimes& times = session.work_times(side);
  const float spacing = ImGui::GetStyle().ItemSpacing.x * 2;
  const ImVec2 space = ImGui::GetContentRegionAvail(), corner = ImGui::GetCursorScreenPos();
  const float half = (space.x - spacing) / 2, heading = ImGui::GetTextLineHeightWithSpacing();

  double total = 0;
  for (const Stage& stage : times.stages) total += stage.depth == 0 ? stage.milliseconds : 0;
  const char* const work = times.is_refit ? "refit" : "build";
  const std::string title = times.stages.empty()
                                ? std::string("Stages of the last build")
                                : fmt::format("Stages of the last {}: {}", work, readable_time(total));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(corner, ImGui::GetColorU32(ImGuiCol_TextDisabled), fit_text(title, half).c_str());
  note_place(fmt::format("Stages of the last {}", work), {corner.x, corner.y, half, heading});
  stage_bars(times.stages, ImVec2(corner.x, corner.y + heading), ImVec2(half, space.y - heading));
  curves(session.timings(side), ImVec2(corner.x + half + spacing, corner.y), ImVec2(half, space.y));
}

}  // namespace copse::viewer
