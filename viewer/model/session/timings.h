#pragma once

#include <vector>

#include "primitives/core/types.h"

namespace copse::viewer {

/// The latest times of one kind of work.
class TimeHistory {
 public:
  static constexpr u64 capacity = 240;

  void add(double milliseconds);
  void clear() { values_.clear(); }

  /// Up to `capacity` values, oldest first.
  const std::vector<float>& values() const { return values_; }
  float last() const { return values_.empty() ? 0.0f : values_.back(); }
  /// The median; 0 if there are no values.
  float median() const;
  float largest() const;

 private:
  std::vector<float> values_;
};

struct Timings {
  TimeHistory build, refit, trace, frame;  // milliseconds
};

}  // namespace copse::viewer
