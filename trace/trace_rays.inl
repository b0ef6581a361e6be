// Batches of rays through binary trees.

#include "trace/trace_rays_with.h"

namespace copse::detail {

COPSE_TRACE_RAYS_OF(BvhView);

}  // namespace copse::detail
