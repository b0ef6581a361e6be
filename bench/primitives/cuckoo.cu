#include "bench/primitives/hash_rows.cuh"
#include "primitives/cuckoo_table.h"

namespace copse::bench {

void add_cuckoo_rows(Rows& rows) {
  using Table = CuckooMap<u32, u32>;
  add_hash_table_rows<Table>(rows, "cuckoo");
  for (const float load : hash_loads) {
    char end[16];
    std::snprintf(end, sizeof end, "/load:%.2f", double(load));
    rows.add_on_stream(std::string("cuckoo/insert_by_threads") + end, hash_pairs,
                       [=](Comparison& c) { hash_threads_row<Table>(load, c); });
  }
}

}  // namespace copse::bench
