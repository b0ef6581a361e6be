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

/// The files that are numbered as this one: the same folder, text before and behind the last number of the name.
/// In the order of their numbers, whether padded or not; the file alone where its name has no number. Only files
/// that are there. Throws: Error bad_file where the folder cannot be read.
std::vector<std::filesystem::path> find_sequence(const std::filesystem::path& file);

/// A frame that was read, or why not.
struct SequenceFrame {
  u32 number = 0;
  Geometry geometry;  // null where it could not be read
  std::string error;
};

/// Reads the frames of a sequence on a thread of its own, the one asked for last first. Frames stay in memory up
/// to 512 MiB in all, without companions.
class SequenceReader {
 public:
  explicit SequenceReader(std::vector<std::filesystem::path> files);
  ~SequenceReader();

  u32 frame_count() const { return u32(files_.size()); }
  const std::filesystem::path& file(u32 frame) const { return files_[frame]; }

  /// Meshes that stand behind those of every frame read from now on; null for none.
  void set_companions(Geometry companions);

  /// Asks for a frame, in place of any asked for before.
  void request(u32 frame);
  /// A frame that was asked for, once.
  std::optional<SequenceFrame> poll();
  /// Waits for the frame that was asked for last.
  SequenceFrame wait();

 private:
  void run();
  SequenceFrame read(u32 frame, const Geometry& companions);
  Geometry load(u32 frame);

  std::vector<std::filesystem::path> files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<u32> wanted_;  // under mutex_, as all below
  std::optional<SequenceFrame> ready_;
  Geometry companions_;
  bool reading_ = false;
  bool stops_ = false;
  std::vector<Geometry> kept_;  // the reader's alone
  u64 kept_bytes_ = 0;
  std::thread thread_;
};

}  // namespace copse::viewer
