#pragma once

// Rows of Google Benchmark whose time is that of a stream.

#include <benchmark/benchmark.h>

#include <type_traits>

#include "primitives/core/buffer.h"
#include "primitives/core/graph.h"
#include "primitives/core/stopwatch.h"
#include "trace/ray.h"

namespace copse::bench {

/// Measures calls of `work`, which puts work on the stream of the context. The first call does not count.
template <class Work>
void time_work(benchmark::State& state, Context& context, const Work& work) {
  work();
  for (auto _ : state) {
    Stopwatch stopwatch(context);
    work();
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3);
  }
}

/// Measures launches of a graph of `step`, after a call of `step` outside of the graph.
template <class Step>
void time_captured(benchmark::State& state, Context& context, const Step& step) {
  step();
  Graph graph = context.capture(step);
  time_work(state, context, [&] { graph.launch(); });
}

/// Prints rays per second, of `count` rays per call.
inline void count_rays(benchmark::State& state, u64 count) {
  state.counters["rays"] = benchmark::Counter(double(count), benchmark::Counter::kIsIterationInvariantRate);
}

/// Measures a batch of rays through a structure: any hits if Result is u8, else the closest ones.
template <class Result, class Structure, class... Options>
void time_rays(benchmark::State& state, Context& context, const Structure& structure, const Buffer<Ray>& rays,
               const Options&... options) {
  Buffer<Result> results(context, rays.size());
  time_work(state, context, [&] {
    if constexpr (std::is_same_v<Result, u8>) {
      any_hits(context, structure, rays.span(), results.span(), options...);
    } else {
      closest_hits(context, structure, rays.span(), results.span(), options...);
    }
  });
  count_rays(state, rays.size());
}

}  // namespace copse::bench
