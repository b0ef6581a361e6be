#pragma once

#include <span>

#include "builders/bvh/node.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"
#include "trace/ray.h"

namespace copse::detail {

template <class Executor>
void closest_hits(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                  BufferSpan<const Ray> rays, Hit* hits);

template <class Executor>
void any_hits(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
              BufferSpan<const Ray> rays, u8* occluded);

}  // namespace copse::detail
