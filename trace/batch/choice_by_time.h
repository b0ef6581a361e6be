#pragma once

// Learns which of a few ways to do the same work is the fastest, from the times of earlier calls.
//
// The first calls leave the choice to the caller, so that trials do not slow down a short program. Then each way is
// tried twice, since the first time it may have to be loaded. The fastest way is kept. After 512 calls the ways that
// were near the fastest are tried again. In between, one call of every few is timed. If its time differs much from
// that of the trial, the work has changed: the caller chooses again for a while, and then the trials begin anew. If
// the work keeps changing, the caller's turns grow longer and longer.
//
// Timing a call takes time itself: the device waits between two marks, about 10 us on one H200. So short calls are
// timed less often.

#include <algorithm>

#include "primitives/core/bits.h"
#include "primitives/core/types.h"

namespace copse::detail {

class ChoiceByTime {
 public:
  static constexpr u32 max_ways = 4, undecided = ~u32{0};

  /// The calls before the trials, at first and after the work has changed.
  static constexpr u32 first_calls = 64;

  struct Call {
    u32 way = undecided;    // undecided: the caller chooses
    bool is_timed = false;  // the caller has to report its time
  };

  /// Returns how to do the next call. `way_count`: the same in all calls.
  Call next(u32 way_count) {
    if (undecided_calls_ > 0) {
      --undecided_calls_;
      return {};
    }
    if (best_ == undecided) {
      for (u32 way = 0; way < way_count; ++way) {
        if (trials_[way].is_out || trials_[way].issued == trials_per_way) continue;
        ++trials_[way].issued;
        return {way, true};
      }
      if (!all_reported(way_count)) return {};  // the device is behind
      best_ = fastest(way_count);
      calls_ = 0, next_check_ = 1;
    }
    if (calls_ == calls_between_trials) {
      changes_ = 0;
      begin_trials(trials_[best_].time * near_best);
      return next(way_count);
    }
    const bool checks = ++calls_ >= next_check_;
    if (checks) next_check_ += std::min(next_check_, calls_between_checks_);
    return {best_, checks};
  }

  /// Takes the time of a timed call, and the number of its pieces of work.
  void report(u32 way, double milliseconds, double pieces) {
    const double time = milliseconds / pieces;
    calls_between_checks_ = u32(std::clamp(milliseconds_between_checks / milliseconds, min_calls_between_checks,
                                           max_calls_between_checks));
    Trial& trial = trials_[way];
    if (best_ == undecided) {
      if (trial.reported == trial.issued) return;  // a check from before the trials began again
      trial.time = trial.reported == 0 ? time : std::min(trial.time, time);
      ++trial.reported;
    } else if (way == best_ && (time > trial.time * drift || trial.time > time * drift)) {
      undecided_calls_ = first_calls << std::min(changes_, max_doublings);
      ++changes_;
      begin_trials(infinity);
    }
  }

  /// Takes a timed call whose time is useless, because the device waited for the host. The way is tried again. After
  /// many such calls the caller chooses for a while.
  void lose(u32 way) {
    Trial& trial = trials_[way];
    if (best_ != undecided || trial.issued == trial.reported) return;
    --trial.issued;
    if (++lost_calls_ < max_lost_calls) return;
    undecided_calls_ = first_calls;
    begin_trials(infinity);
  }

  /// The way that calls take now, or undecided.
  u32 best() const { return best_; }

 private:
  static constexpr u32 trials_per_way = 2, calls_between_trials = 512;
  static constexpr u32 max_doublings = 6, max_lost_calls = 8;
  static constexpr double near_best = 1.3, drift = 1.3;
  static constexpr double milliseconds_between_checks = 2;
  static constexpr double min_calls_between_checks = 4, max_calls_between_checks = 32;

  struct Trial {
    u32 issued = 0, reported = 0;
    double time = 0;      // the shortest, per piece
    bool is_out = false;  // too slow in the last trials to be tried again
  };

  /// Forgets the choice. Ways that took longer than `longest` are not tried again.
  void begin_trials(double longest) {
    best_ = undecided;
    lost_calls_ = 0;
    for (Trial& trial : trials_) trial = {.time = trial.time, .is_out = trial.time > longest};
  }

  bool all_reported(u32 way_count) const {
    return std::all_of(trials_, trials_ + way_count,
                       [](const Trial& trial) { return trial.is_out || trial.reported == trials_per_way; });
  }
  u32 fastest(u32 way_count) const {
    const auto faster = [](const Trial& a, const Trial& b) {
      return a.is_out == b.is_out ? a.time < b.time : b.is_out;
    };
    return u32(std::min_element(trials_, trials_ + way_count, faster) - trials_);
  }

  Trial trials_[max_ways];
  u32 undecided_calls_ = first_calls;
  u32 best_ = undecided;
  u32 calls_ = 0, next_check_ = 1;  // since the choice
  u32 calls_between_checks_ = 0;
  u32 lost_calls_ = 0;  // since the trials began
  u32 changes_ = 0;     // of the work, since calls_between_trials calls last passed without one
};

}  // namespace copse::detail
