#include "builders/geometry/scene_bounds.h"
#include "bench/primitives/rows.h"
#include "primitives/core/device.h"

namespace copse::bench {

namespace {

/// A height field of `side` x `side` cells with two triangles each, row by row.
struct HeightField {
  std::vector<vec3> positions;
  std::vector<uvec3> triangles;

  explicit HeightField(u32 side) {
    positions.reserve(u64{side + 1} * (side + 1));
    triangles.reserve(u64{2} * side * side);
    for (u32 y = 0; y <= side; ++y) {
      for (u32 x = 0; x <= side; ++x) positions.emplace_back(float(x), float(y), float((x * 7 + y * 13) % 101));
    }
    for (u32 y = 0; y < side; ++y) {
      for (u32 x = 0; x < side; ++x) {
        const u32 corner = y * (side + 1) + x, above = corner + side + 1;
        triangles.emplace_back(corner, corner + 1, above);
        triangles.emplace_back(above, corner + 1, above + 1);
      }
    }
  }
};

/// The box around an indexed mesh. No other library computes it in one call. Each index triple and each vertex is
/// read once.
void bounds_of_mesh(Comparison& c) {
  u32 side = 1;
  while (u64{2} * side * side < c.n) side *= 2;
  const HeightField mesh(side);
  const BufferSpan<vec3> positions = c.buffer<vec3>(mesh.positions.size());
  const BufferSpan<uvec3> triangles = c.buffer<uvec3>(mesh.triangles.size());
  c.context.device().upload(positions.data(), mesh.positions.data(), positions.size_bytes());
  c.context.device().upload(triangles.data(), mesh.triangles.data(), triangles.size_bytes());
  const BufferSpan<Aabb> box = c.buffer<Aabb>(1);
  const TriangleView view{.positions = BufferSpan<const vec3>(positions),
                          .triangles = BufferSpan<const uvec3>(triangles)};
  c.bytes = double(positions.size_bytes() + triangles.size_bytes());
  c.ours = [=, &c] { scene_bounds(c.context, view, box); };
  c.expect([=, &c] {
    const Aabb found = download(c.context, box)[0];
    return found.lo == vec3(0, 0, 0) && found.hi == vec3(float(side), float(side), 100);
  });
}

}  // namespace

void add_scene_bounds_rows(Rows& rows) {
  for (u32 log_n : {17, 21, 25}) rows.add("reduce/scene_bounds", u64{1} << log_n, bounds_of_mesh);
}

}  // namespace copse::bench
