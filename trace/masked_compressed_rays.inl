// Batches with masks through trees of compressed boxes.

#include "trace/masked_rays_with.h"

namespace copse::detail {

COPSE_MASKED_RAYS_OF(CompressedBvh4View);
COPSE_MASKED_RAYS_OF(CompressedBvh8View);

}  // namespace copse::detail
