#include "primitives/tables/hash_dispatch.h"
#include "primitives/tables/linear_slots.h"

namespace copse::detail {

template struct HashCalls<LinearSlots<4, 0>>;
template struct HashCalls<LinearSlots<4, 4>>;
template struct HashCalls<LinearSlots<8, 0>>;
template struct HashCalls<LinearSlots<8, 4>>;
template struct HashCalls<LinearSlots<8, 8>>;

}  // namespace copse::detail
