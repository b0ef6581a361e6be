#include "tests/viewer/window/program.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace copse::test {

namespace fs = std::filesystem;

std::string viewer_path() {
  const char* moved = std::getenv("COPSE_VIEWER");
  return moved != nullptr && *moved != '\0' ? moved : COPSE_VIEWER_PATH;
}

Ending run_line(const std::string& line) {
  Ending ending;
  FILE* pipe = ::popen(("( " + line + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return ending;
  std::array<char, 4096> bytes;
  for (size_t count; (count = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) {
    ending.text.append(bytes.data(), count);
  }
  const int status = ::pclose(pipe);
  ending.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ending;
}

Ending run_viewer(const std::string& arguments) {
  return run_line("env -u DISPLAY -u WAYLAND_DISPLAY '" + viewer_path() + "' " + arguments);
}

Ending run_viewer_in_window(const std::string& arguments) {
  return run_line("xvfb-run -a -s '-screen 0 1600x1000x24 +extension GLX -noreset' '" + viewer_path() + "' " +
                  arguments);
}

bool have_programs(const std::vector<std::string>& names, std::string& missing) {
  for (const std::string& name : names) {
    if (run_line("command -v " + name).exit_code == 0) continue;
    missing = name;
    return false;
  }
  return true;
}

TestFolder::TestFolder() {
  std::string name = (fs::temp_directory_path() / "copse-viewer-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace copse::test
