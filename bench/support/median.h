#pragma once

#include <algorithm>
#include <vector>

namespace copse::bench {

/// Returns the median. For an even number of values, it is the upper one of the two in the middle. There must be
/// at least one value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace copse::bench
