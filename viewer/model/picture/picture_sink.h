#pragma once

#include <filesystem>
#include <memory>

#include "builders/geometry/image.h"

namespace copse::viewer {

/// Takes the pictures of a recording, one after another.
class PictureSink {
 public:
  PictureSink() = default;
  virtual ~PictureSink() = default;
  PictureSink(const PictureSink&) = delete;
  PictureSink& operator=(const PictureSink&) = delete;

  /// Adds a picture. count() increases only if that succeeds.
  virtual void add(const Image& image) = 0;
  /// Completes the files. Call it after the last picture.
  virtual void finish() {}

  u32 count() const { return count_; }

 protected:
  u32 count_ = 0;
};

/// Returns a video if the name has the ending of one (.mp4, .mkv, .mov, .webm), else numbered pictures in a folder.
/// Throws: as VideoFile and PictureSeries.
std::unique_ptr<PictureSink> make_sink(const std::filesystem::path& path);

}  // namespace copse::viewer
