// What is drawn over the picture: the running job, messages, the hint of an empty scene, help.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

constexpr int bare_window = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                            ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;

ImVec4 colour_of(Severity severity, Theme theme) {
  const bool is_dark = theme == Theme::dark;
  switch (severity) {
    case Severity::note: return ImGui::GetStyleColorVec4(ImGuiCol_Text);
    case Severity::warning: return is_dark ? ImVec4(0.96f, 0.76f, 0.32f, 1) : ImVec4(0.60f, 0.36f, 0.0f, 1);
    case Severity::error: return is_dark ? ImVec4(0.97f, 0.47f, 0.42f, 1) : ImVec4(0.75f, 0.1f, 0.08f, 1);
  }
  return {1, 1, 1, 1};
}

void message_text(const Message& message, Theme theme) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour_of(message.severity, theme));
  ImGui::TextUnformatted(message.count > 1 ? fmt::format("{} ({} times)", message.text, message.count).c_str()
                                           : message.text.c_str());
  ImGui::PopStyleColor();
}

/// A bar on which a light moves to and fro, for work of unknown length.
void running_bar(float width) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFontSize() * 0.3f;
  ImGui::Dummy(ImVec2(width, height));
  const float wave = 0.5f - 0.5f * float(std::cos(ImGui::GetTime() * 3));
  const float left = corner.x + wave * width * 0.75f;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height), ImGui::GetColorU32(ImGuiCol_FrameBg), 2);
  list.AddRectFilled(ImVec2(left, corner.y), ImVec2(left + width * 0.25f, corner.y + height),
                     ImGui::GetColorU32(ImGuiCol_PlotHistogram), 2);
}

void help_group(const char* group) {
  ImGui::TextColored(heading_colour(), "%s", group);
  const float column = ImGui::GetFontSize() * 5.8f;
  for (const Shortcut& shortcut : shortcuts()) {
    if (std::string_view(shortcut.group) != group || shortcut.meaning == nullptr) continue;
    ImGui::TextUnformatted(shortcut.keys);
    ImGui::SameLine(column);
    ImGui::TextDisabled("%s", shortcut.meaning);
  }
  ImGui::Spacing();
}

void help_mouse() {
  ImGui::TextColored(heading_colour(), "Mouse and motion");
  const float column = ImGui::GetFontSize() * 7.2f;
  for (const Gesture& gesture : gestures()) {
    ImGui::TextUnformatted(gesture.gesture);
    ImGui::SameLine(column);
    ImGui::TextDisabled("%s", gesture.meaning);
  }
}

}  // namespace

void job_banner(Desk& desk, const Rectangle& place) {
  const JobStatus job = desk.session.job();
  if (!job.running || job.seconds < 0.1) return;
  const WidgetScope scope("Job");
  ImGui::SetNextWindowPos(ImVec2(place.x + place.width / 2, place.y + 12), ImGuiCond_Always, ImVec2(0.5f, 0));
  ImGui::SetNextWindowBgAlpha(0.92f);
  if (ImGui::Begin("##job", nullptr, bare_window)) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(
        fmt::format("{}{}, {:.1f} s", job.cancelling ? "cancelling: " : "", job.stage, job.seconds).c_str());
    ImGui::SameLine();
    ImGui::BeginDisabled(job.cancelling);
    if (button("Cancel", "Cancels; the old structure stays (Esc)")) desk.commands.push_back(Command::cancel);
    ImGui::EndDisabled();
    running_bar(ImGui::GetFontSize() * 18);
  }
  ImGui::End();
}

void hand_hint(Desk& desk, const Rectangle& place) {
  const InstanceHand& hand = desk.state.hand;
  if (!hand.motion()) return;
  constexpr const char *axes[] = {"x", "y", "z"}, *verbs[] = {"Move", "Turn", "Scale"};
  constexpr const char* ways[] = {"along", "about", "along"};
  const u64 motion = u64(*hand.motion());
  std::string text = fmt::format("{} instance {}", verbs[motion], hand.start().number);
  if (hand.axis()) text += fmt::format(" {} {}", ways[motion], axes[*hand.axis()]);
  const WidgetScope scope("Hand");
  ImGui::SetNextWindowPos(ImVec2(place.x + place.width / 2, place.y + 12), ImGuiCond_Always, ImVec2(0.5f, 0));
  ImGui::SetNextWindowBgAlpha(0.92f);
  if (ImGui::Begin("##hand", nullptr, bare_window)) {
    ImGui::TextUnformatted(text.c_str());
    note_widget(text);
    ImGui::TextDisabled("X, Y, Z: one axis\nClick, Enter: keep\nRight click, Esc: put back");
  }
  ImGui::End();
}

