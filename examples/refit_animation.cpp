// A sphere that breathes: every frame moves its vertices and refits the boxes of the tree. The topology of the
// tree stays. On a GPU the frame is one captured graph, so it costs one launch.

#include <copse/copse.h>

#include <cmath>

#include "example_support.h"

namespace {

constexpr int frame_count = 8;

bool animate() {
  copse::Context context;
  const copse::Mesh mesh = copse::generate_sphere(4);
  example::DeviceMesh device_mesh(context, mesh);
  const copse::TriangleView triangles = device_mesh.view();
  copse::Accel accel = copse::build(context, triangles);

  const std::vector<copse::Ray> ray = {{{0, 0, 5}, 0, {0, 0, -1}, copse::infinity}};
  copse::Buffer<copse::Ray> rays(context, ray);
  copse::Buffer<copse::Hit> hits(context, 1);
  // snippet begins
  const auto frame = [&] {
    copse::refit(context, accel, triangles);
    copse::closest_hits(context, accel, rays.span(), hits.span());
  };
  frame();  // once before the capture: a captured frame must not allocate
  copse::Graph graph = context.capture(frame);
  // snippet ends

  for (int i = 0; i < frame_count; ++i) {
    const float radius = 1 + 0.1f * float(i);
    device_mesh.positions.upload(example::scaled(mesh.positions, glm::vec3(radius)));
    graph.launch();
    const float t = hits.download()[0].t;
    std::printf("radius %.1f: hit at %.3f\n", radius, t);
    if (std::abs(t - (5 - radius)) > 0.01f) return false;
  }
  return copse::validate(context, accel.tree(), triangles, /*refitted=*/true).is_valid();
}

}  // namespace

int main() {
  return example::run("refit_animation", animate);
}
