// Batches with masks through trees of full boxes.

#include "trace/masked_rays_with.h"

namespace copse::detail {

COPSE_MASKED_RAYS_OF(BvhView);
COPSE_MASKED_RAYS_OF(Bvh4View);

}  // namespace copse::detail
