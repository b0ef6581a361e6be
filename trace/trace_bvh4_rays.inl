// Batches of rays through trees of four children in full precision.

#include "trace/trace_rays_with.h"

namespace copse::detail {

COPSE_TRACE_RAYS_OF(Bvh4View);

}  // namespace copse::detail
