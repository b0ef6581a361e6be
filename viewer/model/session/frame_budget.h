#pragma once

#include "primitives/core/types.h"

namespace copse::viewer {

/// How long an update of the session may take. The rest of a frame is not the session's: panels, OpenGL, the wait
/// for the display. Where that takes long, on a machine that is slow or busy, updates of a fixed time would leave
/// most of the processors' time to it, and a picture would not be whole for a long time. So updates take longer, too.
class FrameBudget {
 public:
  /// `base_ms`: the time of an update while frames are fast.
  explicit FrameBudget(double base_ms) : base_ms_(base_ms) {}

  /// Call it at the begin and at the end of each update, with the time by a steady clock.
  ///   loop_goes_on: the loop runs the next update without sleeping, so that the time until then is that of a frame
  void begin(double now_ms);
  void end(double now_ms, bool loop_goes_on);

  /// The time of an update while the user moves something: at least the base, and nearly as long as the drawing.
  double moving_ms() const;
  /// The time of an update while nothing moves: several times as long as all else in a frame.
  double resting_ms() const;

 private:
  double base_ms_;
  double other_ms_ = 0;  // smoothed: the time of a frame outside of updates
  double end_ms_ = -1;   // of the last update; below 0: the loop may have slept since
};

}  // namespace copse::viewer
