#include "viewer/model/scene/sequence.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <utility>

#include "primitives/core/error.h"

namespace copse::viewer {

namespace fs = std::filesystem;

namespace {

constexpr u64 max_kept_bytes = u64{512} << 20;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// A name, split at its last number.
struct NumberedName {
  std::string before, digits, behind;
};

NumberedName cut(const std::string& name) {
  size_t end = name.rfind('.');
  if (end == std::string::npos) end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return {name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
}

/// Compares numbers of any length.
bool is_lower(const std::string& a, const std::string& b) {
  const auto significant = [](const std::string& digits) {
    const size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? std::string() : digits.substr(first);
  };
  const std::string left = significant(a), right = significant(b);
  if (left.size() != right.size()) return left.size() < right.size();
  return left != right ? left < right : a.size() < b.size();
}

u64 bytes_of(const SceneGeometry& geometry) {
  return geometry.mesh.positions.size() * sizeof(vec3) + geometry.mesh.triangles.size() * sizeof(uvec3);
}

}  // namespace

std::vector<fs::path> find_sequence(const fs::path& file) {
  const NumberedName own = cut(file.filename().string());
  std::error_code missing;
  if (own.digits.empty()) {
    return fs::exists(file, missing) ? std::vector<fs::path>{file} : std::vector<fs::path>{};
  }
  std::vector<std::pair<std::string, fs::path>> found;
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const NumberedName name = cut(at->path().filename().string());
    if (name.before == own.before && name.behind == own.behind && !name.digits.empty()) {
      found.push_back({name.digits, at->path()});
    }
  }
  if (error) throw Error(ErrorCode::bad_file, folder.string() + ": " + error.message());
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return is_lower(a.first, b.first); });
  std::vector<fs::path> files;
  for (auto& [digits, path] : found) files.push_back(std::move(path));
  return files;
}

SequenceReader::SequenceReader(std::vector<fs::path> files)
    : files_(std::move(files)), kept_(files_.size()), thread_([this] { run(); }) {}

SequenceReader::~SequenceReader() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SequenceReader::set_companions(Geometry companions) {
  {
    const std::lock_guard lock(mutex_);
    companions_ = std::move(companions);
    if (ready_ && !wanted_) wanted_ = ready_->number;  // it was read without them
    ready_.reset();
  }
  changed_.notify_all();
}

void SequenceReader::request(u32 frame) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = frame;
  }
  changed_.notify_all();
}

std::optional<SequenceFrame> SequenceReader::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, std::nullopt);
}

SequenceFrame SequenceReader::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_ && !wanted_ && !reading_; });
  return *std::exchange(ready_, std::nullopt);
}

void SequenceReader::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stops_ || wanted_; });
    if (stops_) return;
    const u32 frame = *std::exchange(wanted_, std::nullopt);
    const Geometry companions = companions_;
    reading_ = true;
    lock.unlock();
    SequenceFrame read_frame = read(frame, companions);
    lock.lock();
    reading_ = false;
    if (companions != companions_) {
      if (!wanted_) wanted_ = frame;
      continue;
    }
    ready_ = std::move(read_frame);
    changed_.notify_all();
  }
}

SequenceFrame SequenceReader::read(u32 frame, const Geometry& companions) {
  SequenceFrame result{frame, nullptr, ""};
  try {
    const Geometry loaded = load(frame);
    result.geometry = companions ? join_scenes(*loaded, *companions) : loaded;
  } catch (const std::exception& exception) {
    result.error = exception.what();
  }
  return result;
}

Geometry SequenceReader::load(u32 frame) {
  // A file that was deleted is reported, even if it was read before.
  std::error_code error;
  if (kept_[frame] && fs::exists(files_[frame], error)) return kept_[frame];
  Geometry loaded = load_geometry(std::span(&files_[frame], 1));
  const u64 bytes = bytes_of(*loaded);
  if (!kept_[frame] && kept_bytes_ + bytes <= max_kept_bytes) {
    kept_[frame] = loaded;
    kept_bytes_ += bytes;
  }
  return loaded;
}

}  // namespace copse::viewer
