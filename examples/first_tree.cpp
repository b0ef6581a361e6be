// The first tree: a mesh in, a tree over it, one ray. Usage: first_tree MESH

#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

void trace_one_ray(const char* mesh_file) {
  // snippet begins
  copse::Context context;  // the GPU if one answers, else all CPU threads
  const copse::Mesh mesh = copse::load_mesh(mesh_file);
  copse::Buffer<glm::vec3> positions(context, mesh.positions);
  copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
  copse::Accel accel = copse::build(context, triangles);

  const copse::Camera camera = copse::frame_box(copse::bounds(mesh), 40, 1);
  copse::Buffer<copse::Ray> rays(context, std::vector{copse::camera_ray(camera, 0, 0, 1, 1)});
  copse::Buffer<copse::Hit> hits(context, rays.size());
  copse::closest_hits(context, accel, rays.span(), hits.span());
  const copse::Hit hit = hits.download()[0];  // waits
  // snippet ends
  if (copse::is_hit(hit)) {
    std::printf("triangle %u at distance %g\n", hit.primitive, hit.t);
  } else {
    std::printf("no hit\n");
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: first_tree MESH\n");
    return 2;
  }
  try {
    trace_one_ray(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "first_tree: %s\n", error.what());
    return 1;
  }
  return 0;
}
