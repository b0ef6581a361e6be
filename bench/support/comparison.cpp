#include "bench/support/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/support/median.h"
#include "primitives/core/error.h"
#include "primitives/core/stopwatch.h"

namespace copse::bench {

namespace {

/// Returns the seconds per call, over `calls` calls in a row on an idle stream.
double seconds_a_call(Context& context, const Work& work, int calls) {
  context.wait();
  Stopwatch stopwatch(context);
  for (int k = 0; k < calls; ++k) work();
  return stopwatch.milliseconds() * 1e-3 / calls;
}

/// Returns the median seconds of each work. Samples alternate between the works, so that a clock that drifts
/// affects all equally. Short calls are timed in batches.
std::vector<double> alternating_medians(Context& context, const std::vector<Work>& works) {
  constexpr double sample_seconds = 300e-6, total_seconds = 60e-3;
  constexpr int max_calls = 20, min_samples = 5, max_samples = 25;
  double shortest = 1e9, sum = 0;
  for (const Work& work : works) {
    work();
    const double seconds = seconds_a_call(context, work, 2);
    shortest = std::min(shortest, seconds);
    sum += seconds;
  }
  const int calls = int(std::clamp(std::ceil(sample_seconds / shortest), 1.0, double(max_calls)));
  const int samples = int(std::clamp(total_seconds / (sum * calls), double(min_samples), double(max_samples)));
  std::vector<std::vector<double>> times(works.size());
  for (int sample = 0; sample < samples; ++sample) {
    for (size_t k = 0; k < works.size(); ++k) times[k].push_back(seconds_a_call(context, works[k], calls));
  }
  std::vector<double> medians;
  for (const std::vector<double>& of_one : times) medians.push_back(median(of_one));
  return medians;
}

}  // namespace

std::string Comparison::verify() {
  if (verified_) return problem_;
  verified_ = true;
  ours();
  context.wait();
  for (const Work& rival : rivals_) {
    rival();
    for (const auto& check : checks_) {
      if (!check()) problem_ = "ours and the rival's result differ";
    }
  }
  if (rivals_.empty()) {
    for (const auto& check : checks_) {
      if (!check()) problem_ = "the result is wrong";
    }
  }
  return problem_;
}

void Comparison::measure(benchmark::State& state, bool as_graphs, double copy_bytes_per_second) {
  std::vector<Work> works{ours};
  works.insert(works.end(), rivals_.begin(), rivals_.end());
  std::vector<Graph> graphs;
  if (as_graphs) {
    for (const Work& work : works) graphs.push_back(context.capture(work));
    for (size_t k = 0; k < works.size(); ++k) works[k] = [&graphs, k] { graphs[k].launch(); };
  }
  const std::vector<double> seconds = alternating_medians(context, works);
  context.wait();
  state.SetIterationTime(seconds[0]);
  state.counters["n"] = double(n);
  if (bytes > 0) {
    state.counters["gb_per_s"] = bytes / seconds[0] * 1e-9;
    if (copy_bytes_per_second > 0) {
      const double least = bytes / copy_bytes_per_second;
      state.counters["bound"] = least / seconds[0];
      if (prints_bound_) state.counters["bound_ms"] = least * 1e3;
    }
  }
  if (!rivals_.empty()) {
    const double rival = *std::min_element(seconds.begin() + 1, seconds.end());
    state.counters["ratio"] = rival / seconds[0];
    state.counters["rival_us"] = rival * 1e6;
  }
  for (const auto& [name, value] : counters_) state.counters[name] = value;
}

void Rows::add_row(const std::string& row, const std::string& comparison, u64 n, const Setup& setup,
                   bool as_graphs) {
  benchmark::RegisterBenchmark(row.c_str(),
                               [this, comparison, n, setup, as_graphs](benchmark::State& state) {
                                 run(state, comparison, n, setup, as_graphs);
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

void Rows::add(const std::string& name, u64 n, Setup setup) {
  if (backend_ == Backend::cpu) {
    add_on_stream(name, n, std::move(setup));
    return;
  }
  const std::string sized = name + "/n:" + std::to_string(n);
  add_row(sized + "/stream", sized, n, setup, false);
  add_row(sized + "/graph", sized, n, setup, true);
}

void Rows::add_on_stream(const std::string& name, u64 n, Setup setup) {
  const std::string sized = name + "/n:" + std::to_string(n);
  add_row(sized, sized, n, setup, false);
}

void Rows::run(benchmark::State& state, const std::string& name, u64 n, const Setup& setup, bool as_graphs) {
  try {
    if (current_name_ != name) {
      current_.reset();
      current_name_.clear();
      current_ = std::make_unique<Comparison>(backend_, n);
      setup(*current_);
      current_name_ = name;
    }
    const std::string problem = current_->verify();
    if (!problem.empty()) {
      state.SkipWithError(problem.c_str());
      return;
    }
    for (auto _ : state) current_->measure(state, as_graphs, copy_bytes_per_second_);
  } catch (const Error& error) {
    current_.reset();
    current_name_.clear();
    state.SkipWithError(error.what());
  }
}

void Rows::describe_machine(const char* commit, CopyBytes copy) {
  benchmark::AddCustomContext("commit", commit);
  Context context({.backend = backend_});
  benchmark::AddCustomContext("device", context.device_name());
  if (backend_ == Backend::cpu) {
    benchmark::AddCustomContext("workers", std::to_string(context.worker_count()));
  }
  if (copy == nullptr) return;
  constexpr u64 bytes = u64{1} << 30;
  const Buffer<u8> from(context, bytes);
  Buffer<u8> to(context, bytes);
  const Work work = [&] { copy(context, to.data(), from.data(), bytes); };
  copy_bytes_per_second_ = 2.0 * double(bytes) / alternating_medians(context, {work})[0];
  benchmark::AddCustomContext("copy_gb_per_s", std::to_string(copy_bytes_per_second_ * 1e-9));
}

int run_program(int argc, char** argv, const Program& program) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  try {
    Rows rows(program.backend);
    rows.describe_machine(program.commit, program.copy);
    program.add_rows(rows);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: error: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}

}  // namespace copse::bench
