#include <imgui.h>

#include "viewer/model/picture/video_file.h"
#include "viewer/panels/panels.h"

namespace copse::viewer {

namespace {

void recent_menu(PanelState& state) {
  const bool open = ImGui::BeginMenu("Recent", !state.recent_files.empty());
  note_widget("Recent");
  if (!open) return;
  for (const std::string& file : state.recent_files) {
    if (ImGui::MenuItem(file.c_str())) state.chosen_file = file;
    note_widget(file);
  }
  close_on_escape();
  ImGui::EndMenu();
}

void file_menu(Desk& desk) {
  for (const Command command : {Command::open, Command::add, Command::open_sequence}) menu_item(desk, command);
  recent_menu(desk.state);
  ImGui::Separator();
  menu_item(desk, Command::screenshot);
  menu_item(desk, Command::screenshot_window);
  menu_item(desk, Command::record, desk.session.recording());
  menu_item(desk, Command::record_video, desk.session.recording(), has_ffmpeg());
  menu_item(desk, Command::save_statistics);
  ImGui::Separator();
  menu_item(desk, Command::quit);
}

void edit_menu(Desk& desk) {
  menu_item(desk, Command::undo, false, desk.state.can_undo);
  menu_item(desk, Command::redo, false, desk.state.can_redo);
}

void structure_menu(Desk& desk) {
  for (const Command command : {Command::rebuild, Command::refit, Command::cancel}) menu_item(desk, command);
  ImGui::Separator();
  menu_item(desk, Command::next_update_mode);
  menu_item(desk, Command::next_comparison);
  ImGui::Separator();
  for (const Command command : {Command::play, Command::step_forward, Command::step_back})
    menu_item(desk, command);
  ImGui::Separator();
  const bool is_chosen = desk.session.chosen_instance().has_value();
  for (const Command command : {Command::move_instance, Command::turn_instance, Command::scale_instance})
    menu_item(desk, command, false, is_chosen);
}

void view_menu(Desk& desk) {
  const View view = desk.session.view().view;
  for (u64 i = 0; i < names<View>().size(); ++i) {
    menu_item(desk, Command(u64(Command::view_shaded) + i), u64(view) == i);
  }
  ImGui::Separator();
  menu_item(desk, Command::wire, desk.session.view().wire);
  menu_item(desk, Command::slice, desk.session.view().slice.on);
  ImGui::Separator();
  const OverlaySettings& overlay = desk.session.overlay();
  menu_item(desk, Command::boxes, overlay.boxes);
  menu_item(desk, Command::levels_above, overlay.levels_above);
  menu_item(desk, Command::curve, overlay.curve);
  menu_item(desk, Command::cells, overlay.cells);
  menu_item(desk, Command::clear_pick);
}

void camera_menu(Desk& desk) {
  for (const Command command :
       {Command::frame_scene, Command::look_along_x, Command::look_along_y, Command::look_along_z,
        Command::next_camera_mode, Command::add_bookmark, Command::next_bookmark}) {
    menu_item(desk, command);
  }
}

void window_menu(Desk& desk) {
  menu_item(desk, Command::toggle_help, desk.state.help);
  menu_item(desk, Command::toggle_guide, desk.state.guide);
  menu_item(desk, Command::toggle_panels, desk.state.panels);
  menu_item(desk, Command::toggle_log, desk.state.log);
  menu_item(desk, Command::toggle_theme, desk.state.theme == Theme::light);
}

}  // namespace

void menu_item(Desk& desk, Command command, bool checked, bool enabled) {
  const Shortcut* shortcut = shortcut_of(command);
  if (shortcut == nullptr || shortcut->meaning == nullptr) return;
  if (ImGui::MenuItem(shortcut->meaning, shortcut->keys, checked, enabled)) desk.commands.push_back(command);
  note_widget(shortcut->meaning);
}

void menus(Desk& desk) {
  constexpr std::pair<const char*, void (*)(Desk&)> all[] = {
      {"File", file_menu}, {"Edit", edit_menu},     {"Structure", structure_menu},
      {"View", view_menu}, {"Camera", camera_menu}, {"Window", window_menu}};
  const WidgetScope scope("Menu");
  for (const auto& [name, draw] : all) {
    const bool open = ImGui::BeginMenu(name);
    note_widget(name);
    if (!open) continue;
    const WidgetScope inner(name);
    draw(desk);
    close_on_escape();
    ImGui::EndMenu();
  }
}

}  // namespace copse::viewer
