#pragma once

#include <string>
#include <vector>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

class Device;

/// One labelled piece of work, with its time.
struct Stage {
  std::string label;
  double milliseconds = 0;
  u32 depth = 0;  // 0 for the outermost scope, one more for each scope around it
};

/// Names every stage of the work of a context: as NVTX ranges on CUDA and, while recording is on, with its time
/// (by CUDA events, or the wall clock on the CPU). It always counts launches.
class COPSE_API Profile {
 public:
  Profile(Device& device, bool record);
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void begin(const char* label);
  void end() noexcept;
  void count_launch(const char* label);

  /// The number of kernels launched so far; on the CPU, of parallel loops.
  u64 launch_count() const { return launch_count_; }
  const char* last_label() const { return last_label_; }

  void record(bool on);

  /// The stages recorded since the last clear, in the order in which they began. Waits.
  std::vector<Stage> stages() const;
  void clear();

 private:
  struct Records;

  Records* records_;
  u64 launch_count_ = 0;
  const char* last_label_ = "none";
};

/// A labelled stage that lasts as long as the object lives. `label` must outlive the profile.
class ProfileScope {
 public:
  ProfileScope(Profile& profile, const char* label) : profile_(profile) { profile_.begin(label); }
  ~ProfileScope() { profile_.end(); }
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

 private:
  Profile& profile_;
};

}  // namespace copse
