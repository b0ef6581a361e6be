#include "cli/bench/bench_compare.h"

#include <algorithm>
#include <map>

#include "builders/io/whole_file.h"
#include "primitives/core/error.h"

namespace copse::cli {

namespace {

/// The values that tell a row from the others, in the order in which a name of a row has them.
constexpr const char* identity_keys[] = {
    "scene",           "builder",     "morton_bits", "max_leaf_size", "radius", "top", "splits", "reinsertion",
    "min_parent_area", "alternative", "layout",      "quality",       "kernel", "eye", "gpus"};

/// The numbers that must be the same before and after, since they describe the work.
constexpr const char* work_keys[] = {"triangles", "vertices", "rays", "hits"};

struct MeasuredTime {
  std::string row, name;
  double median, low, high;
};

/// The times of a report, and the numbers that describe the work, by row and name.
struct Times {
  std::vector<MeasuredTime> list;
  std::map<std::string, size_t> by_name;
  std::map<std::string, u64> work;
};

std::string key_of(const std::string& row, const std::string& name) {
  return row + "\n" + name;
}

bool is_list_of_rows(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

/// Returns the name of a row: that of the row around it, and what tells it from others.
std::string name_of_row(const std::string& around, const Json& row) {
  std::string name = around;
  for (const char* key : identity_keys) {
    const auto value = row.find(key);
    if (value == row.end() || is_list_of_rows(*value)) continue;
    name += (name.empty() ? "" : " ") + (value->is_string() ? value->get<std::string>() : value->dump());
  }
  return name;
}

void add_value(Times& times, const std::string& row, const std::string& name, const std::string& key,
               const Json& parent) {
  const Json& value = parent.at(key);
  if (std::find(std::begin(work_keys), std::end(work_keys), key) != std::end(work_keys)) {
    times.work[key_of(row, name)] = value.get<u64>();
  }
  const auto quartiles = parent.find(key + "_quartiles");
  if (quartiles == parent.end()) return;
  times.by_name[key_of(row, name)] = times.list.size();
  times.list.push_back(
      {row, name, value.get<double>(), quartiles->at(0).get<double>(), quartiles->at(1).get<double>()});
}

/// Collects the times in an object and in all below it.
///   before: of the names of its values: "primary " for the times of primary rays
void collect(Times& times, const std::string& around, const std::string& before, const Json& object) {
  const std::string row = name_of_row(around, object);
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) add_value(times, row, before + key, key, object);
    if (value.is_object()) collect(times, row, before + key + " ", value);
    if (!value.is_array()) continue;
    for (const Json& element : value) {
      if (element.is_object()) collect(times, row, before, element);
    }
  }
}

Times times_of(const Json& report) {
  Times times;
  for (const char* list : {"results", "views"}) {
    if (!report.contains(list)) continue;
    for (const Json& row : report.at(list)) collect(times, list == std::string("views") ? "views" : "", "", row);
  }
  return times;
}

[[noreturn]] void refuse_comparison(const std::string& what, const Json& before, const Json& after) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--compare: {} was {} before and is {} now; times of different work "
                          "or machines are not compared",
                          what, before.dump(), after.dump()));
}

void check_work(const Times& before, const Times& after) {
  for (const auto& [name, count] : before.work) {
    const auto other = after.work.find(name);
    if (other == after.work.end() || other->second == count) continue;
    std::string words = name;
    words.replace(words.find('\n'), 1, ", ");
    refuse_comparison(words, count, other->second);
  }
}

Change change_of(const MeasuredTime& before, const MeasuredTime& after, double threshold) {
  const double factor = 1 + threshold / 100;
  if (after.median > before.median * factor && after.low > before.high) return Change::slower;
  if (before.median > after.median * factor && before.low > after.high) return Change::faster;
  return Change::none;
}

const char* name_of(Change change) {
  return change == Change::slower ? "slower" : change == Change::faster ? "faster" : "same";
}

}  // namespace

