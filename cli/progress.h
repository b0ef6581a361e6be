#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "primitives/core/types.h"

namespace copse::cli {

/// A bar on the terminal's last line: `[======          ] building  3.2 s`. It appears only where stderr is a
/// terminal, and only for what takes longer than half a second. NO_COLOR takes its colour.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// How many calls of begin() make the whole.
  void expect_stages(u32 count);

  /// The next stage, as in "reading" or "building".
  void begin(const std::string& stage);

  /// Wipes the bar, which comes back unless it is finished; call it before writing to the terminal.
  void hide();
  void finish();

 private:
  void draw_until_stopped(std::stop_token stop);
  std::string line() const;
  void wipe();

  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string stage_;
  u32 stage_count_ = 1;
  u32 stages_begun_ = 0;
  Clock::time_point begin_ = Clock::now();
  bool drawn_ = false;
  bool colour_ = false;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace copse::cli
