// The window and its OpenGL, under Xvfb in this process. The tests read back what it draws.

#include "viewer/window/glfw_display.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <cmath>

#include <fstream>

#include "backends/imgui_impl_opengl3.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/viewer/window/program.h"
#include "tests/viewer/window/x_server.h"
#include "viewer/application.h"
#include "viewer/window/draw_list_image.h"
#include "viewer/window/gl.h"
#include "viewer/window/gl_pane.h"
#include "viewer/window/overlay.h"

namespace copse::test {

using namespace viewer;

namespace {

class GlfwWindow : public testing::Test {
 protected:
  void SetUp() override {
    std::string missing;
    if (!have_programs({"Xvfb"}, missing)) GTEST_SKIP() << missing << " is not installed, so no real window";
    server_.emplace();
    ASSERT_TRUE(server_->runs());
    ui_.emplace();
    display_.emplace(WindowOptions{.width = 800, .height = 600, .wait_for_refresh = false});
  }
  void TearDown() override {
    display_.reset();
    ui_.reset();
    server_.reset();
  }

  /// Shows a frame of panes alone. Returns the message of the display.
  std::string show(std::span<const Pane> panes) {
    display_->take_events(0);
    ui_->begin_frame(*display_, 1);
    ui_->end_frame();
    return display_->present(panes);
  }

