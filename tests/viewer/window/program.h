#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace copse::test {

/// How a program ended and what it wrote.
struct Ending {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string text;    // standard output and error
};

/// The mesh that most tests of the program show.
inline const std::string testball_file = std::string(COPSE_ASSETS) + "/testball.ply";

/// The path of the viewer: $COPSE_VIEWER, else that of this build.
std::string viewer_path();

/// Runs the viewer without a display.
Ending run_viewer(const std::string& arguments);
/// Runs the viewer in a window, on an Xvfb display of its own.
Ending run_viewer_in_window(const std::string& arguments);
/// Runs a line in a shell.
Ending run_line(const std::string& line);

/// Returns true if all these programs are installed. `missing` becomes the first one that is not.
bool have_programs(const std::vector<std::string>& names, std::string& missing);

/// A folder that is removed at the end of its lifetime.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace copse::test
