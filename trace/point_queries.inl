// Questions about points to binary trees.

#include "builders/bvh/node.h"
#include "trace/point_queries_with.h"

namespace copse::detail {

COPSE_POINT_QUERIES_OF(BvhView);

}  // namespace copse::detail
