#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor>
void bound_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, Aabb* out);

}  // namespace copse::detail
