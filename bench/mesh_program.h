#pragma once

// The programs that measure over one mesh: copse-bench-NAME MESH [SUBDIVISIONS] [--benchmark_...]

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "copse.h"
#include "copse_commit.h"

namespace copse::bench {

inline bool gpu_answers() {
  try {
    Context context({.backend = Backend::cuda});
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Runs the benchmarks that were added.
inline void run_benchmarks() {
  benchmark::AddCustomContext("commit", COPSE_COMMIT);
  benchmark::RunSpecifiedBenchmarks();
}

/// Calls measure(mesh), which adds benchmarks and runs them. Every triangle of MESH is cut into 4, SUBDIVISIONS
/// times.
template <class Measure>
int run_mesh_program(const char* name, int argc, char** argv, const Measure& measure) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s MESH [SUBDIVISIONS] [--benchmark_...]\n", name);
    return 2;
  }
  try {
    const unsigned times = argc == 3 ? unsigned(std::strtoul(argv[2], nullptr, 10)) : 0;
    measure(subdivide(load_mesh(argv[1]), times));
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: error: %s\n", name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace copse::bench
