// Batches of rays through trees of four children in 64 bytes.

#include "trace/trace_rays_with.h"

namespace copse::detail {

COPSE_TRACE_RAYS_OF(CompressedBvh4View);

}  // namespace copse::detail
