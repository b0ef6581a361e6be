#include "primitives/bidirectional_table.h"

#include "primitives/tables/bidirectional_body.h"
#include "primitives/tables/hash_checks.h"

namespace copse::detail {

template <class Slots>
void build_table_words(Context& context, const Slots& slots, HashMode mode, KeySpan<Slots> keys,
                       ConstValueSpan<Slots> values, BufferSpan<HashCounts> counts,
                       BufferSpan<InsertResult> results) {
  check_hash_insertion<Slots>(keys, values, counts, results);
  dispatch(context, [&](const auto& ex) {
    build_table_body(ex, slots, keys.size(), keys.data(), values.data(), mode, data_or_null(counts),
                     data_or_null(results));
  });
}

#define COPSE_BUILD_CALL(Slots_, key_bytes, value_bytes)                                                  \
  template void build_table_words(                                                                        \
      Context&, const Slots_<key_bytes, value_bytes>&, HashMode, KeySpan<Slots_<key_bytes, value_bytes>>, \
      ConstValueSpan<Slots_<key_bytes, value_bytes>>, BufferSpan<HashCounts>, BufferSpan<InsertResult>);
COPSE_FOR_HASH_SIZES(COPSE_BUILD_CALL, BidirectionalSlots)
COPSE_FOR_HASH_SIZES(COPSE_HASH_CALLS, BidirectionalSlots)
#undef COPSE_BUILD_CALL

}  // namespace copse::detail
