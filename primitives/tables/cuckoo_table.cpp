#include "primitives/tables/cuckoo_slots.h"
#include "primitives/tables/hash_dispatch.h"

namespace copse::detail {

template struct HashCalls<CuckooSlots<4, 0>>;
template struct HashCalls<CuckooSlots<4, 4>>;
template struct HashCalls<CuckooSlots<8, 0>>;

}  // namespace copse::detail
