#include "viewer/application.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "viewer/hand_controls.h"
#include "viewer/layout.h"
#include "viewer/model/settings/settings.h"
#include "viewer/panes.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

constexpr double sleep_seconds = 0.25;  // at most, while nothing changes
constexpr u32 frames_to_settle = 4;
constexpr int panel_window = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                             ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Opens an ImGui window over a rectangle. If it returns true, end the window with ImGui::End.
bool begin_part(const char* name, const Rectangle& place) {
  if (place.width <= 0 || place.height <= 0) return false;
  ImGui::SetNextWindowPos(ImVec2(place.x, place.y));
  ImGui::SetNextWindowSize(ImVec2(place.width, place.height));
  ImGui::Begin(name, nullptr, panel_window);
  return true;
}

/// For programs that drive the window, as JSON: where its widgets and pictures are, in points of the window.
///   {"widgets": {NAME: [x, y, width, height]...}, "pictures": [[x, y, width, height]...]}
std::string widget_map_json(const WidgetMap& widgets, std::span<const Pane> panes) {
  const auto numbers = [](const Rectangle& place) {
    return nlohmann::json{place.x, place.y, place.width, place.height};
  };
  nlohmann::json named = nlohmann::json::object(), pictures = nlohmann::json::array();
  for (const auto& [name, place] : widgets.places()) named[name] = numbers(place);
  for (const Pane& pane : panes) pictures.push_back(numbers(pane.place));
  return nlohmann::json{{"widgets", named}, {"pictures", pictures}}.dump(1);
}

void panel(const char* heading, Desk& desk, void (*draw)(Desk&), bool open_at_first = true) {
  if (section(heading, open_at_first)) {
    draw(desk);
    ImGui::Spacing();
  }
}

void right_panels(Desk& desk) {
  panel("View", desk, view_panel);
  panel("Overlays", desk, overlay_panel);
  panel("Picked pixel", desk, pick_panel);
  panel("Nodes", desk, nodes_panel, false);
  panel("Statistics", desk, statistics_panel);
  panel("A and B", desk, comparison_panel, false);
}

bool has_input() {
  const ImGuiIO& io = ImGui::GetIO();
  return ImGui::IsAnyItemActive() || ImGui::IsAnyMouseDown() || io.MouseDelta.x != 0 || io.MouseDelta.y != 0 ||
         io.MouseWheel != 0 || io.WantTextInput;
}

}  // namespace

Application::Application(Session& session, Display& display, Ui& ui, const ApplicationOptions& options)
    : session_(session),
      display_(display),
      ui_(ui),
      options_(options),
      last_frame_(std::chrono::steady_clock::now()),
      settings_time_(last_frame_) {
  panels_.test_ball = options.test_ball.string();
}

double Application::seconds_since_last_frame() {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - last_frame_).count();
  last_frame_ = now;
  return options_.frame_seconds.value_or(std::min(seconds, 0.5));
}

bool Application::run_frame() {
  const bool sleeps = awake_ == 0 && !session_.busy() && !options_.frame_seconds;
  display_.take_events(sleeps ? sleep_seconds : 0);
  if (awake_ > 0) --awake_;
  if (quits_ || display_.is_asked_to_close()) return false;

  take_drops();
  const double seconds = seconds_since_last_frame();
  session_.leave_pictures_on_device(display_.shows_device_pictures());
  panels_.picture_way = display_.picture_way();
  session_.update(seconds);
  if (!display_.is_visible()) {
    if (!session_.busy()) display_.take_events(sleep_seconds / 5);
    return true;
  }
  panels_.frame_seconds += (seconds - panels_.frame_seconds) * (sleeps ? 0.0 : 0.1);

  ui_.begin_frame(display_, settings_.window.ui_scale, panels_.theme);
  const bool active = has_input();
  if (active) awake_ = frames_to_settle;
  session_.set_user_active(active);
  const bool in_menu = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  draw_window();
  use_hands(in_menu, seconds);
  ui_.end_frame();
  const std::string problem = display_.present(panes_);
  if (!problem.empty()) session_.messages().add(Severity::warning, problem);

  carry_out();
  note_choices();
  record_picture();
  panels_.toasts.age(session_.messages(), seconds);
  write_widget_map();
  show_title();
  keep_changed_settings();
  return !quits_;
}

