#pragma once

#include <span>
#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/error.h"

namespace copse {

/// The maximum number of primitives of one tree or grid: 2^31.
inline constexpr u64 max_primitives = u64{1} << 31;

/// The triangles of a tree: one view or several. Primitive ids count through the views in order. A hit reports the
/// geometry id of the view, and the number of the triangle in it.
///
/// It refers to the views, which must outlive it. Use it in argument lists only.
class COPSE_API TriangleViews {
 public:
  TriangleViews(const TriangleView& view) : views_(&view, 1) { check(); }
  TriangleViews(std::span<const TriangleView> views) : views_(views) { check(); }
  TriangleViews(const std::vector<TriangleView>& views) : views_(views) { check(); }

  std::span<const TriangleView> views() const { return views_; }
  u64 primitive_count() const { return count_; }

 private:
  void check();

  std::span<const TriangleView> views_;
  u64 count_ = 0;
};

/// Custom primitives by their boxes, in the memory of the context. The number of a box is its primitive id.
struct BoxView {
  BufferSpan<const Aabb> boxes;
};

namespace detail {

inline void check_primitive_count(u64 primitive_count) {
  if (primitive_count <= max_primitives) return;
  throw Error(ErrorCode::capacity, std::to_string(primitive_count) + " primitives, at most " +
                                       std::to_string(max_primitives) + " fit in one structure");
}

}  // namespace detail

}  // namespace copse
