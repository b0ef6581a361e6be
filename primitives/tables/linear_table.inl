#include "primitives/compact.h"
#include "primitives/count.h"
#include "primitives/loops/for_each_interleaved.h"
#include "primitives/split.h"
#include "primitives/tables/hash_instances.h"
#include "primitives/tables/linear_slots.h"

namespace copse::detail {

COPSE_FOR_HASH_SIZES(COPSE_HASH_BODIES, LinearSlots)

}  // namespace copse::detail
