// How a session builds structures, updates them while the scene moves, and cancels.

#include "viewer/model/session/session.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

TEST(Session, RefitDriftsAndRebuildMends) {
  SmallSession s;
  EXPECT_EQ(s.session.sah_drift(0), 1.0);
  s.session.playback().deformation = Deformation::explode;
  s.session.playback().phase = 0.4f;
  s.session.update(0);
  EXPECT_GT(*s.session.sah_drift(0), 1.01);
  EXPECT_EQ(s.session.timings(0).refit.values().size(), 1u);
  s.session.rebuild_now(0);
  EXPECT_EQ(s.session.sah_drift(0), 1.0);
}

TEST(Session, PlayingMovesThePictureOnItsOwn) {
  SmallSession s;
  s.session.playback().deformation = Deformation::wave;
  s.session.playback().playing = true;
  s.session.update(0.5);
  const Image first = s.session.picture(0).image;
  s.session.update(0.5);
  EXPECT_FALSE(same_pixels(first, s.session.picture(0).image));
  EXPECT_NEAR(s.session.playback().phase, 0.25f, 1e-5f);
  EXPECT_TRUE(s.session.busy());
  s.session.playback().playing = false;
  s.session.finish();
  EXPECT_FALSE(s.session.busy());
}

TEST(Session, StructureThatIsNotKeptUpShowsABrokenPicture) {
  SmallSession s;
  s.session.playback().deformation = Deformation::explode;
  s.session.playback().phase = 0.5f;
  s.session.update_mode() = UpdateMode::nothing;
  s.session.update(0);
  const Image broken = s.session.picture(0).image;
  s.session.refit_now(0);
  s.session.update(0);
  EXPECT_FALSE(same_pixels(broken, s.session.picture(0).image));
}

TEST(Session, BuildsWhatIsWantedAndKeepsWhatStoodOnErrors) {
  SmallSession s;
  s.session.wanted(0).layout = Layout::cbvh8;
  EXPECT_TRUE(s.session.differs(0));
  s.session.build(0);
  s.session.finish();
  EXPECT_EQ(s.session.built(0).layout, Layout::cbvh8);
  EXPECT_FALSE(s.session.differs(0));
  s.session.wanted(0).max_leaf_size = 1000;
  s.session.wanted(0).layout = Layout::bvh2;
  s.session.build(0);
  s.session.finish();
  EXPECT_TRUE(has_message(s.session, Severity::error, "1000"));
  EXPECT_EQ(s.session.built(0).layout, Layout::cbvh8);
  EXPECT_EQ(s.session.picture(0).image.width, 96u);
}

TEST(Session, CancelLeavesTheOldStructure) {
  SmallSession s;
  s.session.show(join_meshes({{"many", generate_random(300000, 0.01f)}}));
  EXPECT_TRUE(s.session.job().running);
  s.session.cancel();
  s.session.finish();
  for (u32 i = 0; s.session.busy(); ++i) {
    s.session.update(0.001);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_LT(i, 100000u);
  }
  EXPECT_FALSE(s.session.job().running);
  EXPECT_EQ(s.session.statistics(0).primitive_count, 1280u);
}

TEST(Session, CancelledBuildsDoNotPileUp) {
  Session session({.budget_ms = 1});
  session.wanted(0).backend = Backend::cpu;
  session.show(join_meshes({{"many", generate_random(1000000, 0.01f)}}));
  session.finish();
  u32 most = 0;
  for (u32 i = 0; i < 12; ++i) {
    session.wanted(0).max_leaf_size = 1 + i;
    session.build(0);
    most = std::max(most, session.job().cancelled_count);
    // Three builds are asked for per update. Only an update finds that a build has ended, so the second and the
    // third cancel one each, however fast the builds are.
    if (i % 3 == 2) session.update(0.001);
  }
  EXPECT_EQ(most, 2u);
  session.finish();
  EXPECT_EQ(session.built(0).max_leaf_size, 12u) << "the last one wins";
}

TEST(Session, OldStructureIsShownWhileTheNewOneIsBuilt) {
  SmallSession s(sphere(), 64, 64, {});
  Session& session = s.session;
  session.wanted(0).kind = StructureKind::voxels;
  session.wanted(0).voxel_resolution = 400;
  session.build(0);
  EXPECT_EQ(session.built(0).kind, StructureKind::bvh);
  EXPECT_TRUE(session.has_structure(0));
  session.camera().orbit(0.2f, 0);
  const u64 revision = session.picture(0).revision;
  for (u32 i = 0; session.picture(0).revision == revision; ++i) {
    session.update(0.01);
    ASSERT_LT(i, 10000u);
  }
  session.finish();
  EXPECT_EQ(session.built(0).kind, StructureKind::voxels);
}

TEST(Session, HiddenBIsNeitherBuiltNorMoved) {
  SmallSession s;
  s.session.wanted(1).builder = Builder::sah;
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  s.session.comparison() = Comparison::off;
  s.session.update_mode() = UpdateMode::rebuild;
  s.session.playback().deformation = Deformation::wave;
  s.session.playback().playing = true;
  const size_t builds_of_a = s.session.timings(0).build.values().size();
  const size_t builds_of_b = s.session.timings(1).build.values().size();
  for (u32 frame = 0; frame < 5; ++frame) s.session.update(0.1);
  s.session.rebuild_now(1);
  EXPECT_GE(s.session.timings(0).build.values().size(), builds_of_a + 5);
  EXPECT_EQ(s.session.timings(1).build.values().size(), builds_of_b);
  s.session.comparison() = Comparison::side_by_side;
  s.session.update(0.1);
  EXPECT_GT(s.session.timings(1).build.values().size(), builds_of_b) << "it is shown again";
  EXPECT_TRUE(same_pixels(s.session.picture(0).image, s.session.picture(1).image)) << "of the same moment";
}

TEST(Session, HiddenBIsBuiltOnceItIsShown) {
  SmallSession s(sphere(), 64, 64, {});
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  s.session.comparison() = Comparison::off;
  s.session.wanted(1).layout = Layout::cbvh8;
  s.session.wanted(1).max_leaf_size = 3;
  s.session.build(1);
  s.session.update(0.01);
  EXPECT_FALSE(s.session.job().running);
  s.session.finish();
  EXPECT_NE(s.session.built(1).layout, Layout::cbvh8);
  EXPECT_FALSE(s.session.busy());
  s.session.comparison() = Comparison::side_by_side;
  EXPECT_TRUE(s.session.busy());
  s.session.finish();
  EXPECT_EQ(s.session.built(1).layout, Layout::cbvh8);
}

TEST(Session, BuildOfBEndsWhenBIsHidden) {
  Session session;
  for (u32 side = 0; side < 2; ++side) session.wanted(side).backend = Backend::cpu;
  session.show(join_meshes({{"many", generate_random(300000, 0.01f)}}));
  session.finish();
  session.wanted(1).builder = Builder::sah;  // takes much longer than two updates
  session.comparison() = Comparison::side_by_side;
  session.update(0.01);
  session.update(0.01);
  ASSERT_TRUE(session.job().running);
  EXPECT_EQ(session.job().side, 1u);
  session.comparison() = Comparison::off;
  for (u32 i = 0; session.job().running; ++i) {
    session.update(0.01);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_LT(i, 20000u);
  }
  EXPECT_FALSE(session.has_structure(1));
  EXPECT_TRUE(session.has_structure(0));
}

}  // namespace
}  // namespace copse::test
