// Measures the primitives on the GPU, each beside CUB or Thrust of the CUDA toolkit in the same process.
//
//   copse-bench-primitives [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// The time of a row is ours. Its counters: `ratio` is the rival's time over ours. `rival_us` is the rival's time.
// `gb_per_s` and `bound` are over the bytes that any algorithm must move. `bound` compares them with the speed of
// a plain copy.

#include "bench/primitives/rows.h"
#include "bench/support/gpu_copy.h"
#include "copse_commit.h"

namespace {

void add_rows(copse::bench::Rows& rows) {
  using namespace copse::bench;
  add_reduce_rows(rows);
  add_scan_rows(rows);
  add_sort_rows(rows);
  add_compact_rows(rows);
  add_expand_rows(rows);
  add_count_rows(rows);
  add_compare_sort_rows(rows);
  add_segmented_scan_rows(rows);
  add_queue_rows(rows);
  add_run_rows(rows);
  add_gather_rows(rows);
  add_hash_rows(rows);
  add_bidirectional_rows(rows);
  add_cuckoo_rows(rows);
  add_histogram_rows(rows);
  add_list_rows(rows);
  add_area_rows(rows);
  add_split_rows(rows);
  add_record_sort_rows(rows);
  add_scene_bounds_rows(rows);
  add_course_rows(rows);
  add_tree_rows(rows);
  add_walk_rows(rows);
  // These come last: they set up the heap of kernels, which stays as long as the program runs.
  add_pool_rows(rows);
}

}  // namespace

int main(int argc, char** argv) {
  return copse::bench::run_program(argc, argv,
                                   {copse::Backend::cuda, COPSE_COMMIT, add_rows, copse::bench::copy_on_gpu});
}
