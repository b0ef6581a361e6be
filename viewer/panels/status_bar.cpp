// What the right end of the menu bar says of the picture.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

/// Returns the parts that fit into `width`. The last ones matter most.
std::string fitting(std::vector<std::string> parts, float width) {
  for (; !parts.empty(); parts.erase(parts.begin())) {
    const std::string text = fmt::format("{}", fmt::join(parts, "   "));
    if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  }
  return {};
}

}  // namespace

void status_bar(Desk& desk) {
  Session& session = desk.session;
  const Image& image = session.picture(0).image;
  std::vector<std::string> parts = {fmt::format("{} x {}", image.width, image.height)};
  if (session.has_structure(0)) parts.push_back("trace " + readable_time(session.timings(0).trace.last()));
  const double seconds = desk.state.frame_seconds;
  parts.push_back(session.busy() ? fmt::format("{:.0f} frames/s", seconds > 0 ? 1 / seconds : 0) : "at rest");
  if (session.recording()) parts.push_back(fmt::format("recording, {} pictures", session.recorded_frames()));

  const float right = ImGui::GetIO().DisplaySize.x - ImGui::GetStyle().ItemSpacing.x * 2;
  const std::string text = fitting(std::move(parts), right - ImGui::GetCursorPosX());
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - ImGui::CalcTextSize(text.c_str()).x));
  ImGui::TextDisabled("%s", text.c_str());
}

}  // namespace copse::viewer
