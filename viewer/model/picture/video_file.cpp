#include "viewer/model/picture/video_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "primitives/core/error.h"
#include "viewer/model/picture/picture_series.h"
#include "viewer/model/scene/geometry.h"

extern char** environ;

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

/// Returns the program of this name in the folders of PATH; empty if there is none.
fs::path find_program(const char* name) {
  const char* const variable = std::getenv("PATH");
  std::string rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path program = fs::path(rest.substr(0, end)) / name;
    if (::access(program.c_str(), X_OK) == 0) return program;
    rest.erase(0, end + 1);
  }
  return {};
}

std::vector<std::string> arguments(const Image& first, const fs::path& file) {
  const std::string size = std::to_string(first.width) + "x" + std::to_string(first.height);
  std::vector<std::string> all = {"ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt",
                                  "rgba",   "-s",        size,    "-r", "30", "-i",       "-"};
  // Encoders take even sizes.
  all.insert(all.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"});
  if (lower_case_ending(file) == ".webm") {
    all.insert(all.end(), {"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0"});
  } else {
    all.insert(all.end(), {"-c:v", "libx264", "-crf", "18"});
  }
  // A name that begins with a dash or has a colon is not an option and not a protocol.
  all.push_back("file:" + fs::absolute(file).string());
  return all;
}

/// While a pipe is written to, a reader that has ended gives an error, not a signal that ends the program.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  ~NoPipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  struct sigaction before_ {};
};

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw Error(ErrorCode::bad_file, file.string() + ": " + why);
}

}  // namespace

VideoFile::VideoFile(const fs::path& file) : file_(file) {
  if (!has_ffmpeg()) {
    fail(file, "a video needs the program ffmpeg, which is not installed; give a folder for numbered pictures");
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error)) fail(file, "there is no folder " + folder.string());
  std::string name = (fs::temp_directory_path(error) / "copse-ffmpeg-XXXXXX").string();
  const int made = ::mkstemp(name.data());
  if (made < 0) fail(name, "cannot be made for the messages of ffmpeg");
  ::close(made);
  log_ = name;
}

VideoFile::~VideoFile() {
  end_input();
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
  std::error_code error;
  fs::remove(log_, error);
}

void VideoFile::start(const Image& first) {
  width_ = first.width;
  height_ = first.height;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(file_, "no pipe to ffmpeg could be made");
  std::vector<std::string> words = arguments(first, file_);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, log_.c_str(), O_WRONLY | O_TRUNC, 0);
  const int failed =
      ::posix_spawn(&process_, find_program("ffmpeg").c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  pipe_ = ends[1];
  if (failed == 0) return;
  process_ = -1;
  end_input();
  fail(file_, "ffmpeg could not be started");
}

void VideoFile::add(const Image& image) {
  if (image.pixels.empty()) throw Error(ErrorCode::invalid_argument, "a video needs pictures with pixels");
  if (count_ == 0 && process_ < 0) start(image);
  if (image.width != width_ || image.height != height_) {
    throw Error(ErrorCode::invalid_argument,
                "the pictures of a video have one size, that of the first: " + std::to_string(width_) + " x " +
                    std::to_string(height_) + "; this one has " + std::to_string(image.width) + " x " +
                    std::to_string(image.height));
  }
  const NoPipeSignal no_signal;
  const char* bytes = reinterpret_cast<const char*>(image.pixels.data());
  size_t left = image.pixels.size() * sizeof(Rgba8);
  while (left > 0) {
    const ssize_t written = ::write(pipe_, bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(file_, "ffmpeg has ended: " + last_words());
    bytes += written;
    left -= size_t(written);
  }
  ++count_;
}

void VideoFile::end_input() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
}

void VideoFile::finish() {
  end_input();
  if (process_ < 0) return;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (status != 0) fail(file_, "ffmpeg has failed: " + last_words());
}

/// The last line that ffmpeg printed.
std::string VideoFile::last_words() const {
  std::ifstream in(log_);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it has said nothing" : last;
}

bool is_video_name(const fs::path& file) {
  const std::string ending = lower_case_ending(file);
  return ending == ".mp4" || ending == ".mkv" || ending == ".mov" || ending == ".webm";
}

bool has_ffmpeg() {
  return !find_program("ffmpeg").empty();
}

std::unique_ptr<PictureSink> make_sink(const fs::path& path) {
  if (is_video_name(path)) return std::make_unique<VideoFile>(path);
  return std::make_unique<PictureSeries>(path);
}

}  // namespace copse::viewer
