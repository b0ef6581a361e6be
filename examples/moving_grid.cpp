// A sphere is stretched from frame to frame, and a uniform grid is rebuilt for each frame. Memory for the longest
// sphere is allocated once, and nothing waits for the number of references that the cells need.

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
  const std::vector<copse::Ray> ray = {{{0.1f, 0.1f, 9}, 0, {0, 0, -1}, copse::infinity}};
  copse::Buffer<copse::Ray> rays(context, ray);
  copse::Buffer<copse::Hit> hits(context, 1);

  // snippet begins
  const copse::GridOptions options{.resolution = {32, 32, 16}, .reference_capacity = 50000};
  copse::Grid grid = copse::build_grid(context, triangles, options);
  const auto frame = [&] {
    copse::rebuild_grid(context, grid, triangles, options);
    copse::closest_hits(context, grid.view(), triangles, rays.span(), hits.span());
  };
  // snippet ends
  for (int i = 0; i < frame_count; ++i) {
    const float length = 1 + 0.5f * float(i);
    device_mesh.positions.upload(example::scaled(mesh.positions, {1, 1, length}));
    frame();
    copse::check_complete(grid);  // waits; throws where the cells needed more than 50000 references
    const float t = hits.download()[0].t;
    std::printf("length %.1f: hit at %.3f\n", length, t);
    if (std::abs(t - (9 - length)) > 0.1f) return false;
    if (!copse::validate(context, grid, triangles).is_valid()) return false;
  }
  return true;
}

}  // namespace

int main() {
  return example::run("moving_grid", animate);
}
