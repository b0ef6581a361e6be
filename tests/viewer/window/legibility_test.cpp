// What panels and pictures say can be read: nothing is cut off, and nothing lies over something else.

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/viewer/window/desktop.h"
#include "viewer/model/settings/settings.h"

namespace copse::test {

using namespace viewer;

class Legibility : public Desktop {
 protected:
  Rectangle place(const std::string& widget) const {
    const Rectangle* found = ui.widgets().find(widget);
    EXPECT_NE(found, nullptr) << widget;
    return found != nullptr ? *found : Rectangle{};
  }
  static bool overlap(const Rectangle& a, const Rectangle& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  }
};

TEST_F(Legibility, LongNamesStayClearOfTheirCounts) {
  const std::string name = "a very long name of a mesh that says what it is.ply";
  save_ply(folder / name, generate_sphere(2));
  load(folder / name);
  const Rectangle shown = place("Scene/" + name), count = place("Scene/" + name + "/value");
  EXPECT_FALSE(overlap(shown, count)) << shown.x + shown.width << " " << count.x;
  EXPECT_GT(count.width, 0);
}

TEST_F(Legibility, SlidersAreFilledUpToTheirValue) {
  EXPECT_EQ(slider_share(5, 5, 150, false), 0);
  EXPECT_EQ(slider_share(150, 5, 150, false), 1);
  EXPECT_FLOAT_EQ(slider_share(0, -4, 4, false), 0.5f);
  EXPECT_FLOAT_EQ(slider_share(8, 1, 64, true), 0.5f);
  EXPECT_EQ(slider_share(999, 1, 64, true), 1);
  EXPECT_EQ(slider_share(1, 1, 1, false), 0);
}

TEST_F(Legibility, GuideAndMessagesLeaveTheColourScaleInSight) {
  display.resize(1400, 900);
  load(sphere());
  press(GLFW_KEY_SLASH);
  for (u32 step = 0; step < 5; ++step) click("Guide/Next");  // to the heat map
  run_until([&] { return session.view().view == View::heat && session.picture(0).scale_rows > 0; });
  press(GLFW_KEY_J);  // a note
  const Rectangle picture = display.last_places().at(0);
  const float share = float(session.picture(0).scale_rows) / float(session.picture(0).image.height);
  const float top = picture.y + picture.height * (1 - share);
  const Rectangle guide = place("Guide/Window"), note = place("Messages/x");
  EXPECT_LE(guide.y + guide.height, top);
  EXPECT_LE(note.y + note.height, top);
}

TEST_F(Legibility, GuideAsksForAMeshBeforeItSpeaksOfColours) {
  press(GLFW_KEY_SLASH);
  EXPECT_FALSE(sees("Guide/Next"));
  ASSERT_TRUE(sees("Guide/Try the test ball"));
  click("Guide/Try the test ball");
  run_until([&] { return session.has_structure(0); });
  run();
  EXPECT_EQ(session.geometry()->parts.at(0).name, "testball.ply");
  EXPECT_TRUE(sees("Guide/Next"));
}

TEST_F(Legibility, AnEmptyWindowOffersTheTestBall) {
  click("Empty/Try the test ball");
  run_until([&] { return session.has_structure(0); });
  EXPECT_EQ(session.statistics(0).primitive_count, 80768u);
  EXPECT_FALSE(has_errors());
}

TEST_F(Legibility, NamesOfCurvesAreNotCutOff) {
  display.resize(960, 800);
  load(sphere());
  session.playback().deformation = Deformation::twist;
  session.playback().playing = true;
  for (u32 frame = 0; frame < 5; ++frame) application.run_frame();
  session.playback().playing = false;
  session.rebuild_now(0);
  run();
  const Rectangle picture = display.last_places().at(0);
  for (const char* curve : {"Times/build", "Times/refit", "Times/trace"}) {
    const Rectangle name = place(curve);
    EXPECT_LE(name.x + name.width, picture.x + picture.width) << curve;
  }
  EXPECT_FALSE(overlap(place("Times/build"), place("Times/refit")));
  EXPECT_FALSE(overlap(place("Times/refit"), place("Times/trace")));
}

TEST_F(Legibility, StagesSayWhetherTheyAreOfABuildOrARefit) {
  load(sphere());
  EXPECT_TRUE(sees("Times/Stages of the last build"));
  session.refit_now(0);
  run();
  EXPECT_TRUE(sees("Times/Stages of the last refit"));
  EXPECT_FALSE(sees("Times/Stages of the last build"));
  session.wanted(0).kind = StructureKind::grid;
  session.build(0);
  run_until([&] { return session.built(0).kind == StructureKind::grid; });
  session.refit_now(0);
  run();
  EXPECT_TRUE(sees("Times/Stages of the last build")) << "a grid is built again in place of a refit";
}

TEST_F(Legibility, SmallWindowsAtALargeScaleHavePanels) {
  display.resize(800, 600);
  Settings large;
  large.window.ui_scale = 2;
  application.use(large);
  load(sphere());
  EXPECT_TRUE(sees("Scene/Open..."));
  EXPECT_GE(display.last_places().at(0).width, 320);
}

TEST_F(Legibility, TheLightThemeIsLightAndKept) {
  load(sphere());
  const float dark = ImGui::GetStyle().Colors[ImGuiCol_WindowBg].x;
  press(GLFW_KEY_L, GLFW_KEY_LEFT_CONTROL);
  const ImGuiStyle& style = ImGui::GetStyle();
  EXPECT_LT(dark, 0.3f);
  EXPECT_GT(style.Colors[ImGuiCol_WindowBg].x, 0.8f);
  EXPECT_LT(style.Colors[ImGuiCol_Text].x, 0.3f);
  application.keep_settings();
  std::vector<std::string> complaints;
  EXPECT_EQ(load_settings(folder / "settings.json", complaints).window.theme, Theme::light);
}

}  // namespace copse::test
