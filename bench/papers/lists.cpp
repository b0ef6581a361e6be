#include "bench/papers/rows.h"
#include "bench/support/list_rank.h"

namespace copse::bench {

void add_list_papers(Rows& rows) {
  rows.add_on_stream("rehman_2009/list_ranking", 8 * million, with_paper(rank_random_list, "paper_ms", 100));
  rows.add_on_stream("rehman_2009/list_ranking", 32 * million, with_paper(rank_random_list, "paper_ms", 1000));
}

}  // namespace copse::bench
