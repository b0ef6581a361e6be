#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/model/session/timings.h"
#include "viewer/model/structures/statistics.h"

namespace copse::viewer {

/// How a number of a table is written.
enum class Unit : u8 { count, bytes, number, milliseconds };

/// One statistic of two structures. A structure that has no such number has no value.
struct StatisticRow {
  const char* name;
  Unit unit;
  std::optional<double> a, b;
  bool less_is_better = true;  // false: neither is better

  /// b / a; none if either is missing or a is 0.
  std::optional<double> ratio() const;
};

/// Returns all statistics that at least one of two structures has, and the medians of their times.
std::vector<StatisticRow> compare(const Statistics& a, const Timings& a_times, const Statistics& b,
                                  const Timings& b_times);

/// Returns a number in words: "1 234 567", "12.3 MB", "96.87", "0.12 ms".
std::string in_words(double value, Unit unit);

/// Returns a number such as "1 234 567".
std::string grouped(u64 number);
/// Returns a count and its noun, such as "1 leaf" or "1 234 leaves".
///   nouns: the plural
std::string counted(u64 count, std::string_view nouns);
/// Returns a size such as "12.3 MB".
std::string readable_bytes(u64 bytes);
/// Returns a time of three digits, such as "0.12 ms".
std::string readable_time(double milliseconds);

}  // namespace copse::viewer
