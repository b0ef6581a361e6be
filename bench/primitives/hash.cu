#include "bench/primitives/hash_rows.cuh"

namespace copse::bench {

void add_hash_rows(Rows& rows) {
  add_hash_table_rows<HashMap<u32, u32>>(rows, "hash");
}

}  // namespace copse::bench
