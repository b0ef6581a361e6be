#include "trace/trace_rays.h"

#include <functional>
#include <string>

#include "primitives/core/dispatch.h"
#include "trace/check.h"
#include "trace/trace_rays_body.h"

namespace copse {

namespace {

using Packed = TraceTriangles::Packed;

[[noreturn]] void refuse(const char* function, const std::string& text) {
  throw Error(ErrorCode::invalid_argument, std::string(function) + ": " + text);
}

template <class Result>
void check_spans(const char* function, BufferSpan<const Ray> rays, BufferSpan<Result> results,
                 const TraceOptions& options) {
  if (results.size() != rays.size()) {
    refuse(function, "room for " + std::to_string(results.size()) + " results, but " +
                         std::to_string(rays.size()) + " rays");
  }
  const auto* ray_begin = reinterpret_cast<const unsigned char*>(rays.data());
  const auto* result_begin = reinterpret_cast<const unsigned char*>(results.data());
  const std::less<> before;
  if (before(ray_begin, result_begin + results.size_bytes()) &&
      before(result_begin, ray_begin + rays.size_bytes())) {
    refuse(function, "the results overlap the rays");
  }
  if (options.chosen.size() > 1) {
    refuse(function, "room for " + std::to_string(options.chosen.size()) + " chosen kernels, at most 1");
  }
  if (u32(options.kernel) > u32(TraceKernel::packets)) {
    refuse(function, "kernel " + std::to_string(u32(options.kernel)) + ", the last one is 3");
  }
}

std::span<const TriangleView> body_argument(const char*, u64, const TriangleViews& triangles) {
  return triangles.views();
}

Packed body_argument(const char* function, u64 tree_capacity, const Packed& packed) {
  if (packed.size() != tree_capacity) {
    refuse(function, std::to_string(packed.size()) + " packed triangles, but the tree has room for " +
                         std::to_string(tree_capacity));
  }
  return packed;
}

template <class Result>
void trace(const char* function, Context& context, const TreeView& tree, const TraceTriangles& triangles,
           BufferSpan<const Ray> rays, BufferSpan<Result> results, const TraceOptions& options) {
  check_spans(function, rays, results, options);
  const auto run = [&](const auto& bvh, const auto& source) {
    detail::check_tree(function, bvh);
    const auto argument = body_argument(function, bvh.primitive_ids.size(), source);
    dispatch(context,
             [&](const auto& ex) { detail::trace_rays(ex, bvh, argument, rays, results.data(), options); });
  };
  std::visit(run, tree, triangles.variant());
}

}  // namespace

void closest_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, const TraceOptions& options) {
  trace("closest_hits", context, bvh, triangles, rays, hits, options);
}

void any_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, const TraceOptions& options) {
  trace("any_hits", context, bvh, triangles, rays, occluded, options);
}

}  // namespace copse
