// The ids of packed triangles, for a tree that keeps none of its own.

#include "builders/geometry/packed_triangle.h"

namespace copse::detail {

namespace {

struct IdOfPacked {
  const PackedTriangle* packed;
  const u32* primitive_count;
  u32* ids;

  COPSE_HD void operator()(u64 place) const {
    if (place < *primitive_count) ids[place] = packed[place].primitive;
  }
};

}  // namespace

template <class Executor>
void copy_packed_ids(const Executor& ex, const PackedTriangle* packed, const u32* primitive_count, u64 n,
                     u32* ids) {
  for_each(ex, "ids of packed triangles", n, IdOfPacked{packed, primitive_count, ids});
}

template void copy_packed_ids(const BodyExecutor&, const PackedTriangle*, const u32*, u64, u32*);

}  // namespace copse::detail
