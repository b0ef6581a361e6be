#include "trace/trace_rays.h"

#include <functional>

#include "primitives/core/dispatch.h"
#include "trace/check.h"
#include "trace/trace_rays_body.h"

namespace copse {

namespace {

template <class Result>
void check_spans(const char* function, const BvhView& bvh, BufferSpan<const Ray> rays,
                 BufferSpan<Result> results) {
  detail::check_tree(function, bvh);
  if (results.size() != rays.size()) {
    throw Error(ErrorCode::invalid_argument, std::string(function) + ": room for " +
                                                 std::to_string(results.size()) + " results, but " +
                                                 std::to_string(rays.size()) + " rays");
  }
  const auto* ray_begin = reinterpret_cast<const unsigned char*>(rays.data());
  const auto* result_begin = reinterpret_cast<const unsigned char*>(results.data());
  const std::less<> before;
  if (before(ray_begin, result_begin + results.size_bytes()) &&
      before(result_begin, ray_begin + rays.size_bytes())) {
    throw Error(ErrorCode::invalid_argument, std::string(function) + ": the results overlap the rays");
  }
}

}  // namespace

void closest_hits(Context& context, const BvhView& bvh, const TriangleViews& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<Hit> hits) {
  check_spans("closest_hits", bvh, rays, hits);
  dispatch(context, [&](const auto& ex) { detail::closest_hits(ex, bvh, triangles.views(), rays, hits.data()); });
}

void any_hits(Context& context, const BvhView& bvh, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded) {
  check_spans("any_hits", bvh, rays, occluded);
  dispatch(context, [&](const auto& ex) { detail::any_hits(ex, bvh, triangles.views(), rays, occluded.data()); });
}

}  // namespace copse
