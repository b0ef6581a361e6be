#pragma once

// Learns which of a few ways to do the same work is the fastest, from the times of earlier calls.
//
// The first calls leave the choice to the caller. Then each way is tried once, and those that are near the best a
// second time. The best is kept. Some later calls are timed too: if one of them takes much longer or shorter than
// the trial did, the work has changed, and after a while the trials begin again. Work that keeps changing is left
// alone for longer and longer.

#include <algorithm>

#include "primitives/core/types.h"

namespace copse::detail {

class ChoiceByTime {
 public:
  static constexpr u32 max_ways = 4, undecided = ~u32{0};

  struct Call {
    u32 way = undecided;    // undecided: the caller chooses
    bool is_timed = false;  // it shall report the time
  };

  /// Returns how to do the next call. `way_count`: the same in all calls.
  Call next(u32 way_count) {
    if (undecided_calls_ > 0) {
      --undecided_calls_;
      return {};
    }
    if (best_ == undecided) {
      for (u32 way = 0; way < way_count; ++way) {
        if (trials_[way].issued >= wanted_trials(way, way_count)) continue;
        ++trials_[way].issued;
        return {way, true};
      }
      if (!all_reported(way_count)) return {};  // the device is behind
      best_ = fastest(way_count);
      calls_ = 0, next_check_ = 1;
    }
    const bool checks = ++calls_ == next_check_;
    if (checks) next_check_ += std::min(next_check_, max_calls_between_checks);
    return {best_, checks};
  }

  /// Tells the time of a call that was timed, in any unit, per piece of work.
  void report(u32 way, double time) {
    Trial& trial = trials_[way];
    if (best_ == undecided) {
      if (trial.reported == trial.issued) return;  // a check from before the trials began again
      trial.time = trial.reported == 0 ? time : std::min(trial.time, time);
      ++trial.reported;
    } else if (way == best_ && (time > trial.time * drift || trial.time > time * drift)) {
      undecided_calls_ = calls_after_change << std::min(changes_++, max_doublings);
      best_ = undecided;
      for (Trial& each : trials_) each = {};
    }
  }

  /// The way that calls take now, or undecided.
  u32 best() const { return best_; }

 private:
  static constexpr u32 first_calls = 4, calls_after_change = 16, max_doublings = 8, max_calls_between_checks = 256;
  static constexpr double near_best = 1.3, drift = 1.5;

  struct Trial {
    u32 issued = 0, reported = 0;
    double time = 0;  // the shortest
  };

  bool all_reported(u32 way_count) const {
    return std::all_of(trials_, trials_ + way_count,
                       [](const Trial& trial) { return trial.reported > 0 && trial.reported == trial.issued; });
  }
  u32 fastest(u32 way_count) const {
    const auto faster = [](const Trial& a, const Trial& b) { return a.time < b.time; };
    return u32(std::min_element(trials_, trials_ + way_count, faster) - trials_);
  }

  /// One, and two for those near the best once all have reported.
  u32 wanted_trials(u32 way, u32 way_count) const {
    if (trials_[way].issued == 0) return 1;
    const bool all_tried =
        std::all_of(trials_, trials_ + way_count, [](const Trial& t) { return t.reported > 0; });
    return all_tried && trials_[way].time <= trials_[fastest(way_count)].time * near_best ? 2 : 1;
  }

  Trial trials_[max_ways];
  u32 undecided_calls_ = first_calls;
  u32 best_ = undecided;
  u32 calls_ = 0, next_check_ = 1;  // since the choice
  u32 changes_ = 0;
};

}  // namespace copse::detail
