// Overlaps of regions with what is in binary trees.

#include "builders/bvh/node.h"
#include "trace/overlap_queries_with.h"

namespace copse::detail {

COPSE_OVERLAPS_OF(BvhView);

}  // namespace copse::detail
