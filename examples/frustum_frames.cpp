// A sphere is stretched from frame to frame in front of a camera. A frustum grid of what the camera sees is
// rebuilt for each picture.

#include <copse/copse.h>
#include <copse/grids.h>

#include <cmath>

#include "example_support.h"

namespace {

constexpr int frame_count = 8;

bool animate() {
  copse::Context context;
  const copse::Mesh mesh = copse::generate_sphere(4);
  example::DeviceMesh device_mesh(context, mesh);
  const copse::TriangleView triangles = device_mesh.view();
  const copse::Camera camera = copse::look_at({0, 0, 9}, {0, 0, 0}, {0, 1, 0}, 30, 1);
  copse::Buffer<copse::Hit> hits(context, 256 * 256);

  // snippet begins
  const copse::ViewFrustum frustum = copse::view_frustum(camera);
  copse::FrustumGrid grid = copse::build_frustum_grid(context, triangles, frustum, {.reference_capacity = 100000});
  const auto frame = [&] {
    copse::rebuild_frustum_grid(context, grid, triangles, frustum);
    copse::closest_hits(context, grid.view(), triangles, 256, 256, hits.span());  // row by row
  };
  // snippet ends
  for (int i = 0; i < frame_count; ++i) {
    const float length = 1 + 0.5f * float(i);
    device_mesh.positions.upload(example::scaled(mesh.positions, {1, 1, length}));
    frame();
    copse::check_complete(grid.cells);  // waits; throws where the cells needed more than 100000 references
    const float t = hits.download()[128 * 256 + 128].t;
    std::printf("length %.1f: hit at %.3f\n", length, t);
    if (std::abs(t - (9 - length)) > 0.1f) return false;
    if (!copse::validate(context, grid, triangles).is_valid()) return false;
  }
  return true;
}

}  // namespace

int main() {
  return example::run("frustum_frames", animate);
}