void message_toasts(Desk& desk, const Rectangle& place) {
  constexpr size_t max_shown = 4;
  std::vector<const Message*> shown;
  for (const Message& message : desk.session.messages().list()) {
    if (desk.state.toasts.shows(message)) shown.push_back(&message);
  }
  if (shown.empty()) return;
  if (shown.size() > max_shown) shown.erase(shown.begin(), shown.end() - max_shown);
  const WidgetScope scope("Messages");
  const float bottom = place.y + place.height - desk.state.scale_height - 12;
  ImGui::SetNextWindowPos(ImVec2(place.x + 12, bottom), ImGuiCond_Always, ImVec2(0, 1));
  ImGui::SetNextWindowBgAlpha(0.92f);
  if (ImGui::Begin("##toasts", nullptr, bare_window)) {
    const float width = std::max(std::min(place.width - 40, ImGui::GetFontSize() * 34), 100.0f);
    for (const Message* message : shown) {
      ImGui::PushID(int(message->id));
      if (button("x", "Closes this message; ` shows all messages")) desk.state.toasts.close(*message);
      ImGui::SameLine();
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
      message_text(*message, desk.state.theme);
      ImGui::PopTextWrapPos();
      ImGui::PopID();
    }
  }
  ImGui::End();
}

void pane_label(Desk& desk, const Rectangle& place, u32 side) {
  Session& session = desk.session;
  if (session.comparison() == Comparison::off || place.width <= 0) return;
  std::string text = session.difference().image.width > 0 ? "Red: A visits more. Blue: B does."
                                                          : "Heat of A; the difference from B follows";
  if (session.comparison() == Comparison::side_by_side) {
    if (!session.has_structure(side)) return;
    text = fmt::format("{}   {}", side == 0 ? "A" : "B", in_words(session.built(side)));
    const std::optional<double> cost = session.statistics(side).sah_cost;
    if (cost) text += fmt::format("   SAH {:.1f}", *cost);
  }
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), low(place.x + 10, place.y + 10);
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.PushClipRect(ImVec2(place.x, place.y), ImVec2(place.x + place.width, place.y + place.height));
  list.AddRectFilled(low, ImVec2(low.x + size.x + 16, low.y + size.y + 8), IM_COL32(22, 23, 25, 210), 3);
  list.AddText(ImVec2(low.x + 8, low.y + 4), IM_COL32(242, 244, 247, 255), text.c_str());
  list.PopClipRect();
}

void empty_scene_hint(Desk& desk, const Rectangle& place) {
  if (!desk.session.geometry()->parts.empty() || desk.session.job().running) return;
  const WidgetScope scope("Empty");
  ImGui::SetNextWindowPos(ImVec2(place.x + place.width / 2, place.y + place.height / 2), ImGuiCond_Always,
                          ImVec2(0.5f, 0.5f));
  if (ImGui::Begin("##empty", nullptr, bare_window | ImGuiWindowFlags_NoBackground)) {
    ImGui::TextUnformatted("Drop meshes here: OBJ or PLY files, or a folder of them");
    first_mesh_buttons(desk);
  }
  ImGui::End();
}

void first_mesh_buttons(Desk& desk) {
  const float width = ImGui::GetFontSize() * 9;
  if (button("Open...", "O", width)) desk.commands.push_back(Command::open);
  if (desk.state.test_ball.empty()) return;
  ImGui::SameLine();
  if (button("Try the test ball", desk.state.test_ball.c_str(), width)) {
    desk.state.chosen_file = desk.state.test_ball;
  }
}

void help_overlay(Desk& desk) {
  if (!desk.state.help) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowBgAlpha(0.97f);
  constexpr int flags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse |
                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove;
  if (ImGui::Begin("Keys and mouse", &desk.state.help, flags)) {
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ImGui::GetFontSize(), 2));
    if (ImGui::BeginTable("columns", 2, ImGuiTableFlags_SizingFixedFit)) {
      ImGui::TableNextColumn();
      for (const char* group : {"Files", "Edit", "Structure", "Motion", "Camera"}) help_group(group);
      ImGui::TableNextColumn();
      for (const char* group : {"View", "Overlays", "Window"}) help_group(group);
      help_mouse();
      ImGui::EndTable();
    }
    ImGui::PopStyleVar();
  }
  ImGui::End();
}

void message_log(Desk& desk) {
  if (!desk.state.log) return;
  const WidgetScope scope("Log");
  const float unit = ImGui::GetFontSize();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(ImVec2(unit * 44, unit * 20), ImGuiCond_Appearing);
  if (ImGui::Begin("Messages", &desk.state.log, ImGuiWindowFlags_NoCollapse)) {
    Messages& messages = desk.session.messages();
    if (messages.list().empty()) quiet_text("There are no messages.");
    if (!messages.list().empty() && button("Clear")) messages.clear();
    ImGui::BeginChild("lines");
    ImGui::PushTextWrapPos(0);
    for (const Message& message : messages.list()) message_text(message, desk.state.theme);
    ImGui::PopTextWrapPos();
    ImGui::EndChild();
  }
  ImGui::End();
}

}  // namespace copse::viewer
