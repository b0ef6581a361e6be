#include "viewer/model/session/frame_budget.h"

#include <algorithm>

namespace copse::viewer {

namespace {

/// A frame may wait so long for the display's refresh. That is not a sign of a slow machine.
constexpr double refresh_ms = 17;
/// One frame may be slow for a reason of its own, such as a file dialog.
constexpr double max_other_ms = 250;
constexpr double max_moving_ms = 50, max_resting_ms = 250;
/// At rest the session gets 3 of 4 parts of the time.
constexpr double resting_share = 3;
/// Also where drawing is fast: the work at the begin and end of each update does not pay for short ones.
constexpr double min_resting_bases = 4;

}  // namespace

void FrameBudget::begin(double now_ms) {
  if (end_ms_ < 0) return;
  const double other_ms = std::clamp(now_ms - end_ms_, 0.0, max_other_ms);
  other_ms_ += 0.3 * (other_ms - other_ms_);
}

void FrameBudget::end(double now_ms, bool loop_goes_on) {
  end_ms_ = loop_goes_on ? now_ms : -1;
}

double FrameBudget::moving_ms() const {
  return std::max(base_ms_, std::min(other_ms_ - refresh_ms, max_moving_ms));
}

double FrameBudget::resting_ms() const {
  return std::max(base_ms_ * min_resting_bases, std::min(other_ms_ * resting_share, max_resting_ms));
}

}  // namespace copse::viewer
