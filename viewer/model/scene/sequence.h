#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "viewer/model/scene/geometry.h"

namespace copse::viewer {

/// Returns the files that are numbered as this one: in the same folder, with the same text before and after the
/// last number of the name. They are in the order of their numbers, padded or not. If the name has no number,
/// returns the file alone. Only files that exist. Throws: Error bad_file if the folder cannot be read.
std::vector<std::filesystem::path> find_sequence(const std::filesystem::path& file);

/// A frame that was read, or the reason why it was not.
struct SequenceFrame {
  u32 number = 0;
  Geometry geometry;  // null if it could not be read
  std::string error;
};

/// Reads the frames of a sequence on a thread of its own, the latest requested frame first. Frames are kept in
/// memory, up to 512 MiB in all, without companions.
class SequenceReader {
 public:
  explicit SequenceReader(std::vector<std::filesystem::path> files);
  ~SequenceReader();

  u32 frame_count() const { return u32(files_.size()); }
  const std::filesystem::path& file(u32 frame) const { return files_[frame]; }

  /// Sets meshes that are appended to every frame read from now on; null for none.
  void set_companions(Geometry companions);

  /// Requests a frame, in place of any earlier request.
  void request(u32 frame);
  /// Returns a requested frame that has been read, once.
  std::optional<SequenceFrame> poll();
  /// Waits for the frame that was requested last.
  SequenceFrame wait();

 private:
  void run();
  SequenceFrame read(u32 frame, const Geometry& companions);
  Geometry load(u32 frame);

  std::vector<std::filesystem::path> files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<u32> wanted_;  // guarded by mutex_, as all below
  std::optional<SequenceFrame> ready_;
  Geometry companions_;
  bool reading_ = false;
  bool stops_ = false;
  std::vector<Geometry> kept_;  // used by the reader's thread alone
  u64 kept_bytes_ = 0;
  std::thread thread_;
};

}  // namespace copse::viewer
