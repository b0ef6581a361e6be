// The menus, the guide, and what Esc closes.

#include "tests/viewer/window/desktop.h"

namespace copse::test {

using namespace viewer;

using Panels = Desktop;

TEST_F(Panels, GuideShowsEveryStepWithoutAnError) {
  load(sphere());
  press(GLFW_KEY_SLASH);
  ASSERT_TRUE(sees("Guide/Next"));
  for (u32 step = 0; step < 10; ++step) {
    click("Guide/Next");
    run_until([&] { return !session.job().running; });
    EXPECT_EQ(application.panels().guide_step, step + 1);
  }
  EXPECT_EQ(session.update_mode(), UpdateMode::rebuild);
  EXPECT_TRUE(session.playback().playing);
  click("Guide/Back");
  EXPECT_EQ(session.update_mode(), UpdateMode::refit);
  EXPECT_FALSE(has_errors());
}

TEST_F(Panels, EscapeClosesOneThingAtATime) {
  display.resize(1500, 1000);  // the list of keys leaves the panels free
  load(sphere());
  press(GLFW_KEY_SLASH);
  click("Structure/Builder");
  ASSERT_TRUE(sees("Structure/Builder/sah"));
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(sees("Structure/Builder/sah"));
  EXPECT_EQ(session.built(0).builder, Builder::lbvh);
  press(GLFW_KEY_H);
  click("Menu/File");
  ASSERT_TRUE(sees("Menu/File/Quit"));
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(sees("Menu/File/Quit"));
  EXPECT_TRUE(application.panels().help) << "a menu comes before what is below it";
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(application.panels().help);
  EXPECT_TRUE(application.panels().guide);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(application.panels().guide);
}

TEST_F(Panels, EscapeClosesAMenuInAMenu) {
  display.drop({sphere()});
  run_until([&] { return session.has_structure(0); });
  click("Menu/File");
  click("Menu/File/Recent");
  ASSERT_TRUE(sees("Menu/File/" + (folder / "sphere.ply").string()));
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(sees("Menu/File/" + (folder / "sphere.ply").string()));
  EXPECT_FALSE(sees("Menu/File/Quit"));
}

TEST_F(Panels, OfferOfTheGuideChangesNothing) {
  session.view().view = View::heat;
  session.comparison() = Comparison::side_by_side;
  session.overlay().boxes = true;
  session.playback().playing = true;
  session.playback().deformation = Deformation::wave;
  application.offer_guide();
  load(sphere());
  ASSERT_TRUE(sees("Offer/Start the guide"));
  EXPECT_EQ(session.view().view, View::heat);
  EXPECT_EQ(session.comparison(), Comparison::side_by_side);
  EXPECT_TRUE(session.overlay().boxes);
  EXPECT_TRUE(session.playback().playing);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(sees("Offer/Start the guide"));
  EXPECT_FALSE(application.panels().guide);
  application.offer_guide();
  run();
  click("Offer/Start the guide");
  EXPECT_TRUE(sees("Guide/Next"));
  EXPECT_FALSE(sees("Offer/Start the guide"));
}

TEST_F(Panels, MenusDoWhatKeysDo) {
  load(sphere());
  click("Menu/View");
  click("Menu/View/Heat: what rays visited");
  EXPECT_EQ(session.view().view, View::heat);
}

}  // namespace copse::test
