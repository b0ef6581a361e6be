// Batches of rays through trees of eight children in 80 bytes.

#include "trace/trace_rays_with.h"

namespace copse::detail {

COPSE_TRACE_RAYS_OF(CompressedBvh8View);

}  // namespace copse::detail