u64 Comparison::count(Change change) const {
  return u64(
      std::count_if(times.begin(), times.end(), [&](const ComparedTime& time) { return time.change == change; }));
}

Json read_bench_report(const std::string& path) {
  const auto fail = [&](const std::string& what) {
    detail::throw_bad_file(path, what + "; --compare takes a file that copse bench --json wrote");
  };
  const detail::FileBytes bytes = detail::read_whole_file(path);
  Json report = Json::parse(bytes.text(), nullptr, false);
  if (report.is_discarded() || !report.is_object()) fail("this is not a JSON object");
  if (!report.contains("results")) fail("it has no 'results'");
  const Json rows = report.contains("rows_version") ? report["rows_version"] : Json();
  if (rows != bench_rows_version) {
    fail(fmt::format("its rows are of version {}, and this program writes version {}",
                     rows.is_null() ? "1" : rows.dump(), bench_rows_version));
  }
  try {
    times_of(report);
    check_comparable(report, report);
  } catch (const Json::exception& error) {
    fail(one_line(error.what()));
  }
  return report;
}

void check_comparable(const Json& before, const Json& after) {
  for (const char* key : {"backend", "device", "workers"}) {
    const Json &old_value = before.at("copse").at(key), &new_value = after.at("copse").at(key);
    if (old_value != new_value) refuse_comparison(key, old_value, new_value);
  }
  for (const char* key : {"cpu", "driver", "rays_size"}) {
    if (before.at(key) != after.at(key)) refuse_comparison(key, before.at(key), after.at(key));
  }
}

Comparison compare_reports(const Json& before, const Json& after, double threshold) {
  check_comparable(before, after);
  const Times old_times = times_of(before), new_times = times_of(after);
  check_work(old_times, new_times);
  Comparison comparison{.threshold = threshold, .times = {}};
  for (const MeasuredTime& time : new_times.list) {
    const auto found = old_times.by_name.find(key_of(time.row, time.name));
    if (found == old_times.by_name.end()) continue;
    const MeasuredTime& old_time = old_times.list[found->second];
    comparison.times.push_back(
        {time.row, time.name, old_time.median, time.median, change_of(old_time, time, threshold)});
  }
  if (comparison.times.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--compare: of {} times before and {} now, none is of the same scene and builder",
                            old_times.list.size(), new_times.list.size()));
  }
  comparison.missing = old_times.list.size() - comparison.times.size();
  comparison.added = new_times.list.size() - comparison.times.size();
  return comparison;
}

Json to_json(const Comparison& comparison) {
  Json times = Json::array();
  for (const ComparedTime& time : comparison.times) {
    times.push_back({{"row", time.row},
                     {"time", time.name},
                     {"before_ms", time.before},
                     {"after_ms", time.after},
                     {"percent", time.percent()},
                     {"change", name_of(time.change)}});
  }
  return {{"threshold", comparison.threshold},
          {"slower", comparison.count(Change::slower)},
          {"faster", comparison.count(Change::faster)},
          {"same", comparison.count(Change::none)},
          {"missing", comparison.missing},
          {"added", comparison.added},
          {"times", times}};
}

std::string to_words(const Comparison& comparison) {
  std::string text;
  for (const Change change : {Change::slower, Change::faster}) {
    for (const ComparedTime& time : comparison.times) {
      if (time.change != change) continue;
      text += fmt::format("{}: {:+.1f} %, {:.4f} to {:.4f} ms: {}, {}\n", name_of(change), time.percent(),
                          time.before, time.after, one_line(time.row), one_line(time.name));
    }
  }
  return text + fmt::format(
                    "{} times are slower by more than {:g} % and past the spread, {} are faster, {} are the "
                    "same; {} of the older report are missing, {} are new\n",
                    comparison.count(Change::slower), comparison.threshold, comparison.count(Change::faster),
                    comparison.count(Change::none), comparison.missing, comparison.added);
}

}  // namespace copse::cli
