#include "builders/geometry/scene_bounds.h"

#include <string>

#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: scene_bounds.inl, for either executor.
template <class Executor>
void bound_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, Aabb* out);

}  // namespace detail

void scene_bounds(Context& context, const TriangleViews& triangles, BufferSpan<Aabb> out) {
  constexpr u64 max_triangles = u64{1} << 31;
  if (out.empty()) {
    throw Error(ErrorCode::invalid_argument, "scene bounds: the output has 0 elements, 1 is needed");
  }
  if (triangles.primitive_count() > max_triangles) {
    throw Error(ErrorCode::capacity, "scene bounds: " + std::to_string(triangles.primitive_count()) +
                                         " triangles, at most " + std::to_string(max_triangles) + " are taken");
  }
  dispatch(context, [&](const auto& ex) {
    detail::bound_triangles(ex, triangles.views(), triangles.primitive_count(), out.data());
  });
}

}  // namespace copse
