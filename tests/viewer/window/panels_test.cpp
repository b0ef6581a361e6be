// What mouse, keys and drops do to the session through the panels, on a display that shows nothing.

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/viewer/window/desktop.h"
#include "tests/viewer/window/png.h"
#include "viewer/model/settings/settings.h"

namespace copse::test {

using namespace viewer;
namespace fs = std::filesystem;

using Panels = Desktop;

TEST_F(Panels, ShowAnEmptySceneWithAHint) {
  EXPECT_TRUE(sees("Empty/Open..."));
  EXPECT_FALSE(has_errors());
  EXPECT_EQ(display.last_places().size(), 1u);
}

TEST_F(Panels, OfALoadedMeshAreAllThere) {
  load(sphere());
  EXPECT_FALSE(sees("Empty/Open..."));
  for (const char* widget :
       {"Scene/Open...", "Structure/Builder", "Structure/Leaf size", "Motion/Play", "View/Show",
        "Camera/Frame all", "Overlays/Boxes of a level", "Statistics/Save as JSON"}) {
    EXPECT_TRUE(sees(widget)) << widget;
  }
  EXPECT_FALSE(has_errors());
}

TEST_F(Panels, BuildTheBuilderThatIsChosen) {
  load(sphere());
  ASSERT_EQ(session.built(0).builder, Builder::lbvh);
  choose("Structure/Builder", "sah");
  run_until([&] { return session.built(0).builder == Builder::sah; });
  EXPECT_FALSE(session.differs(0));
  EXPECT_TRUE(sees("Structure/Bins"));
  EXPECT_FALSE(sees("Structure/Morton bits"));
}

TEST_F(Panels, HaveNoOptionsOfTreesForAQuality) {
  load(sphere());
  EXPECT_TRUE(sees("Structure/Layout"));
  choose("Structure/Builder", "balanced");
  run_until([&] { return session.built(0).builder == Builder::balanced; });
  for (const char* widget : {"Structure/Layout", "Structure/Leaf size", "Structure/Reinsertion"}) {
    EXPECT_FALSE(sees(widget)) << widget;
  }
  press(GLFW_KEY_B);
  run();
  EXPECT_GT(session.deepest_level(0), 2u);
  EXPECT_FALSE(has_errors());
}

TEST_F(Panels, BuildEveryKindAndLayout) {
  load(sphere());
  for (const char* layout : names<Layout>()) {
    choose("Structure/Layout", layout);
    run_until([&] { return name_of(session.built(0).layout) == std::string(layout); });
  }
  for (const char* kind : {"grid", "voxels", "bricks", "bvh"}) {
    choose("Structure/Kind", kind);
    run_until([&] { return name_of(session.built(0).kind) == std::string(kind); });
  }
  EXPECT_FALSE(has_errors());
}

TEST_F(Panels, WaitWithTheBuildUntilTheSliderIsLetGo) {
  load(sphere());
  const u32 before = session.built(0).max_leaf_size;
  const Rectangle place = *ui.widgets().find("Structure/Leaf size");
  const float y = place.y + place.height / 2;
  display.move_mouse(place.x + 4, y);
  display.press_button(0, true);
  display.move_mouse(place.x + place.width * 0.9f, y);
  run();
  EXPECT_GT(session.wanted(0).max_leaf_size, 16u);
  EXPECT_EQ(session.built(0).max_leaf_size, before);
  display.press_button(0, false);
  run_until([&] { return session.built(0).max_leaf_size > 16; });
}

TEST_F(Panels, LeaveTheBuildToTheButtonWhereAsked) {
  load(sphere());
  click("Structure/Build on every change");
  choose("Structure/Builder", "hploc");
  EXPECT_EQ(session.built(0).builder, Builder::lbvh);
  click("Structure/Build");
  run_until([&] { return session.built(0).builder == Builder::hploc; });
}

TEST_F(Panels, RefitAfterTheSceneMoved) {
  load(sphere());
  choose("Motion/Deformation", "wave");
  choose("Motion/When moving", "refit");
  click("Motion/Play");
  run_until([&] { return session.work_times(0).refit_ms > 0; });
  EXPECT_TRUE(session.playback().playing);
  EXPECT_TRUE(session.sah_drift(0).has_value());
  click("Motion/Pause");
  EXPECT_FALSE(session.playback().playing);
}

TEST_F(Panels, WalkTheLevels) {
  load(sphere());
  click("Overlays/Boxes of a level");
  EXPECT_TRUE(session.overlay().boxes);
  EXPECT_FALSE(session.lines(0).empty());
  slide("Overlays/Level", 0.95f);
  const u32 deep = session.overlay().level;
  EXPECT_GT(deep, 3u);
  press(GLFW_KEY_LEFT_BRACKET);
  EXPECT_EQ(session.overlay().level, deep - 1);
  press(GLFW_KEY_RIGHT_BRACKET);
  EXPECT_EQ(session.overlay().level, deep);
  press(GLFW_KEY_B);
  EXPECT_FALSE(session.overlay().boxes);
}

TEST_F(Panels, ShowEveryViewByItsKey) {
  load(sphere());
  for (u64 view = 0; view < names<View>().size(); ++view) {
    press(GLFW_KEY_1 + int(view));
    EXPECT_EQ(session.view().view, View(view));
  }
  choose("View/Show", "heat");
  EXPECT_EQ(session.view().view, View::heat);
  EXPECT_TRUE(sees("View/Hottest at"));
  EXPECT_FALSE(has_errors());
}

TEST_F(Panels, PickThePixelThatIsClicked) {
  load(sphere());
  click_at(in_picture(0.5f, 0.5f));
  ASSERT_TRUE(session.picked().has_value());
  EXPECT_TRUE(is_hit(session.picked()->hit));
  EXPECT_FALSE(session.picked()->visited.empty());
  ASSERT_TRUE(sees("Picked/Visited/1"));
  click("Picked/Visited/1");
  EXPECT_EQ(session.overlay().subtree, session.picked()->visited[1].node);
  press(GLFW_KEY_BACKSPACE);
  EXPECT_FALSE(session.picked().has_value());
}

TEST_F(Panels, MissWhereThereIsNothing) {
  load(sphere());
  click_at(in_picture(0.02f, 0.5f));
  ASSERT_TRUE(session.picked().has_value());
  EXPECT_FALSE(is_hit(session.picked()->hit));
}

TEST_F(Panels, CompareTwoStructures) {
  load(sphere());
  choose("Structure/Compare", "side by side");
  run_until([&] { return session.has_structure(1); });
  run();
  EXPECT_EQ(display.last_places().size(), 2u);
  click("Structure/B");
  choose("Structure/Builder", "sah");
  run_until([&] { return session.built(1).builder == Builder::sah; });
  EXPECT_EQ(session.built(0).builder, Builder::lbvh);
  choose("Structure/Compare", "difference");
  run();
  EXPECT_EQ(display.last_places().size(), 1u);
  EXPECT_FALSE(has_errors());
}

TEST_F(Panels, RememberCameras) {
  load(sphere());
  const CameraPose first = session.camera().pose();
  click("Camera/Bookmark");
  drag(in_picture(0.3f, 0.3f), in_picture(0.6f, 0.4f));
  EXPECT_NE(session.camera().pose(), first);
  click("Camera/0/View 1");
  EXPECT_EQ(session.camera().pose(), first);
  click("Camera/0/x");
  EXPECT_TRUE(session.camera().bookmarks.empty());
}

TEST_F(Panels, HideAndComeBack) {
  load(sphere());
  press(GLFW_KEY_TAB);
  EXPECT_FALSE(sees("View/Show"));
  press(GLFW_KEY_TAB);
  EXPECT_TRUE(sees("View/Show"));
}

TEST_F(Panels, ShowMessagesUntilTheyAreSeen) {
  write_text("broken.ply", "this is no mesh");
  session.open({folder / "broken.ply"});
  run_until([&] { return !session.job().running; });
  run();
  EXPECT_TRUE(has_errors());
  EXPECT_TRUE(said("broken.ply"));
  ASSERT_TRUE(sees("Messages/x"));
  click("Messages/x");
  EXPECT_FALSE(sees("Messages/x"));
  session.open({folder / "broken.ply"});
  run_until([&] { return !session.job().running; });
  run();
  EXPECT_TRUE(sees("Messages/x")) << "it came again";
  click("Messages/x");
  press(GLFW_KEY_GRAVE_ACCENT);
  ASSERT_TRUE(sees("Log/Clear"));
  click("Log/Clear");
  EXPECT_TRUE(session.messages().list().empty());
}

TEST_F(Panels, BuildEveryKindThereIs) {
  load(sphere());
  struct Kind {
    const char *name, *option;
  };
  const Kind kinds[] = {{"grid", "Density"},      {"frustum", "Tiles across"}, {"voxels", "Rule"},
                        {"bricks", "Resolution"}, {"points", "Ball radius"},   {"octree", "Resolution"},
                        {"dag", "Resolution"},    {"bvh", "Builder"}};
  for (const Kind& kind : kinds) {
    choose("Structure/Kind", kind.name);
    run_until([&] { return name_of(session.built(0).kind) == std::string(kind.name) && !session.job().running; });
    run();
    EXPECT_TRUE(sees(std::string("Structure/") + kind.option)) << kind.name;
    click_at(in_picture(0.5f, 0.5f));
    run();
    EXPECT_TRUE(sees("Picked/Forget")) << kind.name;
  }
  EXPECT_FALSE(has_errors());
}

namespace {

/// True if a pane of this shape shows all of the scene.
bool shows_all(Session& session, const Rectangle& place) {
  const Aabb box = session.bounds();
  const glm::mat4 matrix = view_projection(session.camera().camera(place.width / place.height), 0.01f, 1000);
  for (int k = 0; k < 8; ++k) {
    const vec3 corner(k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y, k & 4 ? box.hi.z : box.lo.z);
    const glm::vec4 clip = matrix * glm::vec4(corner, 1);
    if (clip.w <= 0 || std::abs(clip.x) > clip.w * 1.0001f || std::abs(clip.y) > clip.w * 1.0001f) return false;
  }
  return true;
}

}  // namespace

TEST_F(Panels, ComparingShowsTheWholeSceneInEachPane) {
  Mesh wide = generate_sphere(2);
  for (vec3& p : wide.positions) p *= vec3(3, 0.5f, 1);
  display.resize(1920, 1080);
  session.show(join_meshes({{"wide", wide}}));
  run_until([&] { return session.has_structure(0); });
  run();
  for (const bool turned : {false, true}) {
    if (turned) {
      drag(in_picture(0.5f, 0.5f), in_picture(0.52f, 0.5f));
      display.scroll(-3);
      run();
    }
    EXPECT_EQ(session.camera().is_framed(), !turned);
    const CameraPose before = session.camera().pose();
    ASSERT_TRUE(shows_all(session, display.last_places().at(0)));
    press(GLFW_KEY_C);
    run_until([&] { return session.has_structure(1); });
    run();
    ASSERT_EQ(display.last_places().size(), 2u);
    for (const Rectangle& place : display.last_places()) EXPECT_TRUE(shows_all(session, place));
    press(GLFW_KEY_C);
    press(GLFW_KEY_C);
    run();
    EXPECT_EQ(session.camera().pose(), before);
  }
  EXPECT_EQ(session.built(1).builder, Builder::sah) << "another one than A";
}

TEST_F(Panels, ShowFilesThatAreDroppedTogetherAsOneScene) {
  save_mesh(folder / "cube.stl", generate_cube());
  display.drop({sphere(), folder / "cube.stl", std::filesystem::path(COPSE_ASSETS) / "grove.glb"});
  run_until([&] { return session.has_structure(0); });
  const auto& parts = session.geometry()->parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].triangle_count, 320u);
  EXPECT_EQ(parts[1].name, "cube.stl");
  EXPECT_EQ(parts[2].triangle_count, 38404u);
  EXPECT_EQ(session.statistics(0).primitive_count, 320u + 12 + 38404);
  EXPECT_FALSE(has_errors());
}

}  // namespace copse::test
