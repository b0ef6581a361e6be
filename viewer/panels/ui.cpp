#include "viewer/panels/ui.h"

#include <imgui.h>

#include <cmath>
#include <filesystem>

namespace copse::viewer {

namespace {

constexpr float text_height = 15;

/// The first of some common fonts that is installed; empty if none is.
std::string font_file() {
  for (const char* file :
       {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans.ttf",
        "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
        "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"}) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
  }
  return {};
}

ImVec4 grey(float value, float alpha = 1) {
  return {value, value * 1.02f, value * 1.06f, alpha};
}

void set_colours(ImGuiStyle& style) {
  ImGui::StyleColorsDark(&style);
  ImVec4* colours = style.Colors;
  const ImVec4 accent(0.24f, 0.56f, 0.48f, 1), bright(0.31f, 0.69f, 0.58f, 1);
  colours[ImGuiCol_TextDisabled] = grey(0.58f);
  colours[ImGuiCol_WindowBg] = grey(0.105f);
  colours[ImGuiCol_PopupBg] = grey(0.13f, 0.98f);
  colours[ImGuiCol_MenuBarBg] = grey(0.13f);
  colours[ImGuiCol_Border] = grey(0.22f);
  colours[ImGuiCol_FrameBg] = grey(0.18f);
  colours[ImGuiCol_FrameBgHovered] = grey(0.24f);
  colours[ImGuiCol_FrameBgActive] = grey(0.28f);
  colours[ImGuiCol_TitleBg] = colours[ImGuiCol_TitleBgActive] = grey(0.13f);
  colours[ImGuiCol_Header] = grey(0.19f);
  colours[ImGuiCol_HeaderHovered] = grey(0.25f);
  colours[ImGuiCol_HeaderActive] = grey(0.3f);
  colours[ImGuiCol_Button] = grey(0.22f);
  colours[ImGuiCol_ButtonHovered] = accent;
  colours[ImGuiCol_ButtonActive] = bright;
  colours[ImGuiCol_CheckMark] = bright;
  colours[ImGuiCol_SliderGrab] = accent;
  colours[ImGuiCol_SliderGrabActive] = bright;
  colours[ImGuiCol_Tab] = grey(0.16f);
  colours[ImGuiCol_TabHovered] = colours[ImGuiCol_TabActive] = accent;
  colours[ImGuiCol_PlotHistogram] = accent;
  colours[ImGuiCol_TextSelectedBg] = ImVec4(accent.x, accent.y, accent.z, 0.5f);
  colours[ImGuiCol_Separator] = grey(0.22f);
}

}  // namespace

Ui::Ui() : context_(ImGui::CreateContext()) {
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().UserData = &widgets_;
}

Ui::~Ui() {
  ImGui::DestroyContext(context_);
}

void Ui::set_scale(float scale) {
  scale_ = scale;
  ImGuiStyle style;
  set_colours(style);
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.PopupRounding = 3;
  style.WindowBorderSize = 1;
  style.WindowPadding = ImVec2(10, 8);
  style.FramePadding = ImVec2(6, 3);
  style.ItemSpacing = ImVec2(8, 5);
  style.ScrollbarSize = 12;
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;

  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
  const float pixels = std::round(text_height * scale);
  const std::string file = font_file();
  if (file.empty() || fonts.AddFontFromFileTTF(file.c_str(), pixels) == nullptr) {
    ImFontConfig config;
    config.SizePixels = pixels;
    fonts.AddFontDefault(&config);
  }
}

void Ui::begin_frame(Display& display, float factor) {
  ImGui::SetCurrentContext(context_);
  const float scale = factor > 0 ? factor : display.ui_scale();
  if (scale != scale_) {
    if (scale_ != 0) display.forget_fonts();
    set_scale(scale);
  }
  widgets_.clear();
  display.begin_frame();
  ImGui::NewFrame();
}

void Ui::end_frame() {
  ImGui::Render();
}

}  // namespace copse::viewer
