#include "viewer/model/session/timings.h"

#include <algorithm>

namespace copse::viewer {

void TimeHistory::add(double milliseconds) {
  if (values_.size() == capacity) values_.erase(values_.begin());
  values_.push_back(float(milliseconds));
}

float TimeHistory::median() const {
  if (values_.empty()) return 0;
  std::vector<float> sorted = values_;
  const auto middle = sorted.begin() + i64(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

float TimeHistory::largest() const {
  return values_.empty() ? 0 : *std::max_element(values_.begin(), values_.end());
}

}  // namespace copse::viewer
