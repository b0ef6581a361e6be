#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "viewer/model/structures/live_structure.h"

namespace copse::viewer {

/// The meshes that a job reads and the structures that it builds.
struct BuildRequest {
  std::vector<std::filesystem::path> files;  // to read; none: `geometry` alone
  bool add = false;                          // true: add them to `geometry`; false: replace it
  bool as_in_file = true;                    // a structure that a file holds becomes A
  Geometry geometry;                         // the current scene; never null
  std::optional<StructureOptions> sides[2];  // what to build over it
  Pose pose;
  u32 workers = 0;
  double repeat_below_ms = 250;  // see LiveStructure
};

struct BuildError {
  std::string text;
  std::optional<ErrorCode> code;  // none if it was not an Error
};

struct BuildResult {
  Geometry geometry;  // null if no file could be read
  Geometry read;      // of the files alone; null if there were none
  std::unique_ptr<LiveStructure> sides[2];
  std::vector<std::string> notes;  // what was left out of meshes
  std::vector<BuildError> errors;  // of files and of builds; the others are still shown
  bool cancelled = false;
};

/// Reads meshes and builds structures on a thread of its own. The structures have their own contexts, which move
/// to the thread that takes the result.
class BuildJob {
 public:
  explicit BuildJob(BuildRequest request);
  /// Cancels the job and waits for it to end.
  ~BuildJob();

  /// Cancels the job. Builders end at their next stage, and reading in the middle of a file.
  void cancel();
  bool is_cancelling() const { return is_cancelling_; }
  /// Cancels the build of one side alone. The rest goes on.
  void leave_out(u32 side) { cancel_[side].request_stop(); }

  bool is_done() const { return done_.load(std::memory_order_acquire); }
  void wait() { done_.wait(false, std::memory_order_acquire); }
  /// Returns the result of a finished job, once.
  BuildResult take();

  std::string stage() const;
  double seconds() const;
  const BuildRequest& request() const { return request_; }

 private:
  void run();
  void begin_stage(const std::string& stage);
  void read_files();
  StructureOptions options_of(u32 side) const;
  void build_side(u32 side);

  BuildRequest request_;
  BuildResult result_;
  std::stop_source cancel_[2];  // per side
  std::stop_source cancel_reading_;
  std::atomic<bool> is_cancelling_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::string stage_ = "starting";  // guarded by mutex_
  std::atomic<bool> done_ = false;
  std::thread thread_;  // last member: it uses all of the above
};

}  // namespace copse::viewer
