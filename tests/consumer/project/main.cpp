// A user's program. It builds a tree over a sphere of radius 1, and traces one ray from (0, 0, 3) down the z axis.

#include <copse/copse.h>
#include <copse/grids.h>
#include <copse/primitives.h>
#include <copse/queries.h>

#include "trace/ray.h"

#include <cstdio>
#include <vector>

int main() {
  copse::Context context;
  const copse::Mesh mesh = copse::generate_sphere(3);
  copse::Buffer<glm::vec3> positions(context, mesh.positions);
  copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  const copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
  const copse::Accel accel = copse::build(context, triangles);

  const renderer::Ray own;
  const std::vector<copse::Ray> ray = {{{own.origin[0], own.origin[1], own.origin[2]},
                                        0,
                                        {own.direction[0], own.direction[1], own.direction[2]},
                                        copse::infinity}};
  copse::Buffer<copse::Ray> rays(context, ray);
  copse::Buffer<copse::Hit> hits(context, 1);
  copse::closest_hits(context, accel, rays.span(), hits.span());

  const copse::Hit hit = hits.download()[0];
  if (!copse::is_hit(hit)) {
    std::puts("no hit");
    return 1;
  }
  std::printf("%s: hit triangle %u at t = %.3f\n", copse::name_of(context.backend()), hit.primitive, hit.t);
  return 0;
}
