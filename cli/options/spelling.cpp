#include "cli/options/spelling.h"

#include <algorithm>

namespace copse::cli {

namespace {

/// Returns how many letters must be changed, added, left out or exchanged with their neighbour to get from a to b
/// (optimal string alignment).
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool is_exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string closest_name(const std::string& text, const std::vector<std::string>& names) {
  constexpr size_t longest = 64;  // no name is as long, and the work grows with the product of the lengths
  if (text.size() > longest) return "";
  std::string closest;
  size_t least = std::max<size_t>(text.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(text, name);
    if (distance >= least) continue;
    least = distance;
    closest = name;
  }
  return closest;
}

std::string suggestion(const std::string& text, const std::vector<std::string>& names) {
  const std::string closest = closest_name(text, names);
  return closest.empty() ? "" : "; did you mean " + closest + "?";
}

}  // namespace copse::cli
