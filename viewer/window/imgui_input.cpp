#include "viewer/window/imgui_input.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

namespace copse::viewer {

#if IMGUI_VERSION_NUM < 18700

bool is_key_pressed(int glfw_key, bool repeat) {
  return ImGui::IsKeyPressed(glfw_key, repeat);
}
bool is_key_down(int glfw_key) {
  return ImGui::IsKeyDown(glfw_key);
}

void prepare_keys() {
  ImGuiIO& io = ImGui::GetIO();
  const int pairs[][2] = {{ImGuiKey_Tab, GLFW_KEY_TAB},
                          {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
                          {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
                          {ImGuiKey_UpArrow, GLFW_KEY_UP},
                          {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
                          {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
                          {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
                          {ImGuiKey_Home, GLFW_KEY_HOME},
                          {ImGuiKey_End, GLFW_KEY_END},
                          {ImGuiKey_Insert, GLFW_KEY_INSERT},
                          {ImGuiKey_Delete, GLFW_KEY_DELETE},
                          {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
                          {ImGuiKey_Space, GLFW_KEY_SPACE},
                          {ImGuiKey_Enter, GLFW_KEY_ENTER},
                          {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
                          {ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER},
                          {ImGuiKey_A, GLFW_KEY_A},
                          {ImGuiKey_C, GLFW_KEY_C},
                          {ImGuiKey_V, GLFW_KEY_V},
                          {ImGuiKey_X, GLFW_KEY_X},
                          {ImGuiKey_Y, GLFW_KEY_Y},
                          {ImGuiKey_Z, GLFW_KEY_Z}};
  for (const auto& [ours, glfws] : pairs) io.KeyMap[ours] = glfws;
}

void feed_key(int glfw_key, bool down) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeysDown[glfw_key] = down;
  io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
  io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
  io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] || io.KeysDown[GLFW_KEY_RIGHT_ALT];
}

void feed_mouse_position(float x, float y) {
  ImGui::GetIO().MousePos = ImVec2(x, y);
}
void feed_mouse_button(int button, bool down) {
  ImGui::GetIO().MouseDown[button] = down;
}
void feed_scroll(float steps) {
  ImGui::GetIO().MouseWheel += steps;
}

#else

namespace {

ImGuiKey key_of(int glfw_key) {
  if (glfw_key >= GLFW_KEY_A && glfw_key <= GLFW_KEY_Z) return ImGuiKey(ImGuiKey_A + (glfw_key - GLFW_KEY_A));
  if (glfw_key >= GLFW_KEY_0 && glfw_key <= GLFW_KEY_9) return ImGuiKey(ImGuiKey_0 + (glfw_key - GLFW_KEY_0));
  if (glfw_key >= GLFW_KEY_F1 && glfw_key <= GLFW_KEY_F12) {
    return ImGuiKey(ImGuiKey_F1 + (glfw_key - GLFW_KEY_F1));
  }
  switch (glfw_key) {
    case GLFW_KEY_TAB: return ImGuiKey_Tab;
    case GLFW_KEY_LEFT: return ImGuiKey_LeftArrow;
    case GLFW_KEY_RIGHT: return ImGuiKey_RightArrow;
    case GLFW_KEY_UP: return ImGuiKey_UpArrow;
    case GLFW_KEY_DOWN: return ImGuiKey_DownArrow;
    case GLFW_KEY_PAGE_UP: return ImGuiKey_PageUp;
    case GLFW_KEY_PAGE_DOWN: return ImGuiKey_PageDown;
    case GLFW_KEY_HOME: return ImGuiKey_Home;
    case GLFW_KEY_END: return ImGuiKey_End;
    case GLFW_KEY_DELETE: return ImGuiKey_Delete;
    case GLFW_KEY_BACKSPACE: return ImGuiKey_Backspace;
    case GLFW_KEY_SPACE: return ImGuiKey_Space;
    case GLFW_KEY_ENTER: return ImGuiKey_Enter;
    case GLFW_KEY_ESCAPE: return ImGuiKey_Escape;
    case GLFW_KEY_COMMA: return ImGuiKey_Comma;
    case GLFW_KEY_PERIOD: return ImGuiKey_Period;
    case GLFW_KEY_MINUS: return ImGuiKey_Minus;
    case GLFW_KEY_EQUAL: return ImGuiKey_Equal;
    case GLFW_KEY_SLASH: return ImGuiKey_Slash;
    case GLFW_KEY_GRAVE_ACCENT: return ImGuiKey_GraveAccent;
    case GLFW_KEY_LEFT_BRACKET: return ImGuiKey_LeftBracket;
    case GLFW_KEY_RIGHT_BRACKET: return ImGuiKey_RightBracket;
    case GLFW_KEY_LEFT_CONTROL: return ImGuiKey_LeftCtrl;
    case GLFW_KEY_RIGHT_CONTROL: return ImGuiKey_RightCtrl;
    case GLFW_KEY_LEFT_SHIFT: return ImGuiKey_LeftShift;
    case GLFW_KEY_RIGHT_SHIFT: return ImGuiKey_RightShift;
    case GLFW_KEY_LEFT_ALT: return ImGuiKey_LeftAlt;
    case GLFW_KEY_RIGHT_ALT: return ImGuiKey_RightAlt;
    default: return ImGuiKey_None;
  }
}

}  // namespace

bool is_key_pressed(int glfw_key, bool repeat) {
  return ImGui::IsKeyPressed(key_of(glfw_key), repeat);
}
bool is_key_down(int glfw_key) {
  return ImGui::IsKeyDown(key_of(glfw_key));
}

void prepare_keys() {}

void feed_key(int glfw_key, bool down) {
  ImGuiIO& io = ImGui::GetIO();
  if (glfw_key == GLFW_KEY_LEFT_CONTROL) io.AddKeyEvent(ImGuiMod_Ctrl, down);
  if (glfw_key == GLFW_KEY_LEFT_SHIFT) io.AddKeyEvent(ImGuiMod_Shift, down);
  if (glfw_key == GLFW_KEY_LEFT_ALT) io.AddKeyEvent(ImGuiMod_Alt, down);
  io.AddKeyEvent(key_of(glfw_key), down);
}

void feed_mouse_position(float x, float y) {
  ImGui::GetIO().AddMousePosEvent(x, y);
}
void feed_mouse_button(int button, bool down) {
  ImGui::GetIO().AddMouseButtonEvent(button, down);
}
void feed_scroll(float steps) {
  ImGui::GetIO().AddMouseWheelEvent(0, steps);
}

#endif

}  // namespace copse::viewer
