// The viewer around the panels: cameras, sizes, settings, the end.

#include <chrono>
#include <glm/geometric.hpp>
#include <set>

#include "tests/viewer/window/desktop.h"
#include "viewer/model/settings/settings.h"

namespace copse::test {

using namespace viewer;
namespace fs = std::filesystem;

using Window = Desktop;

TEST(Shortcuts, NoTwoCommandsShareAKey) {
  std::set<std::tuple<int, Modifier>> keys;
  for (const Shortcut& shortcut : shortcuts()) {
    EXPECT_TRUE(keys.insert({shortcut.key, shortcut.modifier}).second) << shortcut.keys;
  }
}

TEST(Shortcuts, NoneTakesAKeyThatMovesTheCamera) {
  for (const Shortcut& shortcut : shortcuts()) {
    if (shortcut.modifier == Modifier::control) continue;
    EXPECT_EQ(std::string("WASDQE").find(char(shortcut.key)), std::string::npos) << shortcut.keys;
  }
}

TEST_F(Window, OrbitsByDraggingAndGoesNearerByTheWheel) {
  load(sphere());
  const CameraPose before = session.camera().pose();
  drag(in_picture(0.4f, 0.5f), in_picture(0.6f, 0.5f));
  const CameraPose turned = session.camera().pose();
  EXPECT_NE(turned.eye, before.eye);
  EXPECT_EQ(turned.target, before.target);
  EXPECT_FALSE(session.picked().has_value());
  display.scroll(2);
  run();
  const auto distance = [](const CameraPose& pose) { return glm::length(pose.eye - pose.target); };
  EXPECT_LT(distance(session.camera().pose()), distance(turned));
  press(GLFW_KEY_F);
  drag(in_picture(0.4f, 0.5f), in_picture(0.6f, 0.5f), 1);
  EXPECT_NE(session.camera().pose().target, before.target);
}

TEST_F(Window, FliesByKeys) {
  load(sphere());
  press(GLFW_KEY_I);
  ASSERT_EQ(session.camera().mode, CameraMode::fly);
  const vec3 eye = session.camera().pose().eye;
  press(GLFW_KEY_W);
  EXPECT_NE(session.camera().pose().eye, eye);
}

TEST_F(Window, DragsThatBeginOnAPanelLeaveTheCameraAlone) {
  load(sphere());
  const CameraPose before = session.camera().pose();
  drag(middle("View"), in_picture(0.5f, 0.5f));
  EXPECT_EQ(session.camera().pose(), before);
  EXPECT_FALSE(session.picked().has_value());
}

TEST_F(Window, KeepsAllPanelsWhereOneColumnHasRoom) {
  display.resize(800, 3000);
  load(sphere());
  EXPECT_TRUE(sees("View/Show"));
  EXPECT_TRUE(sees("Scene/Open..."));
}

TEST_F(Window, ShowsAMeshOfNoTriangles) {
  session.show(join_meshes({{"nothing", Mesh{}}}));
  run_until([&] { return !session.job().running; });
  for (int key = GLFW_KEY_1; key <= GLFW_KEY_7; ++key) press(key);
  press(GLFW_KEY_F);
  press(GLFW_KEY_B);
  press(GLFW_KEY_M);
  click_at(in_picture(0.5f, 0.5f));
  EXPECT_TRUE(application.run_frame());
}

TEST_F(Window, DrawsNothingWhileItHasNoSizeAndComesBack) {
  load(sphere());
  display.resize(0, 0);
  const u64 drawn = display.frame_count();
  for (int frame = 0; frame < 5; ++frame) EXPECT_TRUE(application.run_frame());
  EXPECT_EQ(display.frame_count(), drawn);
  for (const auto& [width, height] :
       {std::pair(1.0f, 1.0f), {200.0f, 30.0f}, {30.0f, 2000.0f}, {900.0f, 700.0f}}) {
    display.resize(width, height);
    run();
  }
  EXPECT_GT(display.frame_count(), drawn);
  EXPECT_GT(session.picture(0).image.width, 0u);
  EXPECT_FALSE(has_errors());
}

TEST_F(Window, EndsWhenItIsClosedAndByItsKey) {
  display.close();
  EXPECT_FALSE(application.run_frame());
}

TEST_F(Window, QuitsByItsKey) {
  display.press_key(GLFW_KEY_LEFT_CONTROL, true);
  display.press_key(GLFW_KEY_Q, true);
  bool open = true;
  for (int frame = 0; frame < 5 && open; ++frame) open = application.run_frame();
  EXPECT_FALSE(open);
}

TEST_F(Window, KeepsItsSettings) {
  load(sphere());
  press(GLFW_KEY_6);
  press(GLFW_KEY_TAB);
  display.resize(1234, 777);
  application.keep_settings();
  std::vector<std::string> complaints;
  const Settings settings = load_settings(folder / "settings.json", complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.window.width, 1234);
  EXPECT_EQ(settings.view.view, View::heat);
  EXPECT_FALSE(settings.window.panels);
  press(GLFW_KEY_1);
  application.use(settings);
  EXPECT_EQ(session.view().view, View::heat);
  EXPECT_FALSE(application.panels().panels);
}

TEST_F(Window, KeepsSettingsSoonAfterTheyChange) {
  const auto kept = [&] {
    std::vector<std::string> complaints;
    return load_settings(folder / "settings.json", complaints);
  };
  load(sphere());
  press(GLFW_KEY_6);
  run_until([&] { return kept().view.view == View::heat; });
  const auto written = fs::last_write_time(folder / "settings.json");
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1500)) application.run_frame();
  EXPECT_EQ(fs::last_write_time(folder / "settings.json"), written) << "nothing has changed";
}

TEST_F(Window, SaysOnceThatSettingsCannotBeKept) {
  fs::create_directory(folder / "settings.json");
  press(GLFW_KEY_6);
  run_until([&] { return said("keeping the settings"); });
  const u64 messages = session.messages().revision();
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1500)) application.run_frame();
  EXPECT_EQ(session.messages().revision(), messages);
}

TEST_F(Window, EnlargesItsTextByTheScale) {
  const float before = ui.widgets().find("Scene/Open...")->height;
  Settings settings;
  settings.window.ui_scale = 2;
  display.resize(1960, 1400);
  application.use(settings);
  run();
  ASSERT_TRUE(sees("Scene/Open..."));
  EXPECT_NEAR(ui.widgets().find("Scene/Open...")->height, before * 2, 3);
}

}  // namespace copse::test
