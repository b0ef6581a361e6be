#include "builders/grid/distance_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <map>
#include <tuple>

#include "builders/geometry/generate.h"
#include "builders/geometry/point_triangle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;

/// A field on the host, by the place of each voxel.
struct HostField {
  GridShape shape;
  float band;
  std::map<std::tuple<u32, u32, u32>, u64> bricks;
  std::vector<u64> keys;
  std::vector<u32> words;
  std::vector<float> values;

  explicit HostField(const DistanceField& field)
      : shape(field.bricks.shape),
        band(field.band),
        keys(field.bricks.keys.download()),
        words(field.bricks.words.download()),
        values(field.values.download()) {
    for (u64 b = 0; b < keys.size(); ++b) {
      const uvec3 place = field.bricks.brick_shape().cell_of(keys[b]);
      bricks[{place.x, place.y, place.z}] = b;
    }
  }

  /// Returns whether a voxel is set, and its value; a voxel without a brick has NaN.
  std::pair<bool, float> at(const uvec3& voxel) const {
    const auto found = bricks.find({voxel.x / 8, voxel.y / 8, voxel.z / 8});
    if (found == bricks.end()) return {false, NAN};
    const u32 bit = voxel.x % 8 + 8 * (voxel.y % 8) + 64 * (voxel.z % 8);
    return {(words[found->second * brick_words + bit / 32] >> (bit % 32) & 1) != 0,
            values[found->second * 512 + bit]};
  }

  template <class Visit>
  void for_each_voxel(const Visit& visit) const {
    for (u32 z = 0; z < shape.resolution.z; ++z) {
      for (u32 y = 0; y < shape.resolution.y; ++y) {
        for (u32 x = 0; x < shape.resolution.x; ++x) visit(uvec3(x, y, z));
      }
    }
  }
};

/// The distance to the nearest triangle of all; infinity if there is none.
float slow_distance(const Mesh& mesh, const vec3& point) {
  float square = infinity;
  for (const uvec3& t : mesh.triangles) {
    const Triangle triangle{mesh.positions[t.x], mesh.positions[t.y], mesh.positions[t.z]};
    if (is_finite(triangle)) square = std::min(square, nearest_on_triangle(triangle, point).square);
  }
  return std::sqrt(square);
}

void append(Mesh& to, const Mesh& from, float scale, const vec3& offset) {
  const u32 first = u32(to.positions.size());
  for (const vec3& p : from.positions) to.positions.push_back(p * scale + offset);
  for (const uvec3& t : from.triangles) to.triangles.push_back(t + first);
}

class DistanceFields : public test::OnEachBackend {
 protected:
  HostField field_of(const Mesh& mesh, const DistanceFieldOptions& options) {
    const DeviceMesh device(context(), mesh);
    const DistanceField field = build_distance_field(context(), device.view(), options);
    check_complete(field.bricks);
    return HostField(field);
  }

  /// Each voxel has the distance of brute force, and a brick exists exactly where a voxel is within the band.
  void expect_brute_force(const Mesh& mesh, const DistanceFieldOptions& options, const std::string& name) {
    const HostField field = field_of(mesh, options);
    u64 wrong = 0, set_count = 0;
    field.for_each_voxel([&](const uvec3& voxel) {
      const float expected = std::min(slow_distance(mesh, voxel_centre(field.shape, voxel)), field.band);
      const auto [is_set, value] = field.at(voxel);
      set_count += is_set;
      const bool is_right = expected < field.band ? is_set && std::abs(value) == expected
                                                  : !is_set && (std::isnan(value) || std::abs(value) == expected);
      wrong += !is_right;
    });
    EXPECT_EQ(wrong, 0u) << name << ", " << options.resolution << " voxels, band " << options.band;
    for (u64 b = 0; b < field.keys.size(); ++b) {
      u32 any = 0;
      for (u32 k = 0; k < brick_words; ++k) any |= field.words[b * brick_words + k];
      ASSERT_NE(any, 0u) << name << ": brick " << b << " has no voxel within the band";
      ASSERT_TRUE(b == 0 || field.keys[b - 1] < field.keys[b]) << name;
    }
    EXPECT_TRUE(set_count > 0 || mesh.triangles.empty() || !is_finite(mesh.positions[0])) << name;
  }
};

TEST_P(DistanceFields, HaveTheDistancesOfBruteForce) {
  expect_brute_force(generate_sphere(2), {.resolution = 15}, "sphere");
  expect_brute_force(generate_cube(), {.resolution = 20, .band = 2}, "cube");
  expect_brute_force(generate_random(60, 0.4f), {.resolution = 16, .band = 3.5f}, "random");
  expect_brute_force(generate_grid(3), {.resolution = 30, .band = 5.25f}, "plane");
  expect_brute_force(generate_sphere(1), {.resolution = 3, .band = 16}, "wide band");
  expect_brute_force(generate_sphere(0), {.resolution = 1}, "one voxel");
}

