#include "bench/papers/rows.h"
#include "primitives/list_rank.h"

namespace copse::bench {

namespace {

/// Random lists; three random touches of 64 bytes and two words a node.
void rank_random_list(Comparison& c) {
  const BufferSpan<u32> next = c.buffer<u32>(c.n), ranks = c.buffer<u32>(c.n);
  const u32 head = fill_list(c.context, next);
  c.bytes = double(c.n) * (3 * 64 + 2 * 8);
  c.ours = [=, &c] { list_rank(c.context, next, head, ranks); };
  c.expect([=, &c] { return ranks_of_list(c.context, ranks); });
}

}  // namespace

void add_list_papers(Rows& rows) {
  rows.add_on_stream("rehman_2009/list_ranking", 8 * million, with_paper(rank_random_list, "paper_ms", 100));
  rows.add_on_stream("rehman_2009/list_ranking", 32 * million, with_paper(rank_random_list, "paper_ms", 1000));
}

}  // namespace copse::bench
