#pragma once

#include "primitives/core/executor.h"
#include "primitives/tables/bidirectional_slots.h"
#include "primitives/tables/hash_calls.h"

namespace copse::detail {

/// `counts` and `results` may be null.
template <class Executor, class Slots>
void build_table_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                      const Words<Slots::value_bytes>* values, HashMode mode, HashCounts* counts,
                      InsertResult* results);

}  // namespace copse::detail
