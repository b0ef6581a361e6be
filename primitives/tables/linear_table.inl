// The bulk calls on tables with linear probing, for the compiled sizes of keys and values.

#include "primitives/compact.h"
#include "primitives/count.h"
#include "primitives/loops/for_each_interleaved.h"
#include "primitives/split.h"
#include "primitives/tables/hash_bodies.h"
#include "primitives/tables/linear_slots.h"

namespace copse::detail {

template struct HashCalls<LinearSlots<4, 0>>::Bodies<BodyExecutor>;
template struct HashCalls<LinearSlots<4, 4>>::Bodies<BodyExecutor>;
template struct HashCalls<LinearSlots<8, 0>>::Bodies<BodyExecutor>;
template struct HashCalls<LinearSlots<8, 4>>::Bodies<BodyExecutor>;
template struct HashCalls<LinearSlots<8, 8>>::Bodies<BodyExecutor>;

}  // namespace copse::detail
