#include "viewer/model/picture/percentile.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace copse::viewer {

u32 percentile(std::span<const u32> values, double percent) {
  constexpr u32 largest = 65535;
  std::vector<u64> counts(largest + 1);
  for (const u32 value : values) ++counts[std::min(value, largest)];
  const u64 total = values.size() - counts[0];
  if (total == 0) return 0;
  const u64 wanted = std::max<u64>(u64(std::ceil(double(total) * percent / 100)), 1);
  u64 seen = 0;
  for (u32 value = 1; value < largest; ++value) {
    seen += counts[value];
    if (seen >= wanted) return value;
  }
  return largest;
}

}  // namespace copse::viewer
