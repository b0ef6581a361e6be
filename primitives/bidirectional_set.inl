#include "primitives/bidirectional_instances.h"

namespace copse::detail {

COPSE_FOR_HASH_SET_SIZES(COPSE_BIDIRECTIONAL_BODIES, BidirectionalSlots)

}  // namespace copse::detail
