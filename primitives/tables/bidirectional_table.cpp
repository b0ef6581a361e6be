#include "primitives/tables/bidirectional_slots.h"
#include "primitives/tables/hash_dispatch.h"

namespace copse::detail {

template struct HashCalls<BidirectionalSlots<4, 0>>;
template struct HashCalls<BidirectionalSlots<4, 4>>;
template struct HashCalls<BidirectionalSlots<8, 0>>;
template struct HashCalls<BidirectionalSlots<8, 4>>;
template struct HashCalls<BidirectionalSlots<8, 8>>;

}  // namespace copse::detail
