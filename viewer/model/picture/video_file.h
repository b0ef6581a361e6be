#pragma once

#include <sys/types.h>

#include <filesystem>

#include "viewer/model/picture/picture_sink.h"

namespace copse::viewer {

/// A video that the program ffmpeg encodes while pictures are added: 30 per second, H.264 where the ending is .mp4,
/// .mkv or .mov, VP9 for .webm. ffmpeg is found by PATH.
class VideoFile : public PictureSink {
 public:
  /// Throws: Error bad_file if there is no ffmpeg, or if the folder of the file does not exist.
  explicit VideoFile(const std::filesystem::path& file);
  /// Ends ffmpeg, which finishes the file.
  ~VideoFile() override;

  /// Throws: Error invalid_argument for a picture without pixels or of another size than the first; Error bad_file if
  /// ffmpeg has ended.
  void add(const Image& image) override;
  /// Waits for ffmpeg. Throws: Error bad_file with the last line that it printed, if it failed.
  void finish() override;

 private:
  void start(const Image& first);
  void end_input();
  std::string last_words() const;

  std::filesystem::path file_, log_;
  pid_t process_ = -1;
  int pipe_ = -1;
  u32 width_ = 0, height_ = 0;
};

/// Returns true if the ending of a name is that of a video.
bool is_video_name(const std::filesystem::path& file);

/// Returns true if ffmpeg is installed.
bool has_ffmpeg();

}  // namespace copse::viewer
