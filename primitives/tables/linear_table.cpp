#include "primitives/tables/hash_checks.h"
#include "primitives/tables/linear_slots.h"

namespace copse::detail {

COPSE_FOR_HASH_SIZES(COPSE_HASH_CALLS, LinearSlots)

}  // namespace copse::detail
