#include "trace/surface_point.h"
#include "viewer/model/picture/surface.h"

namespace copse::viewer {

namespace {

struct ResolveTriangles {
  TriangleView triangles;
  const Ray* rays;
  const Hit* hits;
  SurfaceHit* surfaces;
  COPSE_HD void operator()(u64 i) const {
    const Hit hit = hits[i];
    SurfaceHit surface{vec3(0), hit.t, hit.primitive};
    if (is_hit(hit))
      surface.normal = copse::detail::facing_normal(load_triangle(triangles, hit.primitive), rays[i].direction);
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
