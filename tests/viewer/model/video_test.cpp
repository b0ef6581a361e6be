// Videos, with a script in place of ffmpeg that keeps what it gets.

#include "viewer/model/picture/video_file.h"

#include <cstdlib>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/picture/picture_series.h"

namespace copse::test {
namespace {

using namespace viewer;
namespace fs = std::filesystem;

/// PATH is a folder with this script as ffmpeg, or without one, before the folders of the system.
class Video : public testing::Test {
 protected:
  void SetUp() override { before_ = std::getenv("PATH"); }
  void TearDown() override { setenv("PATH", before_.c_str(), 1); }

  void use_ffmpeg(const std::string& script) {
    write_text(folder / "ffmpeg", "#!/bin/sh\n" + script);
    fs::permissions(folder / "ffmpeg", fs::perms::owner_all);
    setenv("PATH", (folder.path().string() + ":" + before_).c_str(), 1);
  }
  void use_none() { setenv("PATH", folder.path().c_str(), 1); }

  static Image picture(u32 width, u32 height, u8 grey) {
    return {width, height, std::vector<Rgba8>(width * height, Rgba8{grey, grey, grey, 255})};
  }

  TemporaryFolder folder;

 private:
  std::string before_;
};

/// Writes its last argument, without "file:", from its input; and its arguments beside it.
constexpr const char* keeper = R"(for last; do :; done
echo "$@" > "${last#file:}.arguments"
cat > "${last#file:}"
)";

TEST_F(Video, GetsEveryPictureInItsOrder) {
  use_ffmpeg(keeper);
  const std::unique_ptr<PictureSink> sink = make_sink(folder / "film.mp4");
  for (u8 grey = 0; grey < 3; ++grey) sink->add(picture(5, 4, grey));
  EXPECT_EQ(sink->count(), 3u);
  sink->finish();
  const std::string bytes = read_text(folder / "film.mp4");
  ASSERT_EQ(bytes.size(), 3u * 5 * 4 * 4);
  for (int grey = 0; grey < 3; ++grey) EXPECT_EQ(bytes[size_t(grey) * 80], grey);
  const std::string arguments = read_text(folder / "film.mp4.arguments");
  EXPECT_NE(arguments.find("-s 5x4"), std::string::npos) << arguments;
  EXPECT_NE(arguments.find("libx264"), std::string::npos) << arguments;
}

TEST_F(Video, NeedsFfmpegAndSaysSo) {
  use_none();
  EXPECT_FALSE(has_ffmpeg());
  EXPECT_COPSE_ERROR(VideoFile(folder / "film.mp4"), ErrorCode::bad_file, "needs the program ffmpeg");
}

TEST_F(Video, SaysWhyFfmpegFailed) {
  use_ffmpeg("echo first >&2; echo no such encoder >&2; exit 1\n");
  VideoFile video(folder / "film.mkv");
  const auto record = [&] {
    for (u32 i = 0; i < 100; ++i) video.add(picture(100, 100, 0));  // more than a pipe holds
    video.finish();
  };
  EXPECT_COPSE_ERROR(record(), ErrorCode::bad_file, "no such encoder");
}

TEST_F(Video, RefusesPicturesOfAnotherSize) {
  use_ffmpeg(keeper);
  VideoFile video(folder / "film.webm");
  video.add(picture(6, 4, 0));
  EXPECT_COPSE_ERROR(video.add(picture(4, 6, 0)), ErrorCode::invalid_argument, "6 x 4; this one has 4 x 6");
  EXPECT_COPSE_ERROR(video.add({}), ErrorCode::invalid_argument, "pixels");
  EXPECT_COPSE_ERROR(VideoFile(folder / "missing/film.mp4"), ErrorCode::bad_file, "there is no folder");
}

TEST_F(Video, OtherNamesAreFolders) {
  const std::unique_ptr<PictureSink> sink = make_sink(folder / "pictures");
  sink->add(picture(4, 4, 0));
  sink->finish();
  EXPECT_TRUE(fs::exists(folder / "pictures/frame-00000.png"));
  EXPECT_TRUE(is_video_name("a.MP4"));
  EXPECT_FALSE(is_video_name("mp4"));
}

TEST_F(Video, ASessionRecordsOne) {
  use_ffmpeg(keeper);
  SmallSession s;
  s.session.start_recording(folder / "film.mp4");
  for (u32 frame = 0; frame < 2; ++frame) s.session.record(s.session.picture(0).image);
  EXPECT_EQ(s.session.recorded_frames(), 2u);
  s.session.stop_recording();
  EXPECT_FALSE(s.session.recording());
  EXPECT_EQ(fs::file_size(folder / "film.mp4"), 2u * 96 * 64 * 4);
}

}  // namespace
}  // namespace copse::test
