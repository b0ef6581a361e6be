#pragma once

#include <algorithm>
#include <vector>

namespace copse::bench {

/// The upper one of the two in the middle where their number is even. There is at least one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace copse::bench
