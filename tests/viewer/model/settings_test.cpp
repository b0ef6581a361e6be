// The settings of the viewer, and files that differ from what it wrote.

#include "viewer/model/settings/settings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "primitives/core/error.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

Settings unusual_settings() {
  Settings settings;
  settings.window = {900, 700, 20, -30, true, 1.5f, false};
  settings.camera = {vec3(1, 2, 3), vec3(4, 5, 6), vec3(0, 0, 1), 55};
  settings.camera_mode = CameraMode::first_person;
  settings.move_speed = 2;
  settings.bookmarks = {{"door \"left\"", {vec3(9, 8, 7), vec3(0), vec3(0, 1, 0), 30}, "/meshes/house.obj"}};
  settings.structures[0] = {.kind = StructureKind::grid, .density = 7.5f, .grid_resolution = uvec3(3, 5, 9)};
  settings.structures[1] = {.backend = Backend::cpu,
                            .builder = Builder::sah,
                            .layout = Layout::cbvh8,
                            .max_leaf_size = 3,
                            .morton_bits = 45,
                            .rotation_passes = 4,
                            .overlap = true};
  settings.update_mode = UpdateMode::rebuild;
  settings.view = {.view = View::leaves,
                   .heat_limit = 99,
                   .heat_percentile = 90,
                   .heat_legend = false,
                   .leaf_tint = LeafTint::depth,
                   .ambient_samples = 7,
                   .ambient_reach = 0.5f,
                   .smooth_samples = 3,
                   .wire = true,
                   .slice = {true, 2, 0.25f, true}};
  settings.overlay.boxes = settings.overlay.on_top = true;
  settings.overlay.level = 9;
  settings.folder = "/some/where";
  settings.recent_files = {"a.ply", "b.obj"};
  return settings;
}

Settings loaded(const std::string& text, std::vector<std::string>& complaints) {
  const TemporaryFolder folder;
  write_text(folder / "viewer.json", text);
  return load_settings(folder / "viewer.json", complaints);
}

TEST(Settings, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  const Settings before = unusual_settings();
  save_settings(folder / "new/folder/viewer.json", before);
  std::vector<std::string> complaints;
  const Settings after = load_settings(folder / "new/folder/viewer.json", complaints);
  EXPECT_TRUE(complaints.empty()) << complaints[0];
  EXPECT_EQ(after.window.width, 900);
  EXPECT_EQ(after.window.y, -30);
  EXPECT_EQ(after.window.ui_scale, 1.5f);
  EXPECT_FALSE(after.window.panels);
  EXPECT_EQ(after.camera, before.camera);
  EXPECT_EQ(after.camera_mode, before.camera_mode);
  ASSERT_EQ(after.bookmarks.size(), 1u);
  EXPECT_EQ(after.bookmarks[0].name, before.bookmarks[0].name);
  EXPECT_EQ(after.bookmarks[0].pose, before.bookmarks[0].pose);
  EXPECT_EQ(after.bookmarks[0].scene, before.bookmarks[0].scene);
  EXPECT_EQ(after.structures[0], before.structures[0]);
  EXPECT_EQ(after.structures[1], before.structures[1]);
  EXPECT_EQ(after.update_mode, before.update_mode);
  EXPECT_EQ(after.view, before.view);
  EXPECT_EQ(after.overlay, before.overlay);
  EXPECT_EQ(after.folder, before.folder);
  EXPECT_EQ(after.recent_files, before.recent_files);
}

TEST(Settings, MissingFileGivesDefaultsWithoutComplaint) {
  std::vector<std::string> complaints;
  EXPECT_EQ(load_settings("/nowhere/at/all.json", complaints).window.width, WindowSettings{}.width);
  EXPECT_TRUE(complaints.empty());
}

TEST(Settings, BrokenFileGivesDefaultsAndOneComplaint) {
  for (const char* text : {"", "{", "{\"window\": {\"width\": 900}", "\xff\xfe not json"}) {
    std::vector<std::string> complaints;
    EXPECT_EQ(loaded(text, complaints).window.width, WindowSettings{}.width);
    ASSERT_EQ(complaints.size(), 1u) << text;
    EXPECT_NE(complaints[0].find("viewer.json"), std::string::npos);
  }
}

