#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "primitives/core/types.h"

namespace copse::cli {

/// A progress bar on the last line of the terminal: `[======  >     ] building  3.2 s`. Finished stages are filled;
/// a mark moves through the cells of the running one. It appears only if stderr is a terminal and the work takes
/// longer than half a second. NO_COLOR turns its colour off.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Sets how many calls of begin() follow. With those before they make the whole.
  void expect_stages(u32 count);

  /// Begins the next stage, such as "reading" or "building".
  void begin(const std::string& stage);

  /// Wipes the bar until it is drawn again. Call it before writing to the terminal.
  void hide();
  void finish();

  /// True while a bar is on the terminal. May be called by any thread and while another one holds a lock.
  static bool is_shown() { return drawn_; }

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
  bool colour_ = false;
  static inline std::atomic<bool> drawn_ = false;
  std::jthread thread_;  // last member: it ends before those that it uses are destroyed
};

}  // namespace copse::cli
