#pragma once

// The bodies behind bidirectional tables: a .inl file instantiates them for the sizes that are compiled.

#include "primitives/tables/bidirectional_body.h"
#include "primitives/tables/bidirectional_bulk.h"
#include "primitives/tables/hash_instances.h"

namespace copse::detail {

template <class Executor, class Slots>
void build_table_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                      const Words<Slots::value_bytes>* values, HashMode mode, HashCounts* counts,
                      InsertResult* results) {
  build_words(ex, "hash: build", slots, n, WordsAt<Slots::key_bytes>{keys}, WordsAt<Slots::value_bytes>{values},
              mode, counts, results);
}

}  // namespace copse::detail

#define COPSE_BIDIRECTIONAL_BODIES(Slots_, key_bytes, value_bytes)                                          \
  COPSE_HASH_BODIES(Slots_, key_bytes, value_bytes)                                                         \
  template void build_table_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, u64,           \
                                 const Words<key_bytes>*, const Words<value_bytes>*, HashMode, HashCounts*, \
                                 InsertResult*);
