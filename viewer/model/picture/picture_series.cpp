#include "viewer/model/picture/picture_series.h"

#include <cstdio>

#include "builders/io/image_file.h"
#include "primitives/core/error.h"

namespace copse::viewer {

PictureSeries::PictureSeries(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder_, unknown)) {
    throw Error(ErrorCode::bad_file,
                folder_.string() + ": no folder for pictures" + (error ? ": " + error.message() : ""));
  }
}

void PictureSeries::add(const Image& image) {
  char name[32];
  std::snprintf(name, sizeof name, "frame-%05u.png", count_);
  save_png(folder_ / name, image);
  ++count_;
}

}  // namespace copse::viewer
