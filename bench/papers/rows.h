#pragma once

#include "bench/support/comparison.h"

namespace copse::bench {

/// The papers count in millions. Here a million is 2^20.
inline constexpr u64 million = u64{1} << 20;

/// Returns the setup with the paper's figure for it. See Comparison::add_paper.
inline Setup with_paper(Setup setup, const char* figure, double value) {
  return [=](Comparison& c) {
    setup(c);
    c.add_paper(figure, value);
  };
}

void add_scan_papers(Rows& rows);
void add_sort_papers(Rows& rows);
void add_record_papers(Rows& rows);
void add_list_papers(Rows& rows);
void add_wide_sort_papers(Rows& rows);
void add_record_sort_papers(Rows& rows);
void add_split_papers(Rows& rows);
void add_compare_sort_papers(Rows& rows);
void add_sample_sort_papers(Rows& rows);
void add_block_papers(Rows& rows);
void add_memory_access_papers(Rows& rows);

}  // namespace copse::bench
