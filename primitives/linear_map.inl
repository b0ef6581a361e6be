#include "primitives/hash_instances.h"
#include "primitives/linear_slots.h"

namespace copse::detail {

COPSE_FOR_HASH_MAP_SIZES(COPSE_HASH_BODIES, LinearSlots)

}  // namespace copse::detail
