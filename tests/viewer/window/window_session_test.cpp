// A user's session in a real window: the viewer under Xvfb, with key and mouse events of the X server.

#include "tests/viewer/window/window_session.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/viewer/window/png.h"

namespace copse::test {

namespace {

// The mouse moves by whole pixels, and the height of a pane may differ by one between versions of ImGui.
constexpr double session_tolerance = 4;
// The visits of a ray may change with the traversal.
constexpr double session_heat_tolerance = 10;

nlohmann::json read_json(const std::string& file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream, nullptr, false);
}

void expect_kept(const std::string& file, const std::string& name, double most = session_tolerance) {
  EXPECT_LE(mean_difference(read_png(file), kept_picture(name, file)), most) << name;
}

#define COPSE_SKIP_WITHOUT_X_PROGRAMS()                                \
  std::string missing;                                                 \
  if (!have_programs({"xvfb-run", "Xvfb", "xdotool"}, missing)) {      \
    GTEST_SKIP() << missing << " is not installed, so no real window"; \
  }

}  // namespace

TEST(WindowSession, LoadsOrbitsBuildsPlaysPicksAndSaves) {
  COPSE_SKIP_WITHOUT_X_PROGRAMS();
  const TestFolder folder;
  std::ofstream(folder / "settings.json") << "{}";  // not the first start, which opens the guide
  WindowSession window(folder, testball_file +
                                   " --backend cpu --window 1400x900 --size 640x360 --ui-scale 1 --builder lbvh "
                                   "--settings settings.json");
  ASSERT_TRUE(window.wait_for("Statistics/Memory"));
  window.press("p");
  expect_kept(window.wait_for_file("copse-0001.png"), "session-start.png");

  window.drag_picture(0.4, 0.5, 0.6, 0.4);
  window.scroll_picture(2);
  window.press("p");
  expect_kept(window.wait_for_file("copse-0002.png"), "session-orbited.png");
  EXPECT_GT(mean_difference(read_png(folder / "copse-0001.png"), read_png(folder / "copse-0002.png")),
            session_tolerance);

  window.choose("Structure/Builder", "sah");
  ASSERT_TRUE(window.wait_for("Structure/Bins"));
  window.press("6");
  window.press("p");
  expect_kept(window.wait_for_file("copse-0003.png"), "session-heat.png", session_heat_tolerance);

  window.choose("Motion/Deformation", "twist");
  window.click("Motion/Play");
  WindowSession::pause(2);
  window.click("Motion/Pause");
  window.press("j");
  const nlohmann::json statistics = read_json(window.wait_for_file("copse-statistics-0001.json"));
  ASSERT_TRUE(statistics.is_object());
  const nlohmann::json& structure = statistics["structures"][0];
  EXPECT_EQ(structure["options"]["builder"], "sah");
  EXPECT_GT(structure["last"]["refit_ms"], 0);

  EXPECT_FALSE(std::filesystem::exists(folder / "copse-0004.png"));
  window.click_picture(0.5, 0.5);
  EXPECT_TRUE(window.wait_for("Picked/Forget"));
  window.press("p");
  EXPECT_EQ(read_png(window.wait_for_file("copse-0004.png")).width, 640u);

  EXPECT_EQ(window.quit(), 0);
  const nlohmann::json settings = read_json(folder / "settings.json");
  EXPECT_NE(settings.dump().find("sah"), std::string::npos) << settings.dump(1);
}

TEST(WindowSession, ShowsOnTheFirstStartWhatTheCommandLineAsksFor) {
  COPSE_SKIP_WITHOUT_X_PROGRAMS();
  const TestFolder folder;
  WindowSession window(folder,
                       testball_file +
                           " --backend cpu --window 1400x900 --ui-scale 1 --settings settings.json --builder "
                           "lbvh --compare sah --view heat --boxes 3 --play wave");
  ASSERT_TRUE(window.wait_for("Offer/Start the guide"));
  EXPECT_TRUE(window.wait_until([&] { return window.picture_count() == 2; })) << "--compare";
  EXPECT_TRUE(window.wait_for("View/Hottest at")) << "--view";
  EXPECT_TRUE(window.wait_for("Overlays/Level")) << "--boxes";
  EXPECT_TRUE(window.wait_for("Motion/Pause")) << "--play";
  EXPECT_FALSE(window.sees("Guide/Next"));
  EXPECT_EQ(window.quit(), 0);
}

TEST(WindowSession, KeepsItsSettingsWhenASignalEndsIt) {
  COPSE_SKIP_WITHOUT_X_PROGRAMS();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
    const TestFolder folder;
    WindowSession window(folder, testball_file + " --backend cpu --ui-scale 1 --settings settings.json");
    ASSERT_TRUE(window.wait_for("Statistics/Memory"));
    window.press("6");
    ASSERT_TRUE(window.wait_for("View/Hottest at"));
    const auto kept = [&] { return read_json(folder / "settings.json"); };
    if (signal == SIGKILL) {  // cannot be heeded, so the settings must be there already
      EXPECT_TRUE(window.wait_until([&] { return kept().is_object() && kept()["view"]["view"] == "heat"; }));
    }
    EXPECT_EQ(window.end_by(signal), 128 + signal);
    ASSERT_TRUE(kept().is_object()) << signal;
    EXPECT_EQ(kept()["view"]["view"], "heat") << signal;
    EXPECT_NE(kept()["recent_files"].dump().find("testball.ply"), std::string::npos) << kept().dump(1);
  }
}

TEST(WindowSession, StaysOpenWithABrokenFile) {
  COPSE_SKIP_WITHOUT_X_PROGRAMS();
  const TestFolder folder;
  std::ofstream(folder / "broken.ply") << "no mesh at all";
  WindowSession window(folder, "broken.ply --backend cpu --settings ''");
  EXPECT_TRUE(window.wait_for("Messages/x"));
  window.click("Messages/x");
  EXPECT_TRUE(window.wait_for("Empty/Open..."));
  EXPECT_EQ(window.quit(), 0);
}

}  // namespace copse::test
