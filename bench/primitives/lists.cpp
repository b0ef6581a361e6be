#include "bench/primitives/rows.h"
#include "bench/support/list_rank.h"

namespace copse::bench {

void add_list_rows(Rows& rows) {
  for (u32 log_n : {20, 23, 25}) rows.add("list_rank/random", u64{1} << log_n, rank_random_list);
}

}  // namespace copse::bench
