#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "primitives/core/types.h"

namespace copse::cli {

/// The version of the rows that copse bench writes. Reports of different versions are not compared.
inline constexpr int bench_rows_version = 2;

enum class Change { none, slower, faster };

/// A time that stands in both reports, in milliseconds.
struct ComparedTime {
  std::string row;   // "testball lbvh 63", the values that tell a row from others
  std::string name;  // "primary ms"
  double before = 0, after = 0;
  Change change = Change::none;

  double percent() const { return 100 * (after / before - 1); }
};

/// What became of the times of an older report.
struct Comparison {
  double threshold = 0;  // in percent
  std::vector<ComparedTime> times;
  u64 missing = 0;  // times of the older report that the newer one lacks
  u64 added = 0;    // times of the newer report that the older one lacks

  u64 count(Change change) const;
};

/// Returns the report in a file that copse bench --json wrote.
/// Throws: Error bad_file if it is none, or one of another version of the rows.
Json read_bench_report(const std::string& path);

/// Checks that two reports are of the same machine, backend, threads and rays.
///   before, after: may lack the results
/// Throws: Error invalid_argument, with both values.
void check_comparable(const Json& before, const Json& after);

/// Compares the times of two reports. A time has changed if it differs by more than the threshold, and the middle
/// halves of its samples lie apart: the fast quarter of the slower one is above the slow quarter of the faster one.
///   threshold: in percent
/// Throws: Error invalid_argument as check_comparable, if a row of the same name has other triangles or rays, or if no
/// time stands in both.
Comparison compare_reports(const Json& before, const Json& after, double threshold);

Json to_json(const Comparison& comparison);
/// A table of the times that have changed, and a line that counts the others.
std::string to_words(const Comparison& comparison);

}  // namespace copse::cli
