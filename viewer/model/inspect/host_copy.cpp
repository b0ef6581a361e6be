#include "viewer/model/inspect/host_copy.h"

#include <algorithm>
#include <cmath>

#include "primitives/core/buffer.h"
#include "primitives/core/error.h"

namespace copse::viewer {

TriangleView HostTriangles::view() const {
  const BufferSpan<const vec3> points(positions.data(), positions.size());
  if (triangles.empty()) return {.positions = points};
  return {.positions = points, .triangles = BufferSpan<const uvec3>(triangles.data(), triangles.size())};
}

HostTriangles download_triangles(Context& context, const TriangleView& view) {
  HostTriangles host;
  host.positions = download(context, BufferSpan<const vec3>(view.positions.data, view.positions.size));
  if (view.triangles.index_bytes == 4) {
    host.triangles = download(
        context, BufferSpan<const uvec3>(static_cast<const uvec3*>(view.triangles.data), view.triangles.size));
  }
  return host;
}

float enter_box(const Aabb& box, const Ray& ray) {
  double entry = ray.t_min, exit = ray.t_max;
  for (int axis = 0; axis < 3; ++axis) {
    const double origin = ray.origin[axis], slope = ray.direction[axis];
    const double lo = double(box.lo[axis]) - origin, hi = double(box.hi[axis]) - origin;
    if (slope == 0) {
      if (lo > 0 || hi < 0) return ray.t_max;
      continue;
    }
    entry = std::max(entry, std::min(lo / slope, hi / slope));
    exit = std::min(exit, std::max(lo / slope, hi / slope));
  }
  // A traversal pads boxes for rounding, so it may enter a box that this test misses.
  return entry <= exit + 1e-5 * std::abs(exit) ? float(entry) : ray.t_max;
}

}  // namespace copse::viewer
