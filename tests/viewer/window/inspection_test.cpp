// Panels that look into structures, and the ways back: nodes, tables, histograms, axes, undo, files.

#include "builders/bvh/build.h"
#include "builders/geometry/generate.h"
#include "builders/io/structure_file.h"
#include "tests/viewer/window/desktop.h"
#include "viewer/model/inspect/node_costs.h"

namespace copse::test {

using namespace viewer;
namespace fs = std::filesystem;

class Inspection : public Desktop {
 protected:
  /// Closes the panels above, so that there is room.
  void open_alone(const std::string& panel) {
    display.resize(1300, 1400);
    run();
    if (!sees(panel + "/0")) click(panel);
  }
};

TEST_F(Inspection, AClickOnANodeShowsItsBoxes) {
  load(sphere());
  open_alone("Nodes");
  ASSERT_TRUE(sees("Nodes/0"));
  double_click("Nodes/0");
  const TreeNodes& tree = *session.tree(0);
  const u32 child = tree.children[tree.nodes[0].first_child];
  const std::string row = "Nodes/" + std::to_string(child);
  ASSERT_TRUE(sees(row));
  session.overlay() = {};
  run();
  ASSERT_TRUE(session.lines(0).empty());
  const auto [x, y] = middle(row);
  click_at({x, y});
  EXPECT_EQ(session.overlay().subtree, child);
  EXPECT_FALSE(session.lines(0).empty());
  for (int frame = 0; frame < 40; ++frame) application.run_frame();  // so that it is no double click
  click_at({x, y});
  EXPECT_EQ(session.overlay().subtree, 0u);
}

TEST_F(Inspection, AClickOnThePictureOpensTheNodesDownToTheLeaf) {
  load(sphere());
  open_alone("Nodes");
  click_at(in_picture(0.5f, 0.5f));
  ASSERT_TRUE(session.picked() && session.picked()->leaf != invalid_id);
  run();
  run();
  EXPECT_TRUE(sees("Nodes/" + std::to_string(session.picked()->leaf)));
}

TEST_F(Inspection, StatisticsOfAAndBStandSideBySide) {
  load(sphere());
  display.resize(1300, 1400);
  run();
  click("Statistics");  // closed, for room
  click("A and B");
  EXPECT_FALSE(sees("A and B/SAH cost")) << "there is no B";
  session.wanted(1).builder = Builder::sah;
  choose("Structure/Compare", "side by side");
  run_until([&] { return session.has_structure(1); });
  run();
  for (const char* row : {"A and B/SAH cost", "A and B/Memory", "A and B/Depth"}) EXPECT_TRUE(sees(row)) << row;
}

TEST_F(Inspection, LeavesAreCountedBySizeAndByDepth) {
  load(sphere());
  display.resize(1300, 1400);
  run();
  EXPECT_TRUE(sees("Statistics/Leaves by number of triangles"));
  EXPECT_TRUE(sees("Statistics/Leaves by depth"));
}

TEST_F(Inspection, AnEndOfAnAxisLooksFromThere) {
  load(sphere());
  display.resize(1300, 900);
  run();
  click("Axes/+x");
  const CameraPose& pose = session.camera().pose();
  EXPECT_GT(pose.eye.x, pose.target.x + 1);
  EXPECT_NEAR(pose.eye.z, pose.target.z, 1e-3);
  click("Axes/+z");
  EXPECT_GT(pose.eye.z, pose.target.z + 1);
  EXPECT_NEAR(pose.eye.x, pose.target.x, 1e-3);
}

TEST_F(Inspection, ChangesAreUndoneOneByOne) {
  load(sphere());
  choose("Structure/Builder", "sah");
  run_until([&] { return session.built(0).builder == Builder::sah; });
  press(GLFW_KEY_B);
  press(GLFW_KEY_6);
  press(GLFW_KEY_Z, GLFW_KEY_LEFT_CONTROL);
  EXPECT_EQ(session.view().view, View::shaded);
  press(GLFW_KEY_Z, GLFW_KEY_LEFT_CONTROL);
  EXPECT_FALSE(session.overlay().boxes);
  press(GLFW_KEY_Z, GLFW_KEY_LEFT_CONTROL);
  run_until([&] { return session.built(0).builder == Builder::lbvh; });
  press(GLFW_KEY_Y, GLFW_KEY_LEFT_CONTROL);
  run_until([&] { return session.built(0).builder == Builder::sah; });
  EXPECT_FALSE(session.overlay().boxes);
  EXPECT_FALSE(has_errors());
}

TEST_F(Inspection, ADragOfASliderIsOneChange) {
  load(sphere());
  click("Structure/Build on every change");
  const u32 before = session.wanted(0).max_leaf_size;
  slide("Structure/Leaf size", 0.9f);
  ASSERT_NE(session.wanted(0).max_leaf_size, before);
  press(GLFW_KEY_Z, GLFW_KEY_LEFT_CONTROL);
  EXPECT_EQ(session.wanted(0).max_leaf_size, before);
}

TEST_F(Inspection, ReinsertionIsAnOptionOfEveryBuilder) {
  load(fs::path(COPSE_ASSETS) / "testball.ply");
  for (const char* builder : {"lbvh", "hploc", "sah"}) {
    session.wanted(0).builder = *named<Builder>(builder);
    session.wanted(0).reinsertion_passes = 0;
    session.build(0);
    run_until([&] { return !session.differs(0) && !session.job().running; });
    run();
    const double cost = *session.statistics(0).sah_cost;
    slide("Structure/Reinsertion", 0.4f);
    ASSERT_GT(session.wanted(0).reinsertion_passes, 0u) << builder;
    run_until([&] { return session.built(0).reinsertion_passes > 0; });
    EXPECT_LT(*session.statistics(0).sah_cost, cost) << builder;
  }
}

TEST_F(Inspection, WideLayoutsHaveOptionsOfTheirOwn) {
  load(sphere());
  EXPECT_FALSE(sees("Structure/Merged leaves"));
  choose("Structure/Layout", "bvh4");
  run_until([&] { return session.built(0).layout == Layout::bvh4; });
  EXPECT_TRUE(sees("Structure/Merged leaves"));
  EXPECT_TRUE(sees("Structure/Node cost"));
  slide("Structure/Node cost", 0.99f);  // so that larger leaves cost less
  run_until([&] { return session.built(0).traversal_cost > 5; });
  const u64 leaves = *session.statistics(0).leaf_count;
  slide("Structure/Merged leaves", 0.9f);
  run_until([&] { return session.built(0).wide_leaf_size > 8; });
  EXPECT_LT(*session.statistics(0).leaf_count, leaves);
}

TEST_F(Inspection, KindFileIsThereWithAStructureFileAlone) {
  load(sphere());
  click("Structure/Kind");
  EXPECT_FALSE(sees("Structure/Kind/file"));
  click("Structure/Kind");  // closes the list

  Context context({.backend = Backend::cpu});
  const Mesh mesh = generate_sphere(2);
  const Buffer<vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  save_structure(folder / "s.copse", context, mesh, build(context, view, LbvhOptions{}), "lbvh", 63, 1);
  application.open({folder / "s.copse"}, false);
  run_until([&] { return session.built(0).kind == StructureKind::file; });
  choose("Structure/Kind", "grid");
  run_until([&] { return session.built(0).kind == StructureKind::grid; });
  choose("Structure/Kind", "file");
  run_until([&] { return session.built(0).kind == StructureKind::file; });
  EXPECT_FALSE(has_errors());
}

TEST_F(Inspection, HottestColourIsAPercentileOrANumber) {
  load(sphere());
  press(GLFW_KEY_6);
  EXPECT_TRUE(sees("View/Percentile"));
  choose("View/Hottest at", "a number of visits");
  EXPECT_GT(session.view().heat_limit, 0u);
  EXPECT_TRUE(sees("View/Visits"));
  choose("View/Hottest at", "a percentile");
  EXPECT_EQ(session.view().heat_limit, 0u);
}

}  // namespace copse::test
