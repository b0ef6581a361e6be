// The bulk calls on cuckoo tables, for the compiled sizes of keys and values.

#include "primitives/compact.h"
#include "primitives/count.h"
#include "primitives/loops/for_each_interleaved.h"
#include "primitives/split.h"
#include "primitives/tables/cuckoo_slots.h"
#include "primitives/tables/hash_bodies.h"

namespace copse::detail {

template struct HashCalls<CuckooSlots<4, 0>>::Bodies<BodyExecutor>;
template struct HashCalls<CuckooSlots<4, 4>>::Bodies<BodyExecutor>;
template struct HashCalls<CuckooSlots<8, 0>>::Bodies<BodyExecutor>;

}  // namespace copse::detail
