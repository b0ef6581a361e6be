// Overlaps of regions with what is in wide trees.

#include "trace/overlap_queries_with.h"
#include "trace/wide_query_walk.h"

namespace copse::detail {

COPSE_OVERLAPS_OF(Bvh4View);
COPSE_OVERLAPS_OF(CompressedBvh4View);
COPSE_OVERLAPS_OF(CompressedBvh8View);

}  // namespace copse::detail
