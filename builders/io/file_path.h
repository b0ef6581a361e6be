#pragma once

#include <string>
#include <string_view>

namespace copse {

/// The path of a file. Functions that read and write files take it, so that text and std::filesystem::path both fit.
/// (A type of its own, since <filesystem> takes longer to compile than all of copse.h.)
class FilePath {
 public:
  FilePath(const char* text) : text_(text) {}
  FilePath(std::string_view text) : text_(text) {}
  FilePath(const std::string& text) : text_(text) {}
  /// `Path`: std::filesystem::path.
  template <class Path>
  requires requires(const Path& path) { path.native(); }
  FilePath(const Path& path) : text_(path.native()) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace copse