void Application::take_drops() {
  if (!panels_.chosen_file.empty()) open({std::exchange(panels_.chosen_file, {})}, false);
  const std::vector<fs::path> dropped = display_.take_dropped();
  if (!dropped.empty()) open(dropped, ImGui::GetIO().KeyShift);
}

void Application::draw_window() {
  Desk desk{session_, panels_, commands_};
  draw_menu_bar(desk);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const WindowLayout layout = lay_out(size.x, size.y, ImGui::GetFrameHeight(), ui_.scale(), panels_.panels);
  draw_columns(desk, layout);
  place_panes(layout.picture);
  for (u32 side = 0; side < u32(panes_.size()); ++side) pane_label(desk, panes_[side].place, side);
  if (!panes_.empty()) axis_gizmo(desk, panes_.back().place);
  empty_scene_hint(desk, layout.picture);
  job_banner(desk, layout.picture);
  hand_hint(desk, layout.picture);
  message_toasts(desk, layout.picture);
  guide_offer(desk, layout.picture);
  guide(desk, layout.picture);
  help_overlay(desk);
  message_log(desk);
  if (const auto choice = dialog_.draw()) {
    if (choice->purpose == FileDialog::Purpose::sequence) {
      open_sequence(choice->paths.front());
    } else {
      open(choice->paths, choice->purpose == FileDialog::Purpose::add);
    }
  }
}

void Application::draw_menu_bar(Desk& desk) {
  if (!ImGui::BeginMainMenuBar()) return;
  menus(desk);
  status_bar(desk);
  ImGui::EndMainMenuBar();
}

void Application::draw_columns(Desk& desk, const WindowLayout& layout) {
  if (begin_part("##left", layout.left)) {
    panel("Scene", desk, scene_panel);
    panel("Structure", desk, structure_panel);
    panel("Motion", desk, motion_panel);
    panel("Camera", desk, camera_panel);
    if (layout.right.width <= 0)
      right_panels(desk);  // there is no room for a right column: its panels come below these
    ImGui::End();
  }
  if (begin_part("##right", layout.right)) {
    right_panels(desk);
    ImGui::End();
  }
  if (begin_part("##bottom", layout.bottom)) {
    timeline_panel(desk);
    ImGui::End();
  }
}

void Application::place_panes(const Rectangle& place) {
  const float scale = display_.pixels_per_point();
  const Rectangle each = picture_places(place, session_).front();
  const CameraPose before = session_.camera().pose();
  session_.set_picture_size(u32(std::max(each.width, 0.0f) * scale), u32(std::max(each.height, 0.0f) * scale));
  if (each.width > 0 && each.height > 0) {
    const bool beside = session_.comparison() == Comparison::side_by_side;
    keep_in_sight(beside, before, place.width / place.height, each.width / each.height);
  }
  panes_ = panes_of(session_, place);
  panels_.scale_height = 0;
  for (const Pane& pane : panes_) {
    const Picture& picture = *pane.picture;
    if (picture.image.height == 0) continue;
    const float share = float(picture.scale_rows) / float(picture.image.height);
    panels_.scale_height = std::max(panels_.scale_height, share * pane.place.height);
  }
}

