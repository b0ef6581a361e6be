#include "primitives/compact.h"
#include "primitives/count.h"
#include "primitives/loops/for_each_prefetched.h"
#include "primitives/radix_sort.h"
#include "primitives/tables/bidirectional_instances.h"

namespace copse::detail {

COPSE_FOR_HASH_SIZES(COPSE_BIDIRECTIONAL_BODIES, BidirectionalSlots)

}  // namespace copse::detail
