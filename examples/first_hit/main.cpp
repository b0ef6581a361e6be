// The first hit: two triangles, a tree over them, and one ray. docs/guide/ten-minutes.md builds it.

// snippet begins
#include <copse/copse.h>

#include <iostream>

int main() {
  const std::vector<glm::vec3> corners = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const std::vector<glm::uvec3> faces = {{0, 1, 2}, {0, 2, 3}};

  copse::Context context;  // the GPU if one answers, else all CPU threads
  copse::Buffer<glm::vec3> positions(context, corners);
  copse::Buffer<glm::uvec3> indices(context, faces);
  copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
  copse::Accel accel = copse::build(context, triangles);

  const copse::Ray ray{.origin = {0.25f, 0.5f, 2}, .t_min = 0, .direction = {0, 0, -1}, .t_max = copse::infinity};
  copse::Buffer<copse::Ray> rays(context, std::vector{ray});
  copse::Buffer<copse::Hit> hits(context, rays.size());
  copse::closest_hits(context, accel, rays.span(), hits.span());

  const copse::Hit hit = hits.download()[0];  // waits
  std::cout << "triangle " << hit.primitive << " at t = " << hit.t << "\n";
}
// snippet ends