/// Large triangles in all directions, needles among them, so that columns run along each axis and parts are many.
TEST_P(DistanceFields, HaveTheDistancesOfBruteForceToLargeTriangles) {
  Mesh mesh;
  mesh.positions = {{0, 0, 0},     {9, 8, 7}, {9, 8.01f, 7}, {0, 9, 1}, {9, 0, 0.5f}, {1, 9, 9},    {4, 0, 9},
                    {4.01f, 9, 0}, {9, 4, 4}, {0, 4, 4.5f},  {5, 5, 5}, {5, 5, 5},    {8.9f, 1, 8}, {NAN, 0, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}, {6, 7, 0}, {8, 9, 3}, {10, 11, 10}, {0, 12, 0}, {13, 1, 2}};
  expect_brute_force(mesh, {.resolution = 50}, "large triangles");
}

TEST_P(DistanceFields, HaveTheDistancesOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    if (hard.mesh.triangles.size() > 300) continue;
    try {
      expect_brute_force(hard.mesh, {.resolution = 12, .band = 2}, hard.name);
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.find("from the origin") != text.npos || text.find("edge of") != text.npos) << text;
    }
  }
}

/// A sphere with a sphere cut out of it, and a third one beside it: the parity says which are inside, whatever the
/// orientation.
TEST_P(DistanceFields, AreNegativeInside) {
  Mesh mesh;
  append(mesh, generate_sphere(4), 1, vec3(0));
  append(mesh, generate_sphere(4), 0.5f, vec3(0.1f, 0, 0));
  append(mesh, generate_sphere(3), 0.3f, vec3(0, 1.5f, 0.2f));
  for (size_t i = 0; i < mesh.triangles.size(); i += 3) std::swap(mesh.triangles[i].x, mesh.triangles[i].y);
  const HostField field = field_of(mesh, {.resolution = 50});
  u64 inside = 0, wrong = 0;
  field.for_each_voxel([&](const uvec3& voxel) {
    const auto [is_set, value] = field.at(voxel);
    const vec3 p = voxel_centre(field.shape, voxel);
    const float outer = glm::length(p) - 1, inner = 0.5f - glm::length(p - vec3(0.1f, 0, 0)),
                beside = glm::length(p - vec3(0, 1.5f, 0.2f)) - 0.3f;
    const float expected = std::min(std::max(outer, inner), beside);
    if (std::isnan(value) || std::abs(expected) < 0.01f) return;
    wrong += std::signbit(value) != (expected < 0);
    inside += std::signbit(value);
    if (is_set) wrong += std::abs(value - expected) > 0.01f;
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(inside, 1000u);
}

TEST_P(DistanceFields, TakeSeveralViewsAndNone) {
  const Mesh a = generate_sphere(2), b = generate_cube();
  Mesh both;
  append(both, a, 1, vec3(0));
  append(both, b, 1, vec3(0));
  const DeviceMesh first(context(), a), second(context(), b);
  const DistanceFieldOptions options{.resolution = 40};
  const HostField of_views(
      build_distance_field(context(), std::vector<TriangleView>{first.view(), second.view()}, options));
  const HostField of_one = field_of(both, options);
  EXPECT_EQ(of_views.keys, of_one.keys);
  EXPECT_EQ(of_views.values, of_one.values);

  const DistanceField empty = build_distance_field(context(), TriangleView{}, options);
  EXPECT_EQ(empty.brick_count(), 0u);
  EXPECT_EQ(count_voxels(context(), empty.bricks), 0u);
}

TEST_P(DistanceFields, RefuseOptionsOutOfRange) {
  const DeviceMesh device(context(), generate_cube());
  const auto build = [&](const TriangleView& view, const DistanceFieldOptions& options) {
    (void)build_distance_field(context(), view, options);
  };
  const ErrorCode bad = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(build(device.view(), {.resolution = 0}), bad, "the resolution is 0; it can be 1 to 4096");
  EXPECT_COPSE_ERROR(build(device.view(), {.resolution = 4097}), bad, "4097");
  EXPECT_COPSE_ERROR(build(device.view(), {.band = 1.5f}), bad, "the band is 1.5 voxels; it can be 2 to 16");
  EXPECT_COPSE_ERROR(build(device.view(), {.band = 17}), bad, "the band is 17 ");
  EXPECT_COPSE_ERROR(build(device.view(), {.band = NAN}), bad, "nan");
  Mesh far = generate_cube();
  for (vec3& p : far.positions) p.x += 1e6f;
  const DeviceMesh far_device(context(), far);
  EXPECT_COPSE_ERROR(build(far_device.view(), {}), bad, "from the origin");
}

COPSE_ON_EACH_BACKEND(DistanceFields);

TEST(DistanceFieldsOnBoth, AreEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh :
       {generate_sphere(5), generate_hairball(30, 20), generate_random(300, 0.5f), generate_cube()}) {
    const DeviceMesh a(cpu, mesh), b(cuda, mesh);
    for (const DistanceFieldOptions& options :
         {DistanceFieldOptions{.resolution = 130}, DistanceFieldOptions{.resolution = 40, .band = 7.5f}}) {
      const HostField on_cpu(build_distance_field(cpu, a.view(), options));
      const HostField on_cuda(build_distance_field(cuda, b.view(), options));
      EXPECT_EQ(on_cpu.keys, on_cuda.keys);
      EXPECT_EQ(on_cpu.words, on_cuda.words);
      ASSERT_EQ(on_cpu.values.size(), on_cuda.values.size());
      EXPECT_EQ(std::memcmp(on_cpu.values.data(), on_cuda.values.data(), on_cpu.values.size() * 4), 0);
    }
  }
}

}  // namespace
}  // namespace copse
