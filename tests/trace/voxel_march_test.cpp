#include "trace/voxel_march.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include "builders/geometry/generate.h"
#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/voxel_file.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/oracle.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::RayMaker;

/// The interval of t in which a ray is in a box that is `slack` larger on each side; from > to if it misses.
std::pair<double, double> span_in_box(const Ray& ray, const dvec3& lo, const dvec3& hi, double slack) {
  double from = ray.t_min, to = ray.t_max;
  for (int axis = 0; axis < 3; ++axis) {
    const double o = ray.origin[axis], d = ray.direction[axis];
    const double a = (lo[axis] - slack - o) / d, b = (hi[axis] + slack - o) / d;
    if (d == 0) {
      if (o < lo[axis] - slack || o > hi[axis] + slack) to = -1e300;
      continue;
    }
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return {from, to};
}

/// No voxel that is set lies clearly before the hit, and the ray passes through the voxel of the hit, or close to
/// it.
void expect_first(const HostVoxels& voxels, const std::vector<uvec3>& set, const Ray& ray, const VoxelHit& hit) {
  const GridShape& shape = voxels.shape;
  const dvec3 edge = 1.0 / shape.cells_per_unit;
  const double slack = edge.x / 16, speed = glm::length(dvec3(ray.direction));
  const auto span_of = [&](const uvec3& voxel, double s) {
    const dvec3 lo = shape.lo + dvec3(voxel) * edge;
    return span_in_box(ray, lo, lo + edge, s);
  };
  if (is_hit(hit)) {
    ASSERT_TRUE(voxels.at(hit.voxel)) << test::text(ray);
    const auto [from, to] = span_of(hit.voxel, slack);
    ASSERT_LE(from, to) << test::text(ray) << " does not pass the voxel that it hits";
    ASSERT_GE(hit.t, from - slack / speed) << test::text(ray);
    ASSERT_LE(hit.t, to + slack / speed) << test::text(ray);
  }
  for (const uvec3& voxel : set) {
    const auto [from, to] = span_of(voxel, -slack);
    if (from > to) continue;
    ASSERT_TRUE(is_hit(hit)) << test::text(ray) << " passes a voxel";
    ASSERT_LE(hit.t, from + slack / speed) << test::text(ray) << " passes a voxel before the one that it hits";
  }
}

std::vector<uvec3> set_voxels(const HostVoxels& voxels) {
  std::vector<uvec3> set;
  for (u32 id = 0; id < voxels.shape.cell_count(); ++id) {
    if (voxels.at(voxels.shape.cell_at(id))) set.push_back(voxels.shape.cell_at(id));
  }
  return set;
}

template <class View>
void expect_first_voxels(const View& view, const HostVoxels& voxels, const Mesh& mesh, u32 ray_count) {
  const std::vector<uvec3> set = set_voxels(voxels);
  u32 hit_count = 0;
  for (const Ray& ray : test::difficult_rays(mesh, ray_count, 1)) {
    const VoxelHit hit = first_voxel(view, ray);
    hit_count += is_hit(hit);
    expect_first(voxels, set, ray, hit);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(hit_count, ray_count / 10);
}

void expect_first_voxels_of(const Mesh& mesh) {
  Context context({.backend = Backend::cpu});
  const DeviceMesh device(context, mesh);
  for (const u32 resolution : {1u, 9u, 30u}) {
    const Voxels dense = build_voxels(context, device.view(), resolution);
    expect_first_voxels(dense.view(), download(dense), mesh, 400);
    const Bricks bricks = build_bricks(context, device.view(), {.resolution = resolution});
    expect_first_voxels(bricks.view(), download(bricks), mesh, 400);
  }
}

TEST(VoxelMarch, FindsTheFirstVoxelOfASphere) {
  expect_first_voxels_of(generate_sphere(2));
}
TEST(VoxelMarch, FindsTheFirstVoxelAmongRandomTriangles) {
  expect_first_voxels_of(generate_random(30, 0.2f));
}
TEST(VoxelMarch, FindsTheFirstVoxelOfAFlatMesh) {
  expect_first_voxels_of(generate_grid(4));
}

TEST(VoxelMarch, SeesTheSameThroughBricksAsThroughADenseGrid) {
  Mesh mesh = generate_random(100, 0.1f);
  for (vec3& p : mesh.positions) p = glm::clamp(glm::round(p * 128.0f * 64.0f) / 128.0f, vec3(0), vec3(64));
  mesh.positions.insert(mesh.positions.end(), {vec3(0), vec3(64)});
  const u32 last = u32(mesh.positions.size()) - 1;
  mesh.triangles.push_back(uvec3(last - 1, last - 1, last - 1));
  mesh.triangles.push_back(uvec3(last));
  Context context({.backend = Backend::cpu});
  const DeviceMesh device(context, mesh);
  const Voxels dense = build_voxels(context, device.view(), 64);
  const Bricks bricks = build_bricks(context, device.view(), {.resolution = 64});
  RayMaker make(3);
  u32 different = 0;
  for (int i = 0; i < 5000; ++i) {
    const Ray ray = make.into({vec3(0), vec3(64)});
    different += first_voxel(dense.view(), ray).voxel != first_voxel(bricks.view(), ray).voxel;
  }
  EXPECT_LE(different, 5u);  // rays through edges of voxels
}

TEST(VoxelMarch, MissesWhereThereIsNothing) {
  Context context({.backend = Backend::cpu});
  const DeviceMesh device(context, generate_cube());
  const Bricks bricks = build_bricks(context, device.view(), {.resolution = 33});
  const Ray good{vec3(0.3f, 0.4f, -1), 0, vec3(0, 0, 1), infinity};
  const VoxelHit hit = first_voxel(bricks.view(), good);
  EXPECT_NEAR(hit.t, 1, 0.01f);
  EXPECT_EQ(hit.voxel, uvec3(9, 13, 0));
  std::vector<Ray> rays(4, good);
  rays[0].direction.z = -1;
  rays[1].t_max = 0.9f;
  rays[2].origin.x = 1.5f;
  rays[3].direction = vec3(0);
  for (const Ray& ray : rays) {
    EXPECT_FALSE(is_hit(first_voxel(bricks.view(), ray)));
    EXPECT_EQ(first_voxel(bricks.view(), ray).t, ray.t_max);
  }
  // The ray goes from inside to the far side.
  EXPECT_EQ(first_voxel(bricks.view(), {vec3(0.5f), 0, vec3(1, 0, 0), infinity}).voxel, uvec3(32, 16, 16));
}

}  // namespace
}  // namespace copse
