// The model of the viewer, without a window.

#include "viewer/model/session/session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "trace/hit/intersect.h"

namespace copse::test {
namespace {

using namespace viewer;

TEST(Session, ShowsAMeshFile) {
  Session session({.deterministic = true});
  session.wanted(0).backend = Backend::cpu;
  session.set_picture_size(160, 90);
  session.open({"assets/testball.ply"});
  EXPECT_TRUE(session.busy());
  session.finish();
  EXPECT_FALSE(session.busy());
  EXPECT_TRUE(session.messages().list().empty());
  EXPECT_EQ(session.statistics(0).primitive_count, 80768u);
  EXPECT_EQ(session.picture(0).image.width, 160u);
  EXPECT_FALSE(session.work_times(0).stages.empty());
  EXPECT_LT(*std::min_element(session.picture(0).distances.begin(), session.picture(0).distances.end()), infinity);
}

TEST(Session, UpdatesComeToRestWithTheSamePicture) {
  SmallSession whole;
  Session session({.budget_ms = 1});
  session.wanted(0).backend = Backend::cpu;
  session.set_picture_size(96, 64);
  session.show(sphere());
  for (u32 i = 0; session.busy(); ++i) {
    session.update(0.01);
    ASSERT_LT(i, 1000000u);
  }
  EXPECT_TRUE(same_pixels(session.picture(0).image, whole.session.picture(0).image));
}

TEST(Session, LostFileIsAMessageAndTheOldSceneStays) {
  SmallSession s;
  s.session.open({"/nowhere/lost.ply"});
  s.session.finish();
  EXPECT_TRUE(has_message(s.session, Severity::error, "lost.ply"));
  EXPECT_EQ(s.session.statistics(0).primitive_count, 1280u);
  EXPECT_TRUE(s.session.has_structure(0));
}

TEST(Session, FolderStandsForItsMeshes) {
  const TemporaryFolder folder;
  save_ply(folder / "b.ply", generate_cube());
  save_ply(folder / "a.PLY", generate_sphere(1));
  write_text(folder / "readme.txt", "no mesh");
  SmallSession s;
  s.session.open({folder.path()});
  s.session.finish();
  ASSERT_EQ(s.session.geometry()->parts.size(), 2u);
  EXPECT_EQ(s.session.geometry()->parts[0].name, "a.PLY");
  const TemporaryFolder empty;
  s.session.open({empty.path()});
  EXPECT_TRUE(has_message(s.session, Severity::error, "no mesh (.obj, .ply, .stl or .off) in this folder"));
}

TEST(Session, MeshesOpenedOneAfterAnotherAllArrive) {
  const TemporaryFolder folder;
  save_ply(folder / "cube.ply", generate_cube());
  Session session;
  session.wanted(0).backend = Backend::cpu;
  for (int i = 0; i < 3; ++i) session.open({folder / "cube.ply"}, true);
  session.finish();
  EXPECT_EQ(session.geometry()->parts.size(), 3u);
  EXPECT_EQ(session.statistics(0).primitive_count, 36u);
  session.open({folder / "cube.ply"});
  session.finish();
  EXPECT_EQ(session.geometry()->parts.size(), 1u);
}

TEST(Session, SceneWithoutTrianglesIsShown) {
  SmallSession s(join_meshes({}));
  EXPECT_TRUE(s.session.messages().list().empty());
  EXPECT_EQ(s.session.picture(0).image.width, 96u);
  for (u32 view = 0; view < names<View>().size(); ++view) {
    s.session.view().view = View(view);
    s.session.playback().deformation = Deformation::explode;
    s.session.playback().phase = 0.1f * float(view);
    s.session.update(0.1);
  }
  s.session.overlay().boxes = s.session.overlay().curve = s.session.overlay().bounds = true;
  s.session.pick(0.5f, 0.5f);
  s.session.finish();
  EXPECT_TRUE(s.session.messages().list().empty());
}

TEST(Session, PictureOfNoSizeIsSurvived) {
  SmallSession s;
  for (const auto& [width, height] : {std::pair{0u, 0u}, std::pair{0u, 9u}, std::pair{7u, 0u}}) {
    s.session.set_picture_size(width, height);
    s.session.pick(0.5f, 0.5f);
    s.session.finish();
    EXPECT_EQ(s.session.picture(0).image.width, 0u);
    EXPECT_FALSE(s.session.busy());
  }
  s.session.set_picture_size(20, 10);
  EXPECT_TRUE(s.session.busy());
  s.session.finish();
  EXPECT_EQ(s.session.picture(0).image.width, 20u);
}

TEST(Session, PickEqualsTheClosestHit) {
  SmallSession s;
  const Geometry geometry = s.session.geometry();
  Context context({.backend = Backend::cpu});
  for (const float x : {0.4f, 0.5f, 0.55f, 0.02f}) {
    s.session.pick(x, 0.45f);
    ASSERT_TRUE(s.session.picked());
    const Pick& pick = *s.session.picked();
    Hit closest{infinity, invalid_id, invalid_id, 0, 0};
    const TriangleView view{
        .positions = BufferSpan<const vec3>(geometry->mesh.positions.data(), geometry->mesh.positions.size()),
        .triangles = BufferSpan<const uvec3>(geometry->mesh.triangles.data(), geometry->mesh.triangles.size())};
    for (u32 i = 0; i < geometry->mesh.triangles.size(); ++i) {
      TriangleHit hit;
      if (intersect_triangle(make_shear(pick.ray), load_triangle(view, i), 0, closest.t, hit) &&
          (hit.t < closest.t || closest.primitive == invalid_id)) {
        closest = {hit.t, i, 0, hit.u, hit.v};
      }
    }
    EXPECT_EQ(pick.hit.primitive, closest.primitive);
    EXPECT_EQ(is_hit(pick.hit) ? pick.part : "", is_hit(pick.hit) ? "sphere" : "");
  }
  EXPECT_FALSE(is_hit(s.session.picked()->hit));
  s.session.clear_pick();
  EXPECT_FALSE(s.session.picked());
}

TEST(Session, PickFollowsTheStructure) {
  SmallSession s;
  s.session.pick(0.5f, 0.5f);
  s.session.finish();
  const u64 lines_before = s.session.lines(0).size(), revision = s.session.lines_revision(0);
  EXPECT_GT(lines_before, 24u);
  s.session.playback().deformation = Deformation::explode;
  s.session.playback().phase = 0.5f;
  s.session.update(0);
  EXPECT_NE(s.session.lines_revision(0), revision);
  EXPECT_TRUE(s.session.picked());
}

TEST(Session, LevelsShowTheBoxesOfTheirDepth) {
  SmallSession s;
  LiveStructure live = live_over(sphere(), s.session.built(0));
  const TreeNodes& tree = *live.host_copy().tree();
  OverlaySettings& overlay = s.session.overlay();
  overlay.boxes = true;
  u64 all = 0;
  for (u32 level = 0; level <= s.session.deepest_level(0); ++level) {
    u64 expected = 0;
    for (const TreeNode& node : tree.nodes) expected += node.depth == level;
    overlay.level = level;
    overlay.levels_above = false;
    s.session.update(0);
    EXPECT_EQ(s.session.lines(0).size(), 24 * expected) << level;
    EXPECT_GT(expected, 0u);
    all += expected;
    overlay.levels_above = true;
    s.session.update(0);
    EXPECT_EQ(s.session.lines(0).size(), 24 * all) << level;
  }
  EXPECT_EQ(all, tree.nodes.size());
  overlay.subtree = tree.children[0];
  overlay.level = 0;
  s.session.update(0);
  EXPECT_EQ(s.session.lines(0).size(), 24u) << "the subtree's root alone";
  ASSERT_EQ(tree.nodes[overlay.subtree].child_count, 2u);
  overlay.level = 1;
  overlay.levels_above = false;
  s.session.update(0);
  EXPECT_EQ(s.session.lines(0).size(), 24u * 3) << "its children, and its own box around them";
}

TEST(Session, MoreBoxesThanAreDrawnIsAMessage) {
  SmallSession s(testball());
  s.session.overlay().boxes = true;
  s.session.overlay().levels_above = true;
  s.session.overlay().level = 100;
  s.session.finish();
  EXPECT_EQ(s.session.lines(0).size(), 24 * max_boxes);
  EXPECT_TRUE(has_message(s.session, Severity::note, "boxes are drawn"));
}

TEST(Session, CurveGoesThroughEveryLeafOnce) {
  SmallSession s;
  s.session.overlay().curve = true;
  s.session.finish();
  EXPECT_EQ(s.session.lines(0).size(), 2 * (*s.session.statistics(0).leaf_count - 1));
}

TEST(Session, StatisticsAreJson) {
  const TemporaryFolder folder;
  SmallSession s;
  s.session.wanted(1).kind = StructureKind::grid;
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  s.session.save_statistics(folder / "s.json");
  const auto json = nlohmann::json::parse(read_text(folder / "s.json"));
  EXPECT_EQ(json["triangles"], 1280);
  ASSERT_EQ(json["structures"].size(), 2u);
  EXPECT_EQ(json["structures"][0]["statistics"]["primitives"], 1280);
  EXPECT_GT(json["structures"][0]["statistics"]["sah_cost"], 1.0);
  EXPECT_TRUE(json["structures"][1]["statistics"]["sah_cost"].is_null());
  EXPECT_GT(json["structures"][1]["statistics"]["occupied_cells"], 10);
  EXPECT_FALSE(json["structures"][0]["last"]["stages"].empty());
  EXPECT_THROW(s.session.save_statistics("/nowhere/at/all.json"), Error);
}

TEST(Session, BuildsTheDefaultOfTheLibrary) {
  EXPECT_EQ(quality_of(StructureOptions{}.builder), AccelOptions{}.quality);
  EXPECT_EQ(in_words(StructureOptions{}), "Accel, balanced");
}

TEST(Session, MovesAnAccelByRefitAndByRebuild) {
  for (const Builder builder : {Builder::fast, Builder::balanced, Builder::best}) {
    for (const UpdateMode mode : {UpdateMode::refit, UpdateMode::rebuild}) {
      SmallSession s;
      s.session.wanted(1).builder = builder;
      s.session.comparison() = Comparison::side_by_side;
      s.session.update_mode() = mode;
      s.session.finish();
      ASSERT_EQ(s.session.built(1).builder, builder);
      EXPECT_GT(*s.session.statistics(1).node_count, 100u);
      EXPECT_GT(s.session.deepest_level(1), 3u);
      const double cost = *s.session.statistics(1).sah_cost;
      s.session.playback().deformation = Deformation::twist;
      s.session.playback().phase = 0.4f;
      s.session.finish();
      EXPECT_EQ(s.session.picture(0).distances, s.session.picture(1).distances) << name_of(builder);
      EXPECT_NE(*s.session.statistics(1).sah_cost, cost) << name_of(builder);
    }
  }
}

TEST(Session, EndPointOverlapIsMeasuredWhereItIsAskedFor) {
  SmallSession s;
  EXPECT_FALSE(s.session.statistics(0).overlap);
  s.session.wanted(0).overlap = true;
  s.session.build(0);
  s.session.finish();
  EXPECT_GT(s.session.statistics(0).overlap.value_or(0), 0);
}

}  // namespace
}  // namespace copse::test
