#include "viewer/model/settings/statistic_rows.h"

#include <cmath>
#include <cstdio>
#include <iterator>

#include "primitives/core/counted.h"

namespace copse::viewer {

namespace {

std::string formatted(const char* format, double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return std::string(text) + unit;
}

template <class T>
std::optional<double> number(const std::optional<T>& value) {
  return value ? std::optional<double>(double(*value)) : std::nullopt;
}

std::optional<double> median(const TimeHistory& times) {
  return times.values().empty() ? std::nullopt : std::optional<double>(double(times.median()));
}

std::optional<double> mean_depth(const Statistics& statistics) {
  double leaves = 0, depths = 0;
  for (size_t depth = 0; depth < statistics.leaf_depth_histogram.size(); ++depth) {
    leaves += double(statistics.leaf_depth_histogram[depth]);
    depths += double(statistics.leaf_depth_histogram[depth]) * double(depth);
  }
  return leaves > 0 ? std::optional<double>(depths / leaves) : std::nullopt;
}

}  // namespace

std::optional<double> StatisticRow::ratio() const {
  if (!a || !b || *a == 0) return std::nullopt;
  return *b / *a;
}

std::vector<StatisticRow> compare(const Statistics& a, const Timings& a_times, const Statistics& b,
                                  const Timings& b_times) {
  const auto of_all = [](u64 value) { return std::optional<double>(double(value)); };
  const StatisticRow all[] = {
      {"Build time", Unit::milliseconds, median(a_times.build), median(b_times.build)},
      {"Refit time", Unit::milliseconds, median(a_times.refit), median(b_times.refit)},
      {"Trace time", Unit::milliseconds, median(a_times.trace), median(b_times.trace)},
      {"SAH cost", Unit::number, a.sah_cost, b.sah_cost},
      {"Overlap (EPO)", Unit::number, a.overlap, b.overlap},
      {"Memory", Unit::bytes, of_all(a.size_bytes), of_all(b.size_bytes)},
      {"Primitives", Unit::count, of_all(a.primitive_count), of_all(b.primitive_count), false},
      {"Left out", Unit::count, of_all(a.invalid_count), of_all(b.invalid_count), false},
      {"Nodes", Unit::count, number(a.node_count), number(b.node_count), false},
      {"Leaves", Unit::count, number(a.leaf_count), number(b.leaf_count), false},
      {"Depth", Unit::count, number(a.depth), number(b.depth), false},
      {"Mean leaf depth", Unit::number, mean_depth(a), mean_depth(b), false},
      {"Cells", Unit::count, number(a.cell_count), number(b.cell_count), false},
      {"Occupied", Unit::count, number(a.occupied_count), number(b.occupied_count), false},
      {"References", Unit::count, number(a.reference_count), number(b.reference_count), false},
      {"Fullest cell", Unit::count, number(a.largest_cell), number(b.largest_cell), false},
      {"Cell size", Unit::number, a.cell_size, b.cell_size, false},
      {"Buckets", Unit::count, number(a.bucket_count), number(b.bucket_count), false},
      {"Shared buckets", Unit::count, number(a.shared_count), number(b.shared_count), false}};
  std::vector<StatisticRow> rows;
  for (const StatisticRow& row : all) {
    if (row.a || row.b) rows.push_back(row);
  }
  return rows;
}

std::string in_words(double value, Unit unit) {
  switch (unit) {
    case Unit::count: return grouped(u64(value));
    case Unit::bytes: return readable_bytes(u64(value));
    case Unit::number: return formatted(std::abs(value) >= 0.01 ? "%.2f" : "%.3g", value, "");
    case Unit::milliseconds: return readable_time(value);
  }
  return "";
}

std::string grouped(u64 number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3;) text.insert(i -= 3, " ");
  return text;
}

std::string counted(u64 count, std::string_view nouns) {
  return grouped(count) + " " + detail::noun_for(count, nouns);
}

std::string readable_bytes(u64 bytes) {
  constexpr const char* units[] = {" B", " kB", " MB", " GB", " TB"};
  double value = double(bytes);
  u32 unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? std::to_string(bytes) + " B" : formatted("%.3g", value, units[unit]);
}

std::string readable_time(double milliseconds) {
  if (milliseconds >= 1000) return formatted("%.2f", milliseconds / 1000, " s");
  if (milliseconds >= 100) return formatted("%.0f", milliseconds, " ms");
  if (milliseconds >= 10) return formatted("%.1f", milliseconds, " ms");
  return milliseconds >= 1 ? formatted("%.2f", milliseconds, " ms") : formatted("%.3f", milliseconds, " ms");
}

}  // namespace copse::viewer
