// The bulk calls on tables with bidirectional linear probing, for the compiled sizes of keys and values.

#include "primitives/compact.h"
#include "primitives/count.h"
#include "primitives/loops/for_each_prefetched.h"
#include "primitives/radix_sort.h"
#include "primitives/tables/bidirectional_bulk.h"
#include "primitives/tables/hash_bodies.h"

namespace copse::detail {

template struct HashCalls<BidirectionalSlots<4, 0>>::Bodies<BodyExecutor>;
template struct HashCalls<BidirectionalSlots<4, 4>>::Bodies<BodyExecutor>;
template struct HashCalls<BidirectionalSlots<8, 0>>::Bodies<BodyExecutor>;
template struct HashCalls<BidirectionalSlots<8, 4>>::Bodies<BodyExecutor>;
template struct HashCalls<BidirectionalSlots<8, 8>>::Bodies<BodyExecutor>;

}  // namespace copse::detail
