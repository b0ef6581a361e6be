#pragma once

#include <filesystem>

#include "viewer/model/picture/picture_sink.h"

namespace copse::viewer {

/// Numbered pictures in a folder: frame-00000.png, frame-00001.png and so on.
class PictureSeries : public PictureSink {
 public:
  /// Creates the folder.
  /// Throws: Error bad_file.
  explicit PictureSeries(const std::filesystem::path& folder);

  /// Writes the next picture. The number increases only if that succeeds.
  /// Throws: Error bad_file; Error invalid_argument for a picture without pixels.
  void add(const Image& image) override;

 private:
  std::filesystem::path folder_;
};

}  // namespace copse::viewer
