#include "trace/grid_march.h"

#include <gtest/gtest.h>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/grid/uniform_grid.h"
#include "builders/io/mesh_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/batches.h"
#include "tests/trace/cell_rays.h"
#include "trace/grid_rays.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::brute_force_hits;
using test::DeviceMesh;
using test::difficult_rays;
using test::expect_brute_force;
using test::expect_hits;
using test::host_view;
using test::RayCase;
using test::trace;
using test::trace_any;

class GridMarch : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const RayCase& hard) {
    const DeviceMesh device(context(), hard.mesh);
    const std::vector<Hit> expected = brute_force_hits({host_view(hard.mesh)}, hard.rays);
    for (const GridOptions& options :
         {GridOptions{}, GridOptions{.resolution = uvec3(1)}, GridOptions{.resolution = uvec3(40, 7, 16)},
          GridOptions{.resolution = uvec3(100)}}) {
      const Grid grid = build_grid(context(), device.view(), options);
      expect_hits(context(), grid.view(), device.view(), hard.rays, expected,
                  hard.name + " at " + std::to_string(options.resolution.x));
    }
  }
  void expect_brute_force_on(const Mesh& mesh, u32 ray_count) {
    expect_brute_force_on({"difficult rays", mesh, difficult_rays(mesh, ray_count, 1)});
  }
};

TEST_P(GridMarch, FindsTheHitsOfBruteForceAmongRandomTriangles) {
  expect_brute_force_on(generate_random(400, 0.2f), 2000);
}
TEST_P(GridMarch, FindsTheHitsOfBruteForceOnAFlatGrid) {
  expect_brute_force_on(generate_grid(12), 2000);
}
TEST_P(GridMarch, FindsTheHitsOfBruteForceOnASphere) {
  expect_brute_force_on(generate_sphere(3), 2000);
}
TEST_P(GridMarch, FindsTheHitsOfBruteForceOnACubeWhoseFacesLieInCells) {
  expect_brute_force_on(generate_cube(), 4000);
}

TEST_P(GridMarch, FindsTheHitsOfBruteForceFromFarAway) {
  for (const RayCase& hard : test::rays_from_far_away()) expect_brute_force_on(hard);
}

TEST_P(GridMarch, FindsTheHitsOfBruteForceOnHardMeshes) {
  for (const RayCase& hard : test::rays_of_hard_meshes()) expect_brute_force_on(hard);
}

TEST_P(GridMarch, FindsTheHitsOfBruteForceWhereNumbersUnderflow) {
  for (const RayCase& hard : test::rays_of_uneven_scenes()) expect_brute_force_on(hard);
}

TEST_P(GridMarch, FindsTrianglesInFacesOfCells) {
  const RayCase hard = test::rays_along_a_lattice();
  const DeviceMesh device(context(), hard.mesh);
  const std::vector<Hit> expected = brute_force_hits({host_view(hard.mesh)}, hard.rays);
  for (const u32 cells : {4u, 8u, 16u}) {
    const Grid grid = build_grid(context(), device.view(), {.resolution = uvec3(cells)});
    expect_hits(context(), grid.view(), device.view(), hard.rays, expected, std::to_string(cells));
  }
}

TEST_P(GridMarch, ReportsGeometryAndOwnNumbersOfSeveralViews) {
  const test::ThreeViews views(context());
  const Grid grid = build_grid(context(), views.device(), {.resolution = uvec3(11)});
  expect_brute_force(context(), grid.view(), views.device(), views.host(), views.rays(), "three views");
}

/// The ids are those through a tree. Where they differ, t is within 4 ulp.
void expect_hits_of_a_tree(Context& context, const Mesh& mesh, const GridOptions& options, u32 ray_count) {
  const DeviceMesh device(context, mesh);
  const Grid grid = build_grid(context, device.view(), options);
  const Bvh bvh = build(context, device.view(), LbvhOptions{});
  std::vector<Ray> rays = difficult_rays(mesh, ray_count, 7);
  const std::vector<Hit> hits = trace(context, grid.view(), device.view(), rays);
  const std::vector<Hit> expected = trace(context, bvh.view(), device.view(), rays);
  u32 different = 0;
  for (u32 i = 0; i < ray_count; ++i) {
    if (test::same_bits(hits[i], expected[i])) continue;
    ++different;
    const i64 ulps = i64(bits_of(hits[i].t)) - i64(bits_of(expected[i].t));
    ASSERT_TRUE(std::abs(ulps) <= 4) << test::text(rays[i]) << ": " << test::text(hits[i]) << ", expected "
                                     << test::text(expected[i]);
  }
  EXPECT_LE(different, ray_count / 10000);
}

