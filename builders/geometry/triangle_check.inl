// Finds indices of triangles that are past the last position.

#include "builders/geometry/triangle.h"
#include "primitives/core/bits.h"
#include "primitives/reduce.h"

namespace copse::detail {

namespace {

/// The number of a triangle that has an index past the end, else the largest number.
struct TrianglePastEnd {
  TriangleView view;

  COPSE_HD u64 operator()(u64 i) const {
    const VertexIds ids = vertex_ids(view, i);
    return larger(ids.a, larger(ids.b, ids.c)) < view.positions.size ? ~u64{0} : i;
  }
};

struct SmallerNumber {
  COPSE_HD u64 operator()(u64 a, u64 b) const { return smaller(a, b); }
};

}  // namespace

template <class Executor>
void find_index_past_end(const Executor& ex, const TriangleView& view, u64* first) {
  reduce(ex, "validate: indices", view.triangle_count(), TrianglePastEnd{view}, ~u64{0}, SmallerNumber{}, first);
}

template void find_index_past_end(const BodyExecutor&, const TriangleView&, u64*);

}  // namespace copse::detail
