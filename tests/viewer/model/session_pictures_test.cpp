// Pictures of sessions without a window: turned, compared, recorded.

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/session/orbit_rate.h"
#include "viewer/model/session/session.h"

namespace copse::test {
namespace {

using namespace viewer;

TEST(Session, TurnedByHandMakesPicturesAndIsWholeAtRest) {
  SmallSession s(sphere(), 800, 500, {});
  Session& session = s.session;
  const CameraPose before = session.camera().pose();
  const OrbitRate rate = measure_orbit(session, 0.2);
  EXPECT_GE(rate.seconds, 0.2);
  EXPECT_GE(rate.picture_count, 1u);
  EXPECT_GE(rate.width, 640u) << "never smaller";
  EXPECT_EQ(rate.whole_width, 800u);
  EXPECT_EQ(rate.whole_height, 500u);
  EXPECT_GT(rate.processor_seconds, 0);
  EXPECT_FALSE(session.busy());
  EXPECT_FALSE(session.picture(0).is_preview);
  EXPECT_NE(session.camera().pose(), before);
}

/// A smoothed picture is a mean of samples, so none may count twice when it is fetched.
TEST(Session, PictureThatWasLeftOnTheDeviceIsFetchedAsItIs) {
  if (!gpu_answers()) GTEST_SKIP() << "no GPU answers";
  const auto picture_at_rest = [](bool stays_on_device) {
    Session session;
    session.wanted(0).backend = Backend::cuda;
    session.leave_pictures_on_device(stays_on_device);
    session.set_picture_size(96, 64);
    session.show(sphere());
    session.finish();
    session.camera().orbit(0.1f, 0);
    while (session.busy()) session.update(0.01);
    EXPECT_EQ(session.picture(0).image.pixels.empty(), stays_on_device);
    session.finish();
    return session.picture(0).image;
  };
  EXPECT_TRUE(same_pixels(picture_at_rest(true), picture_at_rest(false)));
}

TEST(Session, TakesMostOfTheTimeAtRestThoughDrawingTakesLong) {
  SmallSession s(sphere(), 1280, 720, {});
  s.session.view().view = View::ambient_occlusion;
  s.session.view().ambient_samples = 4096;  // more work than there is time for
  s.session.set_user_active(false);
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds drawing(40);
  double update_ms = 0, frame_ms = 0;
  for (u32 frame = 0; frame < 18; ++frame) {
    const Clock::time_point begin = Clock::now();
    s.session.update(0.1);
    const Clock::time_point end = Clock::now();
    std::this_thread::sleep_for(drawing);
    if (frame < 8) continue;  // until it knows how long a frame takes
    update_ms += std::chrono::duration<double, std::milli>(end - begin).count();
    frame_ms += std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }
  ASSERT_TRUE(s.session.busy());
  EXPECT_GT(update_ms, frame_ms * 0.6);
}

TEST(Session, TurnsWhileItBuilds) {
  SmallSession s(sphere(), 800, 500, {});
  Session& session = s.session;
  OrbitRate rate = measure_orbit(session, 0.3, Meanwhile::builds);
  // On a busy machine, so short a time may not be enough for anything.
  for (double seconds = 0.6; seconds < 100 && (rate.build_count == 0 || rate.picture_count == 0); seconds *= 2) {
    rate = measure_orbit(session, seconds, Meanwhile::builds);
  }
  EXPECT_GE(rate.build_count, 1u);
  EXPECT_GE(rate.picture_count, 1u);
  EXPECT_EQ(rate.whole_width, 800u);
  EXPECT_FALSE(session.job().running) << "at rest the last build is done";
  EXPECT_NE(in_words(rate).find("meanwhile"), std::string::npos);
}

TEST(Session, ComparesTwoStructures) {
  SmallSession s;
  s.session.wanted(1).builder = Builder::sah;
  s.session.comparison() = Comparison::side_by_side;
  s.session.update(0);
  EXPECT_TRUE(s.session.has_structure(1));
  EXPECT_TRUE(same_pixels(s.session.picture(0).image, s.session.picture(1).image))
      << "other trees, the same scene";
  EXPECT_EQ(s.session.difference().image.width, 0u);
  s.session.comparison() = Comparison::difference;
  s.session.update(0);
  EXPECT_EQ(s.session.difference().image.width, 96u);
  EXPECT_EQ(s.session.view().view, View::shaded) << "the choice stays what it was";
  s.session.comparison() = Comparison::off;
  s.session.update(0);
  EXPECT_EQ(s.session.difference().image.width, 0u);
}

TEST(Session, HeatMapsSideBySideShareAScale) {
  SmallSession s;
  s.session.wanted(1).builder = Builder::sah;
  s.session.wanted(1).max_leaf_size = 1;
  s.session.view().view = View::heat;
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  const Picture &a = s.session.picture(0), &b = s.session.picture(1);
  EXPECT_NE(a.max_visits, b.max_visits);
  EXPECT_EQ(a.heat_limit, std::max(a.own_heat_limit, b.own_heat_limit));
  EXPECT_EQ(b.heat_limit, a.heat_limit);
  EXPECT_FALSE(s.session.busy());
  s.session.comparison() = Comparison::off;
  s.session.finish();
  EXPECT_EQ(s.session.picture(0).heat_limit, s.session.picture(0).own_heat_limit);
}

TEST(Session, EqualStructuresDifferNowhere) {
  SmallSession s;
  s.session.wanted(1) = s.session.wanted(0);
  s.session.comparison() = Comparison::difference;
  s.session.view().heat_legend = false;
  s.session.finish();
  const Image& image = s.session.difference().image;
  ASSERT_EQ(image.width, 96u);
  for (const Rgba8 pixel : image.pixels) EXPECT_EQ(pixel.r, pixel.b);
}

TEST(Session, BookmarksBelongToTheirMesh) {
  const TemporaryFolder folder;
  save_ply(folder / "a.ply", generate_sphere(1));
  save_ply(folder / "b.ply", generate_sphere(2));
  Session session({.deterministic = true});
  session.wanted(0).backend = Backend::cpu;
  const auto names = [&] {
    std::string all;
    for (const Bookmark& bookmark : session.camera().bookmarks) all += bookmark.name + " ";
    return all;
  };
  Settings old;
  old.bookmarks = {{"of version 0.1", CameraPose{}}};
  session.use(old, false);
  session.open({folder / "a.ply"});
  session.finish();
  session.add_bookmark();
  session.camera().bookmarks.back().name = "first";
  session.open({folder / "b.ply"}, true);
  session.finish();
  EXPECT_EQ(names(), "of version 0.1 first ") << "a mesh was added to the scene";
  session.open({folder / "b.ply"});
  session.finish();
  EXPECT_EQ(names(), "of version 0.1 ");
  session.add_bookmark();
  session.camera().bookmarks.back().name = "second";

  const Settings kept = session.settings();
  EXPECT_EQ(kept.bookmarks.size(), 3u);
  Session next({.deterministic = true});
  next.wanted(0).backend = Backend::cpu;
  next.use(kept, false);
  next.wanted(0).backend = Backend::cpu;
  next.open({folder / "a.ply"});
  next.finish();
  ASSERT_EQ(next.camera().bookmarks.size(), 2u);
  EXPECT_EQ(next.camera().bookmarks[1].name, "first");
}

TEST(Session, RecordsNumberedPictures) {
  const TemporaryFolder folder;
  SmallSession s;
  s.session.record(s.session.picture(0).image);
  s.session.start_recording(folder / "new/take");
  for (u32 i = 0; i < 3; ++i) {
    s.session.camera().orbit(0.1f, 0);
    s.session.update(0.03);
    s.session.record(s.session.picture(0).image);
  }
  EXPECT_EQ(s.session.recorded_frames(), 3u);
  s.session.stop_recording();
  EXPECT_FALSE(s.session.recording());
  EXPECT_TRUE(std::filesystem::exists(folder / "new/take/frame-00002.png"));
  EXPECT_NE(read_text(folder / "new/take/frame-00000.png"), read_text(folder / "new/take/frame-00002.png"));
  write_text(folder / "file", "");
  EXPECT_COPSE_ERROR(s.session.start_recording(folder / "file"), ErrorCode::bad_file, "file");
}

TEST(Session, ErrorEndsARecording) {
  const TemporaryFolder folder;
  SmallSession s;
  s.session.start_recording(folder / "take");
  std::filesystem::remove_all(folder / "take");
  EXPECT_THROW(s.session.record(s.session.picture(0).image), Error);
  EXPECT_FALSE(s.session.recording());
}

}  // namespace
}  // namespace copse::test