  std::optional<XServer> server_;
  std::optional<Ui> ui_;
  std::optional<GlfwDisplay> display_;
};

/// A chequered picture of 64 x 64 at distance 2, seen from z = 2.
Picture chequers() {
  Picture picture;
  picture.image = {64, 64, {}};
  for (u32 y = 0; y < 64; ++y) {
    for (u32 x = 0; x < 64; ++x) {
      const bool odd = ((x / 8) + (y / 8)) % 2 == 1;
      picture.image.pixels.push_back(odd ? Rgba8{200, 40, 10, 255} : Rgba8{10, 90, 160, 255});
    }
  }
  picture.distances.assign(64 * 64, 2.0f);
  picture.camera = look_at({0, 0, 2}, {0, 0, 0}, {0, 1, 0}, 60, 1);
  picture.revision = 1;
  return picture;
}

/// Returns what `draw` draws into a framebuffer of this size, rows from the top.
template <class Draw>
Image drawn_by(int width, int height, const Draw& draw) {
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  draw();
  std::vector<Rgba8> rows(size_t(width) * size_t(height));
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
  Image image{u32(width), u32(height), {}};
  for (int y = height - 1; y >= 0; --y) {
    image.pixels.insert(image.pixels.end(), rows.begin() + y * width, rows.begin() + (y + 1) * width);
  }
  return image;
}

/// Returns what the painter draws into a framebuffer of the pane's size.
Image painted(const Pane& pane) {
  const int width = int(pane.place.width), height = int(pane.place.height);
  return drawn_by(width, height, [&] { gl::PanePainter().paint(pane, 1, height); });
}

u32 count_visibly_different(const Image& a, const Image& b) {
  u32 count = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    const Rgba8 &p = a.pixels[i], &q = b.pixels[i];
    count += std::abs(p.r - q.r) + std::abs(p.g - q.g) + std::abs(p.b - q.b) > 6;
  }
  return count;
}

TEST_F(GlfwWindow, DrawsEveryPixelOfAPictureOfItsSize) {
  const Picture picture = chequers();
  const Image drawn = painted({.place = {0, 0, 64, 64}, .picture = &picture});
  EXPECT_EQ(count_visibly_different(drawn, picture.image), 0u);
}

TEST_F(GlfwWindow, DrawsTheLinesThatScreenshotsShow) {
  const Picture picture = chequers();
  Lines lines;
  add_box(lines, {vec3(-0.5f, -0.4f, -0.5f), vec3(0.5f, 0.4f, 0.5f)}, {255, 255, 255, 255});
  const Pane pane{.place = {0, 0, 64, 64}, .picture = &picture, .lines = &lines, .lines_revision = 1};
  const Image drawn = painted(pane), expected = picture_with_lines(pane);
  const u32 of_lines = count_visibly_different(expected, picture.image);
  EXPECT_GT(of_lines, 100u);
  // The two step along a line in different ways. A line is one pixel wide.
  EXPECT_LT(count_visibly_different(drawn, expected), of_lines / 2);
  const Pane on_top{
      .place = pane.place, .picture = &picture, .lines = &lines, .lines_revision = 1, .lines_on_top = true};
  EXPECT_GT(count_visibly_different(painted(on_top), drawn), 10u);
}

TEST_F(GlfwWindow, DrawsTheWidgetsThatScreenshotsShow) {
  const Image background = [] {
    Image image{800, 600, {}};
    for (u32 i = 0; i < 800 * 600; ++i) image.pixels.push_back({u8(i % 800 / 4), u8(i / 800 / 4), 90, 255});
    return image;
  }();
  Picture picture;
  picture.image = background;
  picture.revision = 1;
  const Pane pane{.place = {0, 0, 800, 600}, .picture = &picture};
  Image drawn, expected;
  for (int frame = 0; frame < 3; ++frame) {  // ImGui knows the size of a window a frame later
    display_->take_events(0);
    ui_->begin_frame(*display_, 1);
    ImGui::SetNextWindowPos(ImVec2(40.5f, 30.25f));
    ImGui::SetNextWindowBgAlpha(0.7f);
    ImGui::Begin("Widgets", nullptr, ImGuiWindowFlags_AlwaysAutoResize);
    float value = 0.3f;
    bool set = true;
    button("A button");
    checkbox("A check box", set);
    slider("A slider", value, 0, 1);
    ImGui::End();
    ImGui::GetForegroundDrawList()->AddLine(ImVec2(500, 100), ImVec2(700, 433), IM_COL32(255, 200, 0, 180), 3);
    ui_->end_frame();
    expected = background;
    draw_over(expected, *ImGui::GetDrawData());
    drawn = drawn_by(800, 600, [&] {
      gl::PanePainter().paint(pane, 1, 600);
      ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    });
  }
  const u32 of_widgets = count_visibly_different(expected, background);
  EXPECT_GT(of_widgets, 10000u);
  EXPECT_LT(count_visibly_different(drawn, expected), of_widgets / 200)
      << "OpenGL may round an edge in another way";
}

TEST_F(GlfwWindow, SaysHowPicturesComeToIt) {
  const std::string way = display_->picture_way();
  EXPECT_EQ(display_->shows_device_pictures(), way == "CUDA to OpenGL") << way;
  EXPECT_TRUE(display_->shows_device_pictures() || way.find("upload: ") == 0) << way;
}

TEST_F(GlfwWindow, PictureOnADeviceThatItCannotReadGoesOverTheHostFromThenOn) {
  if (display_->shows_device_pictures()) GTEST_SKIP() << "it can";
  Picture elsewhere = chequers();
  elsewhere.image.pixels.clear();
  const Rgba8 somewhere{};
  elsewhere.device.pixels = &somewhere;
  const Pane pane{.place = {0, 0, 400, 300}, .picture = &elsewhere};
  EXPECT_EQ(show({&pane, 1}), "") << "the window stays";
  EXPECT_FALSE(display_->shows_device_pictures());
  EXPECT_NE(display_->picture_way().find("cannot"), std::string::npos) << display_->picture_way();
}

TEST_F(GlfwWindow, OpensAnewWhereItsContextIsLost) {
  const Picture picture = chequers();
  const Pane pane{.place = {0, 0, 400, 300}, .picture = &picture};
  EXPECT_EQ(show({&pane, 1}), "");
  display_->lose_context();
  EXPECT_NE(show({&pane, 1}).find("opened again"), std::string::npos);
  for (int frame = 0; frame < 3; ++frame) EXPECT_EQ(show({&pane, 1}), "");
  EXPECT_EQ(count_visibly_different(painted({.place = {0, 0, 64, 64}, .picture = &picture}), picture.image), 0u);
}

TEST_F(GlfwWindow, ShowsTheApplicationThroughALostContext) {
  Session session({.workers = 2, .deterministic = true});
  for (u32 side = 0; side < 2; ++side) session.wanted(side).backend = Backend::cpu;
  Application application(session, *display_, *ui_,
                          {.settings_file = {}, .widget_map = {}, .frame_seconds = 1.0 / 30});
  session.show(join_meshes({{"sphere", generate_sphere(2)}}));
  for (int frame = 0; frame < 5; ++frame) EXPECT_TRUE(application.run_frame());
  display_->lose_context();
  for (int frame = 0; frame < 5; ++frame) EXPECT_TRUE(application.run_frame());
  bool said = false;
  for (const Message& message : session.messages().list()) {
    said |= message.text.find("opened again") != std::string::npos;
  }
  EXPECT_TRUE(said);
  EXPECT_GT(session.picture(0).image.width, 0u);
}

TEST_F(GlfwWindow, RemembersItsSize) {
  EXPECT_EQ(display_->current_options().width, 800);
  EXPECT_EQ(display_->current_options().height, 600);
  EXPECT_NE(display_->renderer_name(), "");
}

TEST_F(GlfwWindow, SeesKeysThatGoDownAndUpBetweenTwoFrames) {
  std::string missing;
  if (!have_programs({"xdotool"}, missing)) GTEST_SKIP() << missing << " is not installed";
  show({});
  ASSERT_EQ(run_line("xdotool search --onlyvisible --name Copse windowfocus --sync").exit_code, 0);
  show({});
  // GLFW takes two presses of a key in the same millisecond for one.
  ASSERT_EQ(run_line("xdotool key --delay 0 p key --delay 0 shift+x sleep 0.01 key --delay 0 p").exit_code, 0);
  std::string seen;
  const std::string expected = "P shift-X P ";
  for (int frame = 0; frame < 300 && seen.size() < expected.size(); ++frame) {
    display_->take_events(0.02);  // the server may send the last ones later
    ui_->begin_frame(*display_, 1);
    for (const Command command : pressed_commands()) {
      seen += command == Command::screenshot ? "P " : command == Command::look_against_x ? "shift-X " : "another ";
    }
    ui_->end_frame();
    display_->present({});
  }
  EXPECT_EQ(seen, expected);
}

TEST(GlfwDisplay, SaysWhyNoWindowCanBeOpened) {
  ::unsetenv("DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  Ui ui;
  EXPECT_COPSE_ERROR(GlfwDisplay({}), ErrorCode::no_device, "--headless");
}

}  // namespace
}  // namespace copse::test
