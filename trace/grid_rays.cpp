#include "trace/grid_rays.h"

#include <functional>
#include <string>

#include "primitives/core/dispatch.h"
#include "trace/grid_rays_body.h"

namespace copse {

namespace {

[[noreturn]] void refuse(const char* function, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, std::string(function) + ": " + what);
}

template <class Result>
void check_spans(const char* function, const GridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<Result> results) {
  if (grid.shape.empty() || grid.cell_begins.size() < 2) {
    refuse(function, "the grid has 0 cells, even a grid without primitives has 1");
  }
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
}

}  // namespace

void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits) {
  check_spans("closest_hits", grid, rays, hits);
  dispatch(context,
           [&](const auto& ex) { detail::march_closest_hits(ex, grid, triangles.views(), rays, hits.data()); });
}

void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded) {
  check_spans("any_hits", grid, rays, occluded);
  dispatch(context,
           [&](const auto& ex) { detail::march_any_hits(ex, grid, triangles.views(), rays, occluded.data()); });
}

}  // namespace copse
