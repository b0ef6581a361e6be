#include "builders/geometry/scene_bounds.h"

#include <algorithm>

#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

/// A height field of 2^22 triangles: the fewest for which the vertices are read first.
Mesh wide_height_field() {
  constexpr u32 width = 2048, height = 1024;
  Mesh mesh;
  for (u32 y = 0; y <= height; ++y) {
    for (u32 x = 0; x <= width; ++x) mesh.positions.emplace_back(x, y, (x * 7 + y * 13) % 101);
  }
  for (u32 y = 0; y < height; ++y) {
    for (u32 x = 0; x < width; ++x) {
      const u32 corner = y * (width + 1) + x, above = corner + width + 1;
      mesh.triangles.emplace_back(corner, corner + 1, above);
      mesh.triangles.emplace_back(above, corner + 1, above + 1);
    }
  }
  return mesh;
}

/// Merges the boxes of all triangles, one after the other.
Aabb slow_bounds(const Mesh& mesh) {
  Aabb box = Aabb::empty();
  for (const uvec3& t : mesh.triangles) {
    const Triangle triangle{clean_point(mesh.positions[t.x]), clean_point(mesh.positions[t.y]),
                            clean_point(mesh.positions[t.z])};
    box = merge(box, bounds(triangle));
  }
  return box;
}

class SceneBounds : public OnEachBackend {
 protected:
  Aabb bounds_of(const TriangleViews& triangles) {
    Buffer<Aabb> out(context(), 1);
    scene_bounds(context(), triangles, out.span());
    return out.download()[0];
  }
  static void expect_same_bits(const Aabb& got, const Aabb& expected, const std::string& name) {
    EXPECT_EQ(std::memcmp(&got, &expected, sizeof got), 0) << name;
  }
};
COPSE_ON_EACH_BACKEND(SceneBounds);

TEST_P(SceneBounds, EqualTheBoxesOfAllTrianglesMerged) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    expect_same_bits(bounds_of(mesh.view()), slow_bounds(hard.mesh), hard.name);
  }
}

TEST_P(SceneBounds, LeaveOutVerticesWithoutTriangleAndTrianglesThatAreNotFinite) {
  Mesh mesh = generate_sphere(4);
  mesh.positions.push_back(vec3(1e9f));
  const Aabb expected = slow_bounds(mesh);
  const u32 n = u32(mesh.positions.size());
  mesh.positions.push_back(vec3(std::numeric_limits<float>::quiet_NaN(), 0, 0));
  mesh.positions.push_back(vec3(-1e9f));
  mesh.positions.push_back(vec3(-std::numeric_limits<float>::infinity(), 0, 0));
  mesh.triangles.insert(mesh.triangles.begin() + 100, uvec3(n, n + 1, 0));
  mesh.triangles.push_back(uvec3(n + 1, n + 2, 1));
  const DeviceMesh device(context(), mesh);
  expect_same_bits(bounds_of(device.view()), expected, "sphere");
}

TEST_P(SceneBounds, TakeEveryKindOfView) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  std::vector<glm::u16vec3> short_indices;
  std::vector<vec3> soup, padded;
  for (const uvec3& t : mesh.triangles) {
    short_indices.push_back(glm::u16vec3(t));
    for (u32 k = 0; k < 3; ++k) soup.push_back(mesh.positions[t[int(k)]]);
  }
  for (const vec3& p : mesh.positions) padded.insert(padded.end(), {p, vec3(1e9f)});
  const Buffer<glm::u16vec3> short_buffer(context(), short_indices);
  const Buffer<vec3> soup_buffer(context(), soup), padded_buffer(context(), padded);
  const Aabb expected = slow_bounds(mesh);
  const TriangleView with_short{.positions = device.positions.span(), .triangles = short_buffer.span()};
  const TriangleView without{.positions = soup_buffer.span()};
  const TriangleView strided{.positions = PositionSpan(padded_buffer.data(), mesh.positions.size(), 24),
                             .triangles = device.triangles.span()};
  for (const TriangleView& view : {with_short, without, strided}) {
    expect_same_bits(bounds_of(view), expected, std::to_string(view.triangles.index_bytes));
  }
  Mesh moved = generate_cube();
  for (vec3& p : moved.positions) p = vec3(p.x + 50, p.y, p.z);
  const DeviceMesh second(context(), moved);
  expect_same_bits(bounds_of(std::vector<TriangleView>{without, second.view(), with_short}),
                   merge(expected, slow_bounds(moved)), "several");
}

TEST_P(SceneBounds, LargeMeshWhoseOutermostVerticesDoNotCount) {
  const Mesh field = wide_height_field();
  expect_same_bits(bounds_of(DeviceMesh(context(), field).view()), slow_bounds(field), "all count");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Mesh unused = field;
  unused.positions.push_back(vec3(0, 1e9f, 0));
  expect_same_bits(bounds_of(DeviceMesh(context(), unused).view()), slow_bounds(field), "vertex without triangle");

  // The vertex belongs only to a triangle with NaN.
  const u32 n = u32(unused.positions.size());
  unused.positions.push_back(vec3(nan));
  unused.triangles.push_back(uvec3(n - 1, n, 0));
  expect_same_bits(bounds_of(DeviceMesh(context(), unused).view()), slow_bounds(field), "invalid triangle");

  // It belongs to a valid triangle too.
  unused.triangles.push_back(uvec3(0, 1, n - 1));
  expect_same_bits(bounds_of(DeviceMesh(context(), unused).view()), slow_bounds(unused), "valid triangle");

  Mesh invalid = field;
  for (vec3& p : invalid.positions) p.y = nan;
  expect_same_bits(bounds_of(DeviceMesh(context(), invalid).view()), Aabb::empty(), "no valid triangle");
}

TEST_P(SceneBounds, RefuseMissingOutput) {
  const DeviceMesh mesh(context(), generate_cube());
  Buffer<Aabb> none(context(), 0);
  EXPECT_COPSE_ERROR(scene_bounds(context(), mesh.view(), none.span()), ErrorCode::invalid_argument, "0 elements");
}

TEST_P(SceneBounds, LargeMeshInAnyOrderIsBounded) {
  Mesh mesh = generate_sphere(8);
  std::mt19937 random(5);
  expect_same_bits(bounds_of(DeviceMesh(context(), mesh).view()), slow_bounds(mesh), "in order");
  std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), random);
  expect_same_bits(bounds_of(DeviceMesh(context(), mesh).view()), slow_bounds(mesh), "shuffled");
}

}  // namespace copse::test
