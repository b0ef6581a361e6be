// Files that come into the viewer: by the dialog, by drops, from the list of recent ones.

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/viewer/window/desktop.h"
#include "viewer/model/settings/settings.h"

namespace copse::test {

using namespace viewer;
namespace fs = std::filesystem;

using Window = Desktop;

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

}  // namespace copse::test