/// Two pictures side by side are narrow. The eye moves back so that each shows what one did, and later returns.
///   before:    the pose before the pictures got their new size, which moves a camera that frames the scene
///   one, each: the widths of a picture alone and of one of two, over their height
void Application::keep_in_sight(bool beside, const CameraPose& before, float one, float each) {
  if (beside == shows_two_) return;
  shows_two_ = beside;
  CameraRig& camera = session_.camera();
  if (!options_.steps_back || camera.mode != CameraMode::orbit) return;
  const auto distance = [](const CameraPose& pose) { return double(glm::distance(pose.eye, pose.target)); };
  if (beside) {
    if (!camera.is_framed()) camera.step_back(session_.bounds(), one, each);
    pose_alone_ = before;
    pose_beside_ = camera.pose();
  } else if (camera.pose() == pose_beside_) {
    camera.set_pose(pose_alone_);
  } else if (!camera.is_framed()) {
    camera.scale_distance(distance(pose_alone_) / distance(pose_beside_));
  }
}

/// While an instance is moved by the mouse, no other key and no click has an effect.
void Application::use_hands(bool in_menu, double seconds) {
  if (panels_.hand.motion()) return follow_hand(session_, panels_.hand, panes_);
  take_keys(in_menu);
  if (!controls_.apply(session_, panes_, seconds)) return;
  const std::optional<Pick>& picked = session_.picked();
  session_.choose_instance(picked && picked->part_id != invalid_id ? std::optional(picked->part_id)
                                                                   : std::nullopt);
}

/// `in_menu`: a menu or a list was open when the frame began. Esc has closed that, and no more.
void Application::take_keys(bool in_menu) {
  if (ImGui::GetIO().WantTextInput) return;
  for (const Command command : pressed_commands()) {
    if (command != Command::cancel || !in_menu) commands_.push_back(command);
  }
}

void Application::carry_out() {
  std::vector<Command> commands;
  commands.swap(commands_);
  if (!commands.empty()) awake_ = frames_to_settle;
  for (const Command command : commands) perform(command);
}

/// While a slider or an instance is dragged, all its values are one change.
void Application::note_choices() {
  const bool rests = !ImGui::IsAnyItemActive() && !ImGui::IsAnyMouseDown() && !panels_.hand.motion();
  if (rests) history_.note(choices_of(session_));
  panels_.can_undo = history_.can_undo();
  panels_.can_redo = history_.can_redo();
}

void Application::record_picture() {
  if (!session_.recording() || panes_.empty()) return;
  u64 revision = 0;  // of all that is shown
  for (const Pane& pane : panes_) {
    if (pane.picture->is_preview || pane.picture->image.width == 0) return;
    revision += pane.picture->revision;
  }
  if (revision == recorded_revision_) return;
  recorded_revision_ = revision;
  session_.messages().guard("recording", [&] {
    const auto [width, height] = shown_pixels();
    session_.record(picture_export().draw(session_, width, height));
  });
}

void Application::write_widget_map() {
  if (options_.widget_map.empty()) return;
  std::string text = widget_map_json(ui_.widgets(), panes_);
  if (text == written_map_) return;
  written_map_ = std::move(text);
  session_.messages().guard("writing the widget map", [&] { save_text(options_.widget_map, written_map_); });
}

void Application::open(const std::vector<fs::path>& paths, bool add, bool as_in_file) {
  session_.open(paths, add, as_in_file);
  for (const fs::path& path : paths) remember(path);
}

void Application::open_sequence(const fs::path& path) {
  session_.open_sequence(path);
  remember(path);
}

void Application::remember(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const std::string name = fs::absolute(file, error).lexically_normal().string();
  std::vector<std::string>& recent = panels_.recent_files;
  recent.erase(std::remove(recent.begin(), recent.end(), name), recent.end());
  recent.insert(recent.begin(), name);
  constexpr size_t max_recent = 10;
  if (recent.size() > max_recent) recent.resize(max_recent);
}

void Application::show_title() {
  const std::vector<ScenePart>& parts = session_.geometry()->parts;
  std::string title = parts.empty() ? "" : parts.front().name;
  if (parts.size() > 1) title += fmt::format(" and {} more", parts.size() - 1);
  display_.set_title(title.empty() ? "Copse" : title + " - Copse");
}

}  // namespace copse::viewer
