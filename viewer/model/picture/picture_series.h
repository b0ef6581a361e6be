#pragma once

#include <filesystem>

#include "builders/geometry/image.h"

namespace copse::viewer {

/// Numbered pictures in a folder: frame-00000.png, frame-00001.png and so on.
class PictureSeries {
 public:
  /// Creates the folder.
  /// Throws: Error bad_file.
  explicit PictureSeries(const std::filesystem::path& folder);

  /// Writes the next picture. The number increases only if that succeeds.
  /// Throws: Error bad_file; Error invalid_argument for a picture without pixels.
  void add(const Image& image);

  u32 count() const { return count_; }

 private:
  std::filesystem::path folder_;
  u32 count_ = 0;
};

}  // namespace copse::viewer
