// Instances that are chosen, moved, turned and scaled in the window.

#include <glm/vec4.hpp>
#include <string>

#include "tests/viewer/window/desktop.h"
#include "viewer/model/scene/placed_meshes.h"

namespace copse::test {

using namespace viewer;

class HandPanels : public Desktop {
 protected:
  HandPanels() {
    load(std::filesystem::path(COPSE_ASSETS) / "grove.glb");
    press(GLFW_KEY_F);
  }
  const Instance& instance(u32 number) const { return session.geometry()->placed->instances[number]; }
  /// Moves the mouse to a place in the picture.
  void rest_at(float x, float y) {
    const auto [px, py] = in_picture(x, y);
    display.move_mouse(px, py);
    run();
  }
};

TEST_F(HandPanels, AClickOnThePictureOrTheListChooses) {
  EXPECT_FALSE(sees("Scene/Position"));
  for (const float x : {0.5f, 0.4f, 0.6f, 0.3f, 0.7f}) {
    click_at(in_picture(x, 0.5f));
    if (is_hit(session.picked()->hit)) break;
  }
  ASSERT_TRUE(is_hit(session.picked()->hit)) << "one of the points is on the ground";
  ASSERT_TRUE(session.chosen_instance().has_value());
  const u32 picked = *session.chosen_instance();
  EXPECT_EQ(session.geometry()->parts[picked].name, session.picked()->part);
  run();
  EXPECT_TRUE(sees("Scene/Instance " + std::to_string(picked))) << "the list scrolls to it";
  for (const char* widget : {"Scene/Position", "Scene/Turn", "Scene/Scale"}) EXPECT_TRUE(sees(widget)) << widget;
  click_at(in_picture(0.01f, 0.01f));
  EXPECT_EQ(session.chosen_instance(), std::nullopt);
  click("Scene/Instance " + std::to_string(picked));
  EXPECT_EQ(session.chosen_instance(), picked);
}

TEST_F(HandPanels, NumbersAreDragged) {
  session.choose_instance(2);
  run();
  const Instance before = instance(2);
  const auto drag_number = [&](const char* widget) {
    const Rectangle place = *ui.widgets().find(widget);
    const float y = place.y + place.height / 2;
    drag({place.x + 8, y}, {place.x + 60, y});
  };
  drag_number("Scene/Position");
  EXPECT_GT(instance(2).rows[0][3], before.rows[0][3]);
  EXPECT_TRUE(session.work_times(0).is_refit) << "the tree over the instances follows";
  const Instance moved = instance(2);
  drag_number("Scene/Turn");
  EXPECT_FALSE(same_transform(instance(2), moved));
  EXPECT_EQ(instance(2).rows[0][3], moved.rows[0][3]);
  const Instance turned = instance(2);
  drag_number("Scene/Scale");
  EXPECT_FALSE(same_transform(instance(2), turned));
  for (const Instance& expected : {turned, moved, before}) {
    press(GLFW_KEY_Z, GLFW_KEY_LEFT_CONTROL);
    EXPECT_TRUE(same_transform(instance(2), expected)) << "each drag is undone at once";
  }
}

TEST_F(HandPanels, KeysMoveTurnAndScaleByTheMouse) {
  const std::pair<int, std::string> motions[] = {
      {GLFW_KEY_G, "Move"}, {GLFW_KEY_R, "Turn"}, {GLFW_KEY_S, "Scale"}};
  session.choose_instance(2);
  for (const auto& [key, verb] : motions) {
    const Instance before = instance(2);
    const CameraPose pose = session.camera().pose();
    rest_at(0.7f, 0.4f);
    press(key, GLFW_KEY_LEFT_CONTROL);
    EXPECT_TRUE(sees("Hand/" + verb + " instance 2")) << verb;
    rest_at(0.75f, 0.7f);
    EXPECT_FALSE(same_transform(instance(2), before)) << verb << ": it follows the mouse";
    press(GLFW_KEY_Y);
    EXPECT_EQ(session.camera().pose(), pose) << verb << ": y limits to an axis, and does not turn the camera";
    EXPECT_TRUE(sees("Hand/" + verb + " instance 2 " + (verb == "Turn" ? "about y" : "along y")));
    press(GLFW_KEY_ESCAPE);
    EXPECT_TRUE(same_transform(instance(2), before)) << verb << ": Esc puts it back";
    rest_at(0.7f, 0.4f);
    press(key, GLFW_KEY_LEFT_CONTROL);
    click_at(in_picture(0.75f, 0.7f));
    EXPECT_FALSE(sees("Hand/" + verb + " instance 2"));
    EXPECT_FALSE(same_transform(instance(2), before)) << verb << ": a click keeps it";
    EXPECT_EQ(session.chosen_instance(), 2u) << verb << ": that click chooses nothing";
    press(GLFW_KEY_Z, GLFW_KEY_LEFT_CONTROL);
    EXPECT_TRUE(same_transform(instance(2), before)) << verb << ": it is one change";
  }
  EXPECT_FALSE(has_errors());
}

TEST_F(HandPanels, SayWhatIsMissing) {
  press(GLFW_KEY_G, GLFW_KEY_LEFT_CONTROL);
  EXPECT_TRUE(said("Choose an instance first"));
  load(sphere());
  press(GLFW_KEY_G, GLFW_KEY_LEFT_CONTROL);
  EXPECT_TRUE(said("Only instances can be moved"));
}

TEST_F(HandPanels, AnotherSceneEndsTheMotion) {
  session.choose_instance(2);
  rest_at(0.7f, 0.4f);
  press(GLFW_KEY_G, GLFW_KEY_LEFT_CONTROL);
  load(sphere());
  rest_at(0.75f, 0.7f);
  EXPECT_FALSE(sees("Hand/Move instance 2"));
  EXPECT_FALSE(has_errors());
}

}  // namespace copse::test
