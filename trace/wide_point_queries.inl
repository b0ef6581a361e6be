// Questions about points to wide trees.

#include "trace/point_queries_with.h"
#include "trace/wide_query_walk.h"

namespace copse::detail {

COPSE_POINT_QUERIES_OF(Bvh4View);
COPSE_POINT_QUERIES_OF(CompressedBvh4View);
COPSE_POINT_QUERIES_OF(CompressedBvh8View);

}  // namespace copse::detail
