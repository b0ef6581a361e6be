#include "bench/primitives/hash_rows.cuh"
#include "primitives/bidirectional_table.h"

namespace copse::bench {

namespace {

using Table = BidirectionalMap<u32, u32>;

/// One call makes a table of all pairs. It does not matter what the table held before.
void build_row(float load, Comparison& c) {
  const HashData d = hash_data(c);
  auto table = std::make_shared<Table>(c.context, c.n, HashTableOptions{.max_load = load});
  c.ours = [=, &c] { build(c.context, *table, BufferSpan<const u32>(d.keys), BufferSpan<const u32>(d.values)); };
  c.expect([=, &c] { return size(c.context, *table) == c.n; });
  c.add_counter("load", load);
}

}  // namespace

void add_bidirectional_rows(Rows& rows) {
  add_hash_table_rows<Table>(rows, "bidirectional");
  for (const float load : hash_loads) {
    char end[16];
    std::snprintf(end, sizeof end, "/load:%.2f", double(load));
    rows.add_on_stream(std::string("bidirectional/build") + end, hash_pairs,
                       [=](Comparison& c) { build_row(load, c); });
    rows.add_on_stream(std::string("bidirectional/insert_by_threads") + end, hash_pairs,
                       [=](Comparison& c) { hash_threads_row<Table>(load, c); });
  }
}

}  // namespace copse::bench
