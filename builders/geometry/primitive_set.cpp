#include "builders/geometry/primitive_set.h"

#include "primitives/core/counted.h"

namespace copse {

namespace {

[[noreturn]] void refuse(u64 view, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "triangle view " + std::to_string(view) + ": " + what);
}

void check_view(u64 id, const TriangleView& view) {
  const u64 stride = view.positions.stride_bytes;
  if (stride < sizeof(vec3) || stride % 4 != 0) {
    refuse(id, "positions are " + detail::counted(stride, "bytes") +
                   " apart; at least 12 and a multiple of 4 are needed");
  }
  const u32 index_bytes = view.triangles.index_bytes;
  if (index_bytes != 0 && index_bytes != 2 && index_bytes != 4) {
    refuse(id, "an index has " + std::to_string(index_bytes) + " bytes; it can have 4 or 2, or 0 for no indices");
  }
  if (view.positions.data == nullptr && view.positions.size > 0) {
    refuse(id, "the address of " + detail::counted(view.positions.size, "positions") + " is null");
  }
  if (view.triangles.data == nullptr && index_bytes != 0 && view.triangles.size > 0) {
    refuse(id, "the address of the indices of " + detail::counted(view.triangles.size, "triangles") + " is null");
  }
  if (view.triangles.index_bytes == 0 && view.positions.size % 3 != 0) {
    refuse(id, detail::counted(view.positions.size, "positions") + " without indices; a multiple of 3 is needed");
  }
  if (view.triangle_count() > 0 && view.positions.size == 0) {
    refuse(id, detail::counted(view.triangle_count(), "triangles") + " over 0 positions");
  }
}

}  // namespace

void TriangleViews::check() {
  for (u64 id = 0; id < views_.size(); ++id) {
    check_view(id, views_[id]);
    count_ += views_[id].triangle_count();
  }
}

}  // namespace copse
