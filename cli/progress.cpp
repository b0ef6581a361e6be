#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace copse::cli {

namespace {

constexpr auto delay = std::chrono::milliseconds(500);
constexpr auto interval = std::chrono::milliseconds(100);
constexpr u32 bar_cells = 20;

bool stderr_takes_a_bar() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool colour_is_welcome() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(bool quiet) : colour_(colour_is_welcome()) {
  if (quiet || !stderr_takes_a_bar()) return;
  try {
    thread_ = std::jthread([this](std::stop_token stop) { draw_until_stopped(stop); });
  } catch (const std::system_error&) {  // no more threads: the work can do without a bar
  }
}

Progress::~Progress() {
  finish();
}

void Progress::expect_stages(u32 count) {
  const std::lock_guard lock(mutex_);
  stage_count_ = std::max(stages_begun_ + count, u32{1});
}

void Progress::begin(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  ++stages_begun_;
}

void Progress::hide() {
  const std::lock_guard lock(mutex_);
  wipe();
}

void Progress::finish() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  wipe();
}

void Progress::draw_until_stopped(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const auto never = [] { return false; };
  changed_.wait_for(lock, stop, delay, never);
  while (!stop.stop_requested()) {
    if (!stage_.empty()) {
      std::fputs(line().c_str(), stderr);
      std::fflush(stderr);
      drawn_ = true;
    }
    changed_.wait_for(lock, stop, interval, never);
  }
}

std::string Progress::line() const {
  const auto passed = Clock::now() - begin_;
  const u32 done = std::min(stages_begun_ == 0 ? 0 : stages_begun_ - 1, stage_count_);
  const u32 filled = bar_cells * done / stage_count_;
  std::string bar(bar_cells, ' ');
  std::fill_n(bar.begin(), filled, '=');
  // It is not known how long a stage takes. So a mark moves through the cells of the running one, again and again.
  const u32 room = std::clamp(bar_cells / stage_count_, 1u, bar_cells - std::min(filled, bar_cells - 1));
  const u64 place = filled + u64(passed / interval) % (room + 1);
  if (place < std::min(filled + room, bar_cells)) bar[place] = '>';
  std::string text = fmt::format("[{}] {}  {:.1f} s", bar, stage_, std::chrono::duration<double>(passed).count());
  text.resize(std::min(text.size(), terminal_columns() - 1));
  return colour_ ? fmt::format("\r\x1b[36m{}\x1b[0m\x1b[K", text) : fmt::format("\r{}\x1b[K", text);
}

void Progress::wipe() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace copse::cli
