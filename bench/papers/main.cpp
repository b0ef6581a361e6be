// Measures on this GPU what the papers measured. Rows are named by paper and figure.
//
//   copse-bench-papers [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// The time of a row is ours. `paper_ms` and counters with similar names are the paper's figures, on the GPU of its
// time. `bound_ms` is the least time in which this GPU can move the bytes. Where a paper compares two ways, both
// run here: `ratio` is the time of the way named last over the time of the way named first. The papers:
//
//   - patidar_2009: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", IIIT/TR/2009/99,
//     on one GPU of a Tesla S1070
//   - harris_2010: Harris, "Data-Parallel Primitives", GPU Technology Conference 2010, on a GTX 280 and Fermi
//   - skjellum_2011: Skjellum, Whittaker, Bangalore, "Ballot Counting for Optimal Binary Prefix Sum", 2011, Fermi
//   - mueller: Mueller, "Memories: Global" and sample sort, CSE 591, Stony Brook University, on a GTX 470
//   - rehman_2009: Rehman, Kothapalli, Narayanan, "Fast and Scalable List Ranking on the GPU", ICS 2009

#include "bench/papers/rows.h"
#include "bench/support/gpu_copy.h"
#include "copse_commit.h"

namespace {

void add_rows(copse::bench::Rows& rows) {
  using namespace copse::bench;
  add_scan_papers(rows);
  add_sort_papers(rows);
  add_wide_sort_papers(rows);
  add_split_papers(rows);
  add_record_papers(rows);
  add_record_sort_papers(rows);
  add_list_papers(rows);
  add_compare_sort_papers(rows);
  add_sample_sort_papers(rows);
  add_block_papers(rows);
  add_memory_access_papers(rows);
}

}  // namespace

int main(int argc, char** argv) {
  return copse::bench::run_program(argc, argv,
                                   {copse::Backend::cuda, COPSE_COMMIT, add_rows, copse::bench::copy_on_gpu});
}