TEST(Settings, OtherShapesOfJsonAreSurvived) {
  for (const char* text :
       {"[]", "3", "null", "{\"window\": 3}", "{\"bookmarks\": 7}", "{\"structures\": [1, null]}",
        "{\"view\": {\"slice\": []}}", "{\"bookmarks\": [[], {\"pose\": 4}]}"}) {
    std::vector<std::string> complaints;
    EXPECT_EQ(loaded(text, complaints).window.width, WindowSettings{}.width);
    EXPECT_FALSE(complaints.empty()) << text;
  }
}

TEST(Settings, FilesOfVersion01AreRead) {
  std::vector<std::string> complaints;
  EXPECT_EQ(loaded(R"({"upkeep": "rebuild"})", complaints).update_mode, UpdateMode::rebuild);
  EXPECT_TRUE(complaints.empty());
}

TEST(Settings, ValuesOutOfRangeKeepTheirDefaultsAndTheOthersHold) {
  std::vector<std::string> complaints;
  const Settings settings = loaded(
      R"({"window": {"width": -5, "height": 500}, "move_speed": "fast", "update_mode": "sometimes",
          "structures": [{"max_leaf_size": 33, "morton_bits": 7, "builder": "sah", "density": 1e99}],
          "camera": {"eye": [1, 1, 1], "target": [1, 1, 1]}, "view": {"view": "heat"}})",
      complaints);
  EXPECT_EQ(settings.window.width, WindowSettings{}.width);
  EXPECT_EQ(settings.window.height, 500);
  EXPECT_EQ(settings.update_mode, UpdateMode::refit);
  EXPECT_EQ(settings.structures[0].max_leaf_size, StructureOptions{}.max_leaf_size);
  EXPECT_EQ(settings.structures[0].builder, Builder::sah);
  EXPECT_EQ(settings.camera, CameraPose{});
  EXPECT_EQ(settings.view.view, View::heat);
  EXPECT_EQ(complaints.size(), 7u);
}

TEST(Settings, FileThatCannotBeWrittenIsAnErrorAndTheOldOneStays) {
  const TemporaryFolder folder;
  write_text(folder / "file", "old");
  EXPECT_THROW(save_settings(folder / "file/below.json", {}), Error);
  EXPECT_EQ(read_text(folder / "file"), "old");
}

TEST(Settings, WhatIsWrittenIsReadWithoutComplaint) {
  const TemporaryFolder folder;
  Settings beyond = unusual_settings();
  beyond.window.width = 90;
  beyond.window.height = 1 << 20;
  beyond.window.ui_scale = 17;
  beyond.overlay.level = 123456;
  beyond.view.heat_limit = 4000000000u;
  beyond.view.ambient_reach = std::nanf("");
  beyond.move_speed = infinity;
  beyond.camera.eye = vec3(infinity);
  beyond.structures[0].max_leaf_size = 1000;
  beyond.structures[0].morton_bits = 7;
  beyond.structures[1].grid_resolution = uvec3(0, 3, 100000);
  beyond.bookmarks.resize(300, beyond.bookmarks[0]);
  beyond.bookmarks[1].pose.eye = beyond.bookmarks[1].pose.target;
  beyond.recent_files.resize(40, "file");
  save_settings(folder / "viewer.json", beyond);
  std::vector<std::string> complaints;
  const Settings after = load_settings(folder / "viewer.json", complaints);
  EXPECT_EQ(complaints, std::vector<std::string>());
  EXPECT_EQ(after.window.width, 200);
  EXPECT_EQ(after.window.height, 16384);
  EXPECT_EQ(after.overlay.level, 1000u);
  EXPECT_EQ(after.view.heat_limit, ViewSettings{}.heat_limit);
  EXPECT_EQ(after.update_mode, beyond.update_mode) << "all others hold";
  EXPECT_EQ(after.structures[0].builder, beyond.structures[0].builder);
  EXPECT_LE(after.recent_files.size(), 10u);
}

TEST(Settings, GoThroughASession) {
  Session session;
  const Settings before = unusual_settings();
  session.use(before, true);
  const Settings after = session.settings();
  EXPECT_EQ(after.camera, before.camera);
  EXPECT_EQ(after.structures[1], before.structures[1]);
  EXPECT_EQ(after.view, before.view);
  EXPECT_EQ(after.window.width, before.window.width);
  EXPECT_EQ(after.recent_files, before.recent_files);
}

}  // namespace
}  // namespace copse::test
