// Measures grids, voxels and bricks, and whole frames through them beside trees.
//
//   copse-bench-grids [TESTBALL.ply] [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// Without the testball, the rows of voxels and bricks are left out. A row has two counters. `bytes` is the bytes
// that any algorithm must read and write. `bound` is the share of a plain copy's speed that the row reaches for
// these bytes.

#include <cstdio>

#include "bench/grids/rows.h"
#include "copse.h"
#include "copse/grids.h"
#include "copse_commit.h"
#if COPSE_HAS_CUDA
#include "bench/support/gpu_copy.h"
#endif

namespace {

copse::bench::CopyBytes copy_on(copse::Backend backend) {
#if COPSE_HAS_CUDA
  if (backend == copse::Backend::cuda) return copse::bench::copy_on_gpu;
#endif
  (void)backend;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace copse;
  benchmark::Initialize(&argc, argv);
  if (argc > 2) {
    std::fprintf(stderr, "usage: %s [TESTBALL.ply] [--benchmark_...]\n", argv[0]);
    return 2;
  }
  try {
    const Backend backend = Context().backend();
    bench::Rows rows(backend);
    rows.describe_machine(COPSE_COMMIT, copy_on(backend));
    bench::add_structure_rows(rows, argc == 2 ? argv[1] : "");
    bench::add_frame_rows(rows, backend);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: error: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
