// The bulk calls of all kinds of tables, for the sizes of keys and values that the library compiles. The bodies:
// linear_table.inl, bidirectional_table.inl and cuckoo_table.inl, for either executor.

#include "primitives/tables/bidirectional_slots.h"
#include "primitives/tables/cuckoo_slots.h"
#include "primitives/tables/hash_dispatch.h"
#include "primitives/tables/linear_slots.h"

namespace copse::detail {

template struct COPSE_API HashCalls<LinearSlots<4, 0>>;
template struct COPSE_API HashCalls<LinearSlots<4, 4>>;
template struct COPSE_API HashCalls<LinearSlots<8, 0>>;
template struct COPSE_API HashCalls<LinearSlots<8, 4>>;
template struct COPSE_API HashCalls<LinearSlots<8, 8>>;

template struct COPSE_API HashCalls<BidirectionalSlots<4, 0>>;
template struct COPSE_API HashCalls<BidirectionalSlots<4, 4>>;
template struct COPSE_API HashCalls<BidirectionalSlots<8, 0>>;
template struct COPSE_API HashCalls<BidirectionalSlots<8, 4>>;
template struct COPSE_API HashCalls<BidirectionalSlots<8, 8>>;

template struct COPSE_API HashCalls<CuckooSlots<4, 0>>;
template struct COPSE_API HashCalls<CuckooSlots<4, 4>>;
template struct COPSE_API HashCalls<CuckooSlots<8, 0>>;

}  // namespace copse::detail
