#include "builders/geometry/vector_rn.h"
#include "viewer/model/picture/surface.h"

namespace copse::viewer {

namespace {

/// The triangle's normal, of length 1 and against `direction`. For a triangle without area it is -direction.
COPSE_HD inline vec3 facing_normal(const Triangle& triangle, const vec3& direction) {
  const vec3 ab = sub_rn(triangle.b, triangle.a), ac = sub_rn(triangle.c, triangle.a);
  // Scales the edges to about 1, so that no product leaves the range of float.
  const float scale = larger(largest_component(ab), largest_component(ac));
  const vec3 normal = cross_rn(div_rn(ab, scale), div_rn(ac, scale));
  const float length = length_rn(normal);
  if (!(length > 0)) return mul_rn(direction, -1.0f);
  return div_rn(normal, dot_rn(normal, direction) > 0 ? -length : length);
}

struct ResolveTriangles {
  TriangleView triangles;
  const Ray* rays;
  const Hit* hits;
  SurfaceHit* surfaces;
  COPSE_HD void operator()(u64 i) const {
    const Hit hit = hits[i];
    SurfaceHit surface{vec3(0), hit.t, hit.primitive};
    if (is_hit(hit)) surface.normal = facing_normal(load_triangle(triangles, hit.primitive), rays[i].direction);
    surfaces[i] = surface;
  }
};

}  // namespace

template <class Executor>
void resolve_hits(const Executor& ex, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<const Hit> hits, BufferSpan<SurfaceHit> surfaces) {
  for_each(ex, "picture: surfaces", rays.size(),
           ResolveTriangles{triangles, rays.data(), hits.data(), surfaces.data()});
}

template void resolve_hits(const copse::detail::BodyExecutor&, const TriangleView&, BufferSpan<const Ray>,
                           BufferSpan<const Hit>, BufferSpan<SurfaceHit>);

}  // namespace copse::viewer