TEST_P(GridMarch, FindsTheHitsOfATreeOnLargeMeshes) {
  expect_hits_of_a_tree(context(), generate_random(200000, 0.02f), {}, 20000);
  expect_hits_of_a_tree(context(), generate_hairball(2000, 50), {}, 20000);
  expect_hits_of_a_tree(context(), load_mesh("assets/testball.ply"), {.resolution = uvec3(128, 128, 16)}, 20000);
  expect_hits_of_a_tree(context(), load_mesh("assets/spot.obj"), {.density = 16}, 20000);
}

TEST_P(GridMarch, MissesWhereThereIsNothing) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Ray good{vec3(0.3f, 0.4f, -1), 0, vec3(0, 0, 1), infinity};
  std::vector<Ray> rays(6, good);
  rays[0].origin.y = nan;
  rays[1].direction = vec3(0);
  rays[2].t_max = -1;
  rays[3].direction.z = -1;
  rays[4].t_max = 0.9f;
  rays[5].origin.x = infinity;
  const Grid grid = build_grid(context(), device.view(), {.resolution = uvec3(9)});
  for (const Hit& hit : trace(context(), grid.view(), device.view(), rays)) EXPECT_FALSE(is_hit(hit));
  for (u8 occluded : trace_any(context(), grid.view(), device.view(), rays)) EXPECT_EQ(occluded, 0);
  EXPECT_TRUE(is_hit(trace(context(), grid.view(), device.view(), {good})[0]));
  const DeviceMesh nothing(context(), Mesh{});
  const Grid empty = build_grid(context(), nothing.view(), {});
  EXPECT_FALSE(is_hit(trace(context(), empty.view(), nothing.view(), {good})[0]));
}

TEST(GridMarchOnTheHost, VisitsNoMoreCellsThanTheRayPasses) {
  Context cpu({.backend = Backend::cpu});
  const DeviceMesh host(cpu, generate_cube());
  const Grid grid = build_grid(cpu, host.view(), {.resolution = uvec3(50)});
  const TriangleTable triangles = TriangleTable::of(host.view());
  VisitCounter through, to_the_face;
  // Within t_max there is no hit, so that the whole diagonal is walked.
  (void)closest_hit(grid.view(), triangles, {vec3(0.011f, 0.013f, 0.017f), 0, vec3(1), 0.9f}, through);
  EXPECT_GT(through.nodes, 100u);
  EXPECT_LT(through.nodes, 150u);
  (void)closest_hit(grid.view(), triangles, {vec3(-1, 0.51f, 0.53f), 0, vec3(1, 0, 0), infinity}, to_the_face);
  EXPECT_LE(to_the_face.nodes, 2u);
}

TEST_P(GridMarch, RefusesSpansThatDoNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const Grid grid = build_grid(context(), device.view(), {});
  Buffer<Ray> rays(context(), 10);
  Buffer<Hit> hits(context(), 9);
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(closest_hits(context(), grid.view(), device.view(), rays.span(), hits.span()), invalid,
                     "9 results, but the number of rays is 10");
  EXPECT_COPSE_ERROR(closest_hits(context(), GridView{}, device.view(), rays.span().first(9), hits.span()),
                     invalid, "0 cells");
  const BufferSpan<u8> inside(reinterpret_cast<u8*>(rays.data()), 10);
  EXPECT_COPSE_ERROR(any_hits(context(), grid.view(), device.view(), rays.span(), inside), invalid, "overlap");
}

COPSE_ON_EACH_BACKEND(GridMarch);

TEST(GridMarchOnBoth, GivesTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const Mesh& mesh : {generate_random(3000, 0.1f), generate_sphere(4), generate_grid(40)}) {
    std::vector<Ray> rays = difficult_rays(mesh, 20000, 1);
    for (size_t i = 0; i < rays.size(); i += 9) rays[i].origin = rays[i].origin * 1e4f;
    std::vector<Hit> hits[2];
    for (Backend backend : {Backend::cpu, Backend::cuda}) {
      Context context({.backend = backend});
      const DeviceMesh device(context, mesh);
      const Grid grid = build_grid(context, device.view(), {});
      hits[backend == Backend::cuda] = trace(context, grid.view(), device.view(), rays);
    }
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_TRUE(test::same_bits(hits[0][i], hits[1][i])) << test::text(rays[i]);
    }
  }
}

}  // namespace
}  // namespace copse
