// The viewer around the panels: cameras, files, drops, sizes, the end.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/viewer/desktop.h"
#include "tests/viewer/png.h"
#include "viewer/model/settings/settings.h"

namespace copse::test {

using namespace viewer;
namespace fs = std::filesystem;

using Window = Desktop;

namespace {

/// How many pixels differ, and in which rows of the image.
struct Differences {
  u64 count = 0;
  u32 first_row = ~0u, last_row = 0;
};

/// Compares an image with the part of a PNG that has its upper left corner at (x, y).
Differences differences(const Png& png, const Image& image, u32 x, u32 y) {
  Differences found;
  for (u32 row = 0; row < image.height; ++row) {
    for (u32 column = 0; column < image.width; ++column) {
      const Rgba8 pixel = image.pixels[size_t(row) * image.width + column];
      const u8* bytes = &png.bytes.at((size_t(y + row) * png.width + x + column) * 3);
      if (bytes[0] == pixel.r && bytes[1] == pixel.g && bytes[2] == pixel.b) continue;
      ++found.count;
      found.first_row = std::min(found.first_row, row);
      found.last_row = std::max(found.last_row, row);
    }
  }
  return found;
}

/// Expects the image in a PNG, with a line of text over its first rows.
void expect_picture_with_label(const Png& png, const Image& image, u32 x) {
  const Differences label = differences(png, image, x, 0);
  EXPECT_GT(label.count, 500u) << "there is no label";
  EXPECT_GE(label.first_row, 8u);
  EXPECT_LT(label.last_row, 50u) << "not the picture that was seen";
}

}  // namespace

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

TEST_F(Window, KeysOfATextFieldAreNoCommands) {
  press(GLFW_KEY_O);
  ASSERT_TRUE(application.dialog().is_open());
  click("Dialog/Path");
  press(GLFW_KEY_6);
  EXPECT_EQ(session.view().view, View::shaded);
  press(GLFW_KEY_ESCAPE);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(application.dialog().is_open());
}

TEST_F(Window, OpensWhatTheDialogChooses) {
  sphere();
  write_text("notes.txt", "no mesh");
  fs::create_directory(folder / "below");
  save_ply(folder / "below" / "grid.ply", generate_sphere(1));
  Settings settings;
  settings.folder = folder.string();
  application.use(settings);
  press(GLFW_KEY_O);
  EXPECT_TRUE(sees("Dialog/sphere.ply"));
  EXPECT_FALSE(sees("Dialog/notes.txt"));
  double_click("Dialog/below");
  EXPECT_FALSE(sees("Dialog/sphere.ply"));
  click("Dialog/Up");
  double_click("Dialog/sphere.ply");
  EXPECT_FALSE(application.dialog().is_open());
  run_until([&] { return session.geometry()->mesh.triangles.size() == 320 && !session.job().running; });

  press(GLFW_KEY_O, GLFW_KEY_LEFT_SHIFT);
  double_click("Dialog/below");
  click("Dialog/grid.ply");
  click("Dialog/Open");
  run_until([&] { return session.geometry()->parts.size() == 2 && !session.job().running; });
  EXPECT_FALSE(has_errors());
}

TEST_F(Window, SaysWhatADialogCannotRead) {
  press(GLFW_KEY_O);
  click("Dialog/Path");
  press(GLFW_KEY_A, GLFW_KEY_LEFT_CONTROL);
  type("/nowhere/at/all");
  press(GLFW_KEY_ENTER);
  EXPECT_TRUE(application.dialog().is_open());
}

TEST_F(Window, OpensRecentFilesAgain) {
  display.drop({sphere()});
  run_until([&] { return session.has_structure(0); });
  session.show(join_meshes({{"nothing", Mesh{}}}));
  run();
  click("Menu/File");
  click("Menu/File/Recent");
  click("Menu/File/" + (folder / "sphere.ply").string());
  run_until([&] { return session.geometry()->mesh.triangles.size() == 320; });
}

TEST_F(Window, KeepsAllPanelsWhereOneColumnHasRoom) {
  display.resize(800, 3000);
  load(sphere());
  EXPECT_TRUE(sees("View/Show"));
  EXPECT_TRUE(sees("Scene/Open..."));
}

TEST_F(Window, OpensWhatIsDropped) {
  display.drop({sphere()});
  run_until([&] { return session.has_structure(0); });
  EXPECT_EQ(session.geometry()->mesh.triangles.size(), 320u);
}

TEST_F(Window, SurvivesBrokenFilesAndKeepsTheScene) {
  load(sphere());
  write_text("cut.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 3\n");
  write_text("empty.obj", "");
  display.drop({folder / "cut.ply", folder / "empty.obj", folder / "missing.ply"});
  run();
  run_until([&] { return !session.job().running; });
  EXPECT_TRUE(said("cut.ply"));
  EXPECT_TRUE(said("missing.ply"));
  EXPECT_EQ(session.geometry()->mesh.triangles.size(), 320u);
  EXPECT_TRUE(session.has_structure(0));
  EXPECT_TRUE(application.run_frame());
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

TEST_F(Window, SavesScreenshotsUnderNamesThatAreFree) {
  load(sphere());
  press(GLFW_KEY_P);
  press(GLFW_KEY_P);
  const Png first = read_png(folder / "copse-0001.png");
  EXPECT_EQ(first.width, session.picture(0).image.width);
  EXPECT_EQ(first.height, session.picture(0).image.height);
  EXPECT_EQ(mean_difference(first, read_png(folder / "copse-0002.png")), 0);
  EXPECT_TRUE(said("copse-0002.png"));
}

TEST_F(Window, DrawsItsLinesIntoScreenshots) {
  load(sphere());
  press(GLFW_KEY_P);
  press(GLFW_KEY_B);
  press(GLFW_KEY_P);
  EXPECT_GT(mean_difference(read_png(folder / "copse-0001.png"), read_png(folder / "copse-0002.png")), 0);
}

TEST_F(Window, RecordsPictures) {
  load(sphere());
  choose("Motion/Deformation", "twist");
  press(GLFW_KEY_K);
  press(GLFW_KEY_SPACE);
  for (int frame = 0; frame < 6; ++frame) application.run_frame();
  press(GLFW_KEY_K);
  EXPECT_FALSE(session.recording());
  const fs::path first = folder / "copse-recording-0001" / "frame-00000.png";
  const fs::path last = folder / "copse-recording-0001" / "frame-00004.png";
  EXPECT_GT(mean_difference(read_png(first), read_png(last)), 0);
}

TEST_F(Window, SavesStatisticsAsJson) {
  load(sphere());
  press(GLFW_KEY_J);
  const auto json = nlohmann::json::parse(std::ifstream(folder / "copse-statistics-0001.json"), nullptr, false);
  EXPECT_TRUE(json.is_object());
}

TEST_F(Window, SaysWhereNothingCanBeSaved) {
  load(sphere());
  application.save_screenshot(folder / "no" / "such" / "folder" / "picture.png");
  EXPECT_TRUE(said("saving the screenshot"));
  EXPECT_TRUE(has_errors());
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

TEST_F(Window, DialogStaysInItsFolder) {
  sphere();
  fs::create_directory(folder / "below");
  save_ply(folder / "below" / "grid.ply", generate_sphere(1));
  Settings settings;
  settings.folder = folder.string();
  application.use(settings);
  press(GLFW_KEY_O);
  double_click("Dialog/below");
  ASSERT_TRUE(sees("Dialog/grid.ply"));
  press(GLFW_KEY_ESCAPE);
  press(GLFW_KEY_O);
  EXPECT_TRUE(sees("Dialog/grid.ply"));
  press(GLFW_KEY_ESCAPE);
  application.keep_settings();
  std::vector<std::string> complaints;
  EXPECT_EQ(load_settings(folder / "settings.json", complaints).folder,
            fs::weakly_canonical(folder / "below").string());
}

TEST_F(Window, TitleNamesTheMesh) {
  EXPECT_EQ(display.title(), "Copse");
  load(sphere());
  EXPECT_EQ(display.title(), "sphere.ply - Copse");
  save_ply(folder / "second.ply", generate_sphere(1));
  session.open({folder / "second.ply"}, true);
  run_until([&] { return session.geometry()->parts.size() == 2; });
  run();
  EXPECT_EQ(display.title(), "sphere.ply and 1 more - Copse");
}

TEST_F(Window, RecentFilesAreThoseThatExist) {
  application.open({sphere(), folder / "missing.ply"}, false);
  EXPECT_EQ(application.panels().recent_files, std::vector<std::string>{(folder / "sphere.ply").string()});
  write_text("frame_1.ply", "no mesh");
  application.open_sequence(folder / "frame_1.ply");
  EXPECT_EQ(application.panels().recent_files.front(), (folder / "frame_1.ply").string());
}

TEST_F(Window, SavesAComparisonAsItIsSeen) {
  load(sphere());
  press(GLFW_KEY_6);
  press(GLFW_KEY_P);
  press(GLFW_KEY_C);
  run_until([&] { return session.has_structure(1); });
  run();
  press(GLFW_KEY_P);
  const Png alone = read_png(folder / "copse-0001.png"), both = read_png(folder / "copse-0002.png");
  EXPECT_EQ(both.width, alone.width);
  EXPECT_EQ(both.height, alone.height);
  const Image &a = session.picture(0).image, &b = session.picture(1).image;
  ASSERT_EQ(both.width, a.width + b.width + 2) << "a gap of 2 points";
  expect_picture_with_label(both, a, 0);
  expect_picture_with_label(both, b, a.width + 2);
  press(GLFW_KEY_C);
  press(GLFW_KEY_P);
  expect_picture_with_label(read_png(folder / "copse-0003.png"), session.difference().image, 0);
  EXPECT_FALSE(has_errors());
}

TEST_F(Window, SavesThePanelsOnRequest) {
  load(sphere());
  press(GLFW_KEY_P, GLFW_KEY_LEFT_SHIFT);
  const Png window = read_png(folder / "copse-0001.png");
  EXPECT_EQ(window.width, 940u);
  EXPECT_EQ(window.height, 1000u);
  const Rectangle place = display.last_places().at(0);
  const Differences axes = differences(window, session.picture(0).image, u32(place.x), u32(place.y));
  EXPECT_GT(axes.count, 100u);
  EXPECT_LT(axes.last_row, 100u) << "the axes in the corner, and nothing else";
  const Rectangle button = *ui.widgets().find("Scene/Open...");
  u32 bright = 0, dark = 0;  // text on a button
  for (u32 y = u32(button.y); y < u32(button.y + button.height); ++y) {
    for (u32 x = u32(button.x); x < u32(button.x + button.width); ++x) {
      const u8 red = window.bytes[(size_t(y) * window.width + x) * 3];
      bright += red > 200;
      dark += red < 80;
    }
  }
  EXPECT_GT(bright, 20u);
  EXPECT_GT(dark, bright * 3);
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
