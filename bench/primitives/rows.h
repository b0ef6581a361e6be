#pragma once

#include "bench/support/comparison.h"

namespace copse::bench {

void add_reduce_rows(Rows& rows);
void add_scan_rows(Rows& rows);
void add_sort_rows(Rows& rows);
void add_compact_rows(Rows& rows);
void add_expand_rows(Rows& rows);
void add_count_rows(Rows& rows);
void add_area_rows(Rows& rows);
void add_compare_sort_rows(Rows& rows);
void add_segmented_scan_rows(Rows& rows);
void add_pool_rows(Rows& rows);
void add_queue_rows(Rows& rows);
void add_run_rows(Rows& rows);
void add_gather_rows(Rows& rows);
void add_hash_rows(Rows& rows);
void add_bidirectional_rows(Rows& rows);
void add_cuckoo_rows(Rows& rows);
void add_histogram_rows(Rows& rows);
void add_list_rows(Rows& rows);
void add_split_rows(Rows& rows);
void add_record_sort_rows(Rows& rows);
void add_scene_bounds_rows(Rows& rows);
void add_course_rows(Rows& rows);
void add_tree_rows(Rows& rows);
void add_walk_rows(Rows& rows);

}  // namespace copse::bench
