#include "viewer/commands.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "viewer/window/imgui_input.h"

namespace copse::viewer {

namespace {

constexpr Shortcut table[] = {
    {Command::open, GLFW_KEY_O, Modifier::none, "O", "Open meshes...", "Files"},
    {Command::add, GLFW_KEY_O, Modifier::shift, "Shift O", "Add meshes to the scene...", "Files"},
    {Command::open_sequence, GLFW_KEY_O, Modifier::control, "Ctrl O", "Open a numbered sequence...", "Files"},
    {Command::screenshot, GLFW_KEY_P, Modifier::none, "P", "Save a screenshot", "Files"},
    {Command::screenshot_window, GLFW_KEY_P, Modifier::shift, "Shift P", "Save a screenshot with the panels",
     "Files"},
    {Command::record, GLFW_KEY_K, Modifier::none, "K", "Start or stop recording pictures", "Files"},
    {Command::record_video, GLFW_KEY_K, Modifier::shift, "Shift K", "Start or stop recording a video", "Files"},
    {Command::save_statistics, GLFW_KEY_J, Modifier::none, "J", "Save statistics as JSON", "Files"},
    {Command::quit, GLFW_KEY_Q, Modifier::control, "Ctrl Q", "Quit", "Files"},

    {Command::undo, GLFW_KEY_Z, Modifier::control, "Ctrl Z", "Undo the last change", "Edit"},
    {Command::redo, GLFW_KEY_Y, Modifier::control, "Ctrl Y", "Redo", "Edit"},

    {Command::rebuild, GLFW_KEY_R, Modifier::none, "R", "Rebuild the structure now", "Structure"},
    {Command::refit, GLFW_KEY_T, Modifier::none, "T", "Refit the structure now", "Structure"},
    {Command::next_update_mode, GLFW_KEY_U, Modifier::none, "U", "When moving: nothing, refit, rebuild, automatic",
     "Structure"},
    {Command::next_comparison, GLFW_KEY_C, Modifier::none, "C", "Compare A and B: off, side by side, difference",
     "Structure"},
    {Command::cancel, GLFW_KEY_ESCAPE, Modifier::none, "Esc",
     "Close the menu, dialog or guide, or cancel the build", "Structure"},

    {Command::play, GLFW_KEY_SPACE, Modifier::none, "Space", "Play, pause", "Motion"},
    {Command::step_forward, GLFW_KEY_RIGHT, Modifier::none, "Right", "One frame forward", "Motion", true},
    {Command::step_back, GLFW_KEY_LEFT, Modifier::none, "Left", "One frame back", "Motion", true},
    {Command::move_instance, GLFW_KEY_G, Modifier::control, "Ctrl G", "Move the chosen instance by the mouse",
     "Motion"},
    {Command::turn_instance, GLFW_KEY_R, Modifier::control, "Ctrl R", "Turn it", "Motion"},
    {Command::scale_instance, GLFW_KEY_S, Modifier::control, "Ctrl S", "Scale it", "Motion"},

    {Command::view_shaded, GLFW_KEY_1, Modifier::none, "1", "Shaded", "View"},
    {Command::view_normals, GLFW_KEY_2, Modifier::none, "2", "Normals", "View"},
    {Command::view_primitives, GLFW_KEY_3, Modifier::none, "3", "Primitives", "View"},
    {Command::view_distance, GLFW_KEY_4, Modifier::none, "4", "Distance", "View"},
    {Command::view_ambient_occlusion, GLFW_KEY_5, Modifier::none, "5", "Ambient occlusion", "View"},
    {Command::view_heat, GLFW_KEY_6, Modifier::none, "6", "Heat: what rays visited", "View"},
    {Command::view_leaves, GLFW_KEY_7, Modifier::none, "7", "Leaves", "View"},
    {Command::wire, GLFW_KEY_8, Modifier::none, "8", "Wire frame: edges of triangles", "View"},
    {Command::slice, GLFW_KEY_V, Modifier::none, "V", "Slice plane", "View"},

    {Command::boxes, GLFW_KEY_B, Modifier::none, "B", "Boxes of a level", "Overlays"},
    {Command::level_up, GLFW_KEY_LEFT_BRACKET, Modifier::none, "[", "One level towards the root", "Overlays",
     true},
    {Command::level_down, GLFW_KEY_RIGHT_BRACKET, Modifier::none, "]", "One level towards the leaves", "Overlays",
     true},
    {Command::levels_above, GLFW_KEY_L, Modifier::none, "L", "Also the levels above", "Overlays"},
    {Command::curve, GLFW_KEY_M, Modifier::none, "M", "Morton curve through the leaves", "Overlays"},
    {Command::cells, GLFW_KEY_G, Modifier::none, "G", "Cells of a grid, or voxels", "Overlays"},
    {Command::clear_pick, GLFW_KEY_BACKSPACE, Modifier::none, "Backspace", "Clear the picked pixel", "Overlays"},

    {Command::frame_scene, GLFW_KEY_F, Modifier::none, "F", "Show the whole scene", "Camera"},
    {Command::look_along_x, GLFW_KEY_X, Modifier::none, "X", "Look along x; Shift: along -x", "Camera"},
    {Command::look_against_x, GLFW_KEY_X, Modifier::shift, "Shift X", nullptr, "Camera"},
    {Command::look_along_y, GLFW_KEY_Y, Modifier::none, "Y", "Look along y; Shift: along -y", "Camera"},
    {Command::look_against_y, GLFW_KEY_Y, Modifier::shift, "Shift Y", nullptr, "Camera"},
    {Command::look_along_z, GLFW_KEY_Z, Modifier::none, "Z", "Look along z; Shift: along -z", "Camera"},
    {Command::look_against_z, GLFW_KEY_Z, Modifier::shift, "Shift Z", nullptr, "Camera"},
    {Command::next_camera_mode, GLFW_KEY_I, Modifier::none, "I", "Orbit, fly, first person", "Camera"},
    {Command::add_bookmark, GLFW_KEY_N, Modifier::none, "N", "Save this camera as a bookmark", "Camera"},
    {Command::next_bookmark, GLFW_KEY_N, Modifier::shift, "Shift N", "Go to the next bookmark", "Camera"},

    {Command::toggle_help, GLFW_KEY_H, Modifier::none, "H", "This help", "Window"},
    {Command::toggle_help, GLFW_KEY_F1, Modifier::none, "F1", nullptr, "Window"},
    {Command::toggle_guide, GLFW_KEY_SLASH, Modifier::none, "/", "Guide: what is a structure?", "Window"},
    {Command::toggle_panels, GLFW_KEY_TAB, Modifier::none, "Tab", "Panels", "Window"},
    {Command::toggle_log, GLFW_KEY_GRAVE_ACCENT, Modifier::none, "`", "All messages", "Window"},
    {Command::toggle_theme, GLFW_KEY_L, Modifier::control, "Ctrl L", "Light theme", "Window"},
};

constexpr Gesture mouse[] = {
    {"Drag", "Orbit; look around when flying"},
    {"Right drag", "Pan"},
    {"Wheel", "Move nearer or farther"},
    {"Click", "Pick a pixel, and choose its instance"},
    {"Double click", "Orbit around that point"},
    {"W A S D Q E", "Move, in fly and first-person mode; Shift: faster"},
    {"Drop", "Open files or folders; with Shift: add them"},
};

}  // namespace

std::span<const Shortcut> shortcuts() {
  return table;
}

const Shortcut* shortcut_of(Command command) {
  for (const Shortcut& shortcut : table) {
    if (shortcut.command == command) return &shortcut;
  }
  return nullptr;
}

std::span<const Gesture> gestures() {
  return mouse;
}

std::vector<Command> pressed_commands() {
  std::vector<Command> commands;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyAlt || io.KeySuper) return commands;
  for (const Shortcut& shortcut : table) {
    if (io.KeyCtrl != (shortcut.modifier == Modifier::control)) continue;
    if (io.KeyShift != (shortcut.modifier == Modifier::shift)) continue;
    if (is_key_pressed(shortcut.key, shortcut.repeats)) commands.push_back(shortcut.command);
  }
  return commands;
}

}  // namespace copse::viewer
