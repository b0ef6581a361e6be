// copse bench --compare, on made-up pairs of reports and on one that was measured.

#include <functional>

#include "tests/cli/process.h"

namespace copse::test {
namespace {

constexpr int regression = 8;

/// A report of two builders over one scene. Every time has a spread of 2 % around its median.
Json made_up_report(double build_ms = 4, double primary_ms = 8) {
  const auto add_time = [](Json& json, const std::string& name, double median) {
    json[name] = median;
    json[name + "_quartiles"] = {0.99 * median, 1.01 * median};
  };
  Json rows = Json::array();
  for (const char* builder : {"lbvh", "sah"}) {
    Json row{{"scene", "ball"}, {"triangles", 100}, {"vertices", 52}, {"builder", builder}, {"max_leaf_size", 1}};
    add_time(row, "build_ms", builder == std::string("sah") ? build_ms : 1);
    row["build_graph_ms"] = nullptr;
    row["primary"] = {{"rays", 64}, {"hits", 60}};
    add_time(row["primary"], "ms", primary_ms);
    row["kernels"] = Json::array({{{"layout", "bvh2"}, {"kernel", "packets"}, {"primary", row["primary"]}}});
    // Rays by one GPU and by two: the number tells these rows apart, and their list from the row itself.
    for (const int gpus : {1, 2}) row["gpus"].push_back({{"gpus", gpus}, {"primary", row["primary"]}});
    add_time(row["gpus"][1]["primary"], "ms", primary_ms / 2);
    row["stages"] = Json::array({{{"label", "sort"}, {"ms", 0.5}, {"depth", 0}}});
    rows.push_back(row);
  }
  return {
      {"copse", {{"version", "0.1.0"}, {"commit", "a"}, {"backend", "cuda"}, {"device", "H200"}, {"workers", 16}}},
      {"cpu", "a CPU"},
      {"driver", "13.0"},
      {"rows_version", 2},
      {"repeats", 15},
      {"rays_size", 8},
      {"results", rows}};
}

class CliCompare : public CliTest {
 protected:
  Outcome compare(const Json& before, const Json& after, Arguments more = {}) {
    Arguments arguments{"bench", "--compare", write_text("old.json", before.dump()), "--with",
                        write_text("new.json", after.dump())};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  /// Expects that a report is refused, with both values.
  void expect_refused(const std::function<void(Json&)>& change, const std::string& part) {
    Json after = made_up_report();
    change(after);
    expect_error(compare(made_up_report(), after), 2, part);
  }
};

TEST_F(CliCompare, ReportsThatAreTheSamePass) {
  const Outcome outcome = compare(made_up_report(), made_up_report(), {"--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json comparison = outcome.json()["comparison"];
  EXPECT_EQ(comparison["same"], 10);
  ASSERT_EQ(comparison["times"].size(), 10u);
  EXPECT_EQ(comparison["times"][2]["row"], "ball lbvh 1 2");
  EXPECT_EQ(comparison["times"][2]["before_ms"], 4);
  for (const char* none : {"slower", "faster", "missing", "added"}) EXPECT_EQ(comparison[none], 0) << none;
  EXPECT_EQ(comparison["threshold"], 5);
}

TEST_F(CliCompare, ATimeThatIsWorseFailsAndIsNamed) {
  const Outcome outcome = compare(made_up_report(), made_up_report(4.4));
  EXPECT_EQ(outcome.exit_code, regression);
  EXPECT_EQ(
      outcome.out,
      "slower: +10.0 %, 4.0000 to 4.4000 ms: ball sah 1, build_ms\n"
      "1 times are slower by more than 5 % and past the spread, 0 are faster, 9 are the same; 0 of the older "
      "report are missing, 0 are new\n");
  const Json times = compare(made_up_report(), made_up_report(4, 9), {"--json"}).json()["comparison"]["times"];
  EXPECT_EQ(std::count_if(times.begin(), times.end(), [](const Json& time) { return time["change"] == "slower"; }),
            8);
  EXPECT_EQ(times[1]["time"], "primary ms");
  EXPECT_EQ(times[3]["row"], "ball lbvh 1 bvh2 packets");
  EXPECT_EQ(times[3]["percent"], 12.5);
}

TEST_F(CliCompare, ATimeThatIsBetterPasses) {
  const Outcome outcome = compare(made_up_report(), made_up_report(3.6), {"--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.json()["comparison"]["faster"], 1);
  EXPECT_EQ(outcome.json()["comparison"]["same"], 9);
}

TEST_F(CliCompare, TheThresholdAndTheSpreadBothCount) {
  EXPECT_EQ(compare(made_up_report(), made_up_report(4.19)).exit_code, 0) << "below the threshold";
  EXPECT_EQ(compare(made_up_report(), made_up_report(4.21)).exit_code, regression);
  EXPECT_EQ(compare(made_up_report(), made_up_report(4.4), {"--threshold", "10.5"}).exit_code, 0);
  EXPECT_EQ(compare(made_up_report(), made_up_report(4.1), {"--threshold", "0"}).exit_code, regression);
  EXPECT_EQ(compare(made_up_report(), made_up_report(4.05), {"--threshold", "0"}).exit_code, 0)
      << "within the spread";
  Json noisy = made_up_report(6);
  noisy["results"][1]["build_ms_quartiles"] = {4.03, 9};
  EXPECT_EQ(compare(made_up_report(), noisy).exit_code, 0)
      << "half as slow again, but its spread reaches the old one";
  noisy["results"][1]["build_ms_quartiles"] = {4.05, 9};
  EXPECT_EQ(compare(made_up_report(), noisy).exit_code, regression);
}

TEST_F(CliCompare, OtherMachinesAndOtherWorkAreRefused) {
  expect_refused([](Json& r) { r["copse"]["device"] = "A100"; }, R"(device was "H200" before and is "A100" now)");
  expect_refused([](Json& r) { r["copse"]["backend"] = "cpu"; }, R"(backend was "cuda" before and is "cpu" now)");
  expect_refused([](Json& r) { r["copse"]["workers"] = 8; }, "workers was 16 before and is 8 now");
  expect_refused([](Json& r) { r["cpu"] = "other"; }, R"(cpu was "a CPU" before and is "other" now)");
  expect_refused([](Json& r) { r["driver"] = nullptr; }, R"(driver was "13.0" before and is null now)");
  expect_refused([](Json& r) { r["rays_size"] = 16; }, "rays_size was 8 before and is 16 now");
  expect_refused([](Json& r) { r["results"][0]["triangles"] = 99; },
                 "ball lbvh 1, triangles was 100 before and is 99 now");
  expect_refused([](Json& r) { r["results"][1]["primary"]["hits"] = 59; },
                 "ball sah 1, primary hits was 60 before and is 59 now");
  Json other = made_up_report();
  for (Json& row : other["results"]) row["scene"] = "other";
  expect_error(compare(made_up_report(), other), 2, "of 10 times before and 10 now, none is of the same scene");
}

TEST_F(CliCompare, RowsOfOneReportAloneAreCounted) {
  Json fewer = made_up_report();
  fewer["results"].erase(1);
  EXPECT_EQ(compare(made_up_report(), fewer, {"--json"}).json()["comparison"]["missing"], 5);
  EXPECT_EQ(compare(fewer, made_up_report(), {"--json"}).json()["comparison"]["added"], 5);
  Json newer_commit = made_up_report();
  newer_commit["copse"]["commit"] = newer_commit["copse"]["version"] = "b";
  newer_commit["repeats"] = 31;
  EXPECT_EQ(compare(made_up_report(), newer_commit).exit_code, 0) << "that is what a comparison is for";
}

TEST_F(CliCompare, FilesThatAreNoReportsAreBadFiles) {
  const auto expect_bad = [&](const std::string& text, const std::string& part) {
    expect_error(run_cli({"bench", sphere(), "--compare", write_text("bad.json", text)}), 3, part);
  };
  expect_bad("", "this is not a JSON object; --compare takes a file that copse bench --json wrote");
  expect_bad("[]", "this is not a JSON object");
  expect_bad("{}", "it has no 'results'");
  Json old = made_up_report();
  old.erase("rows_version");
  expect_bad(old.dump(), "its rows are of version 1, and this program writes version 2");
  for (const char* missing : {"copse", "cpu", "rays_size"}) {
    Json report = made_up_report();
    report.erase(missing);
    expect_bad(report.dump(), missing);
  }
  Json wrong = made_up_report();
  wrong["results"][0]["build_ms_quartiles"] = "fast";
  expect_bad(wrong.dump(), "takes a file that copse bench --json wrote");
  expect_error(run_cli({"bench", "--compare", path("none.json")}), 3, "none.json");
  expect_error(run_cli({"bench", "--threshold", "3"}), 2, "--threshold");
  expect_error(run_cli({"bench", "--with", "a.json"}), 2, "--with");
}

TEST_F(CliCompare, MeasuresAndCompares) {
  const Arguments bench{"bench", sphere(),    "--repeats", "3",         "--rays-size", "32",    "--morton-bits",
                        "63",    "--threads", "1",         "--backend", "cpu",         "--json"};
  const Outcome first = run_cli(bench);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  Json before = first.json();
  const Json& primary = before["results"][0]["primary"];
  EXPECT_LE(primary["ms_quartiles"][0], primary["ms"]);
  EXPECT_GE(primary["ms_quartiles"][1], primary["ms"]);
  // As if all had been a thousand times as fast before.
  for (const char* time : {"build_ms", "refit_ms"}) {
    Json& row = before["results"][0];
    row[time] = row[time].get<double>() / 1000;
    for (Json& quartile : row[std::string(time) + "_quartiles"]) quartile = quartile.get<double>() / 1000;
  }
  Arguments again = bench;
  again.insert(again.end(), {"--compare", write_text("old.json", before.dump())});
  const Outcome second = run_cli(again);
  EXPECT_EQ(second.exit_code, regression) << second.err;
  EXPECT_EQ(second.json()["comparison"]["times"].size(), 4u);
  EXPECT_EQ(second.json()["comparison"]["times"][0]["change"], "slower");
  EXPECT_EQ(second.json()["results"].size(), 1u);
  again[5] = "64";
  expect_error(run_cli(again), 2, "rays_size was 32 before and is 64 now");
}

}  // namespace
}  // namespace copse::test
