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

/// The greys of a theme, and the colours that stand out from them.
struct Palette {
  float window, popup, border, frame, frame_pointed, frame_active, header, muted;
  ImVec4 accent, bright, heading, text;
};

const Palette palettes[] = {{0.105f,
                             0.13f,
                             0.22f,
                             0.18f,
                             0.24f,
                             0.28f,
                             0.19f,
                             0.58f,
                             {0.20f, 0.47f, 0.40f, 1},
                             {0.25f, 0.56f, 0.48f, 1},
                             {0.45f, 0.8f, 0.68f, 1},
                             {0.95f, 0.96f, 0.97f, 1}},
                            {0.95f,
                             0.98f,
                             0.76f,
                             0.86f,
                             0.81f,
                             0.76f,
                             0.88f,
                             0.38f,
                             {0.55f, 0.80f, 0.73f, 1},
                             {0.45f, 0.74f, 0.66f, 1},
                             {0.05f, 0.42f, 0.33f, 1},
                             {0.08f, 0.09f, 0.1f, 1}}};

void set_colours(ImGuiStyle& style, Theme theme) {
  theme == Theme::light ? ImGui::StyleColorsLight(&style) : ImGui::StyleColorsDark(&style);
  const Palette& p = palettes[u64(theme)];
  ImVec4* colours = style.Colors;
  colours[ImGuiCol_Text] = p.text;
  colours[ImGuiCol_TextDisabled] = grey(p.muted);
  colours[ImGuiCol_WindowBg] = grey(p.window);
  colours[ImGuiCol_PopupBg] = grey(p.popup, 0.98f);
  colours[ImGuiCol_MenuBarBg] = grey(p.popup);
  colours[ImGuiCol_Border] = colours[ImGuiCol_Separator] = grey(p.border);
  colours[ImGuiCol_FrameBg] = grey(p.frame);
  colours[ImGuiCol_FrameBgHovered] = grey(p.frame_pointed);
  colours[ImGuiCol_FrameBgActive] = grey(p.frame_active);
  colours[ImGuiCol_TitleBg] = colours[ImGuiCol_TitleBgActive] = grey(p.header);
  colours[ImGuiCol_Header] = grey(p.header);
  colours[ImGuiCol_HeaderHovered] = grey(p.frame_pointed);
  colours[ImGuiCol_HeaderActive] = grey(p.frame_active);
  colours[ImGuiCol_Button] = grey(p.frame_pointed);
  colours[ImGuiCol_ButtonHovered] = p.accent;
  colours[ImGuiCol_ButtonActive] = p.bright;
  colours[ImGuiCol_CheckMark] = p.heading;
  colours[ImGuiCol_SliderGrab] = p.accent;
  colours[ImGuiCol_SliderGrabActive] = p.bright;
  colours[ImGuiCol_Tab] = grey(p.frame);
  colours[ImGuiCol_TabHovered] = colours[ImGuiCol_TabActive] = p.accent;
  colours[ImGuiCol_PlotHistogram] = p.bright;
  colours[ImGuiCol_PlotLinesHovered] = p.heading;  // see heading_colour
  colours[ImGuiCol_TextSelectedBg] = ImVec4(p.accent.x, p.accent.y, p.accent.z, 0.5f);
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
  set_colours(style, theme_);
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
}

void Ui::set_fonts() {
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
  const float pixels = std::round(text_height * scale_);
  const std::string file = font_file();
  if (file.empty() || fonts.AddFontFromFileTTF(file.c_str(), pixels) == nullptr) {
    ImFontConfig config;
    config.SizePixels = pixels;
    fonts.AddFontDefault(&config);
  }
}

void Ui::begin_frame(Display& display, float factor, Theme theme) {
  ImGui::SetCurrentContext(context_);
  const float scale = factor > 0 ? factor : display.ui_scale();
  if (scale != scale_) {
    if (scale_ != 0) display.forget_fonts();
    set_scale(scale);
    set_fonts();
  }
  if (theme != theme_) {
    theme_ = theme;
    set_colours(ImGui::GetStyle(), theme_);
  }
  widgets_.clear();
  display.begin_frame();
  ImGui::NewFrame();
}

void Ui::end_frame() {
  ImGui::Render();
}

}  // namespace copse::viewer
