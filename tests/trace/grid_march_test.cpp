#include "trace/grid_march.h"

#include <gtest/gtest.h>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/grid/uniform_grid.h"
#include "builders/io/mesh_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/batches.h"
#include "trace/grid_rays.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::difficult_rays;
using test::expect_brute_force;
using test::host_view;
using test::RayMaker;
using test::trace;
using test::trace_any;

class GridMarch : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const Mesh& mesh, const std::vector<Ray>& rays, const std::string& name) {
    const DeviceMesh device(context(), mesh);
    for (const GridOptions& options :
         {GridOptions{}, GridOptions{.resolution = uvec3(1)}, GridOptions{.resolution = uvec3(40, 7, 16)},
          GridOptions{.resolution = uvec3(100)}}) {
      const Grid grid = build_grid(context(), device.view(), options);
      expect_brute_force(context(), grid.view(), device.view(), {host_view(mesh)}, rays,
                         name + " at " + std::to_string(options.resolution.x));
    }
  }
  void expect_brute_force_on(const Mesh& mesh, u32 ray_count) {
    expect_brute_force_on(mesh, difficult_rays(mesh, ray_count, 1), "difficult rays");
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

/// Rays from so far away that the triangle test errs by more than a cell, up to where it finds nothing more.
TEST_P(GridMarch, FindsTheHitsOfBruteForceFromFarAway) {
  const Mesh mesh = generate_sphere(3);
  RayMaker make(3);
  for (const float distance : {10.0f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e12f}) {
    std::vector<Ray> rays;
    for (int i = 0; i < 120; ++i) {
      const vec3 origin = make.point(-distance, distance), at = make.point(-1, 1);
      rays.push_back({origin, 0, at - origin, infinity});
    }
    expect_brute_force_on(mesh, rays, "from " + std::to_string(distance));
  }
}

TEST_P(GridMarch, FindsTheHitsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    if (hard.mesh.positions.empty() || hard.invalid_count > 0) continue;
    expect_brute_force_on(hard.mesh, difficult_rays(hard.mesh, 400, 4), hard.name);
  }
}

/// Rays along the faces and edges of cells must miss neither side.
TEST_P(GridMarch, FindsTrianglesInFacesOfCells) {
  Mesh mesh;
  RayMaker make(5);
  for (u32 i = 0; i < 300; ++i) {
    for (int corner = 0; corner < 3; ++corner) {
      vec3 p(float(make.below(9)), float(make.below(9)), float(make.below(9)));
      if (i % 3 == 0) p.z = float(i % 9);
      mesh.positions.push_back(p / 8.0f);
    }
    mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
  }
  const DeviceMesh device(context(), mesh);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 6000; ++i) {
    const vec3 from(float(make.below(17)) - 4, float(make.below(17)) - 4, float(make.below(17)) - 4);
    const vec3 to(float(make.below(9)), float(make.below(9)), float(make.below(9)));
    if (from != to) rays.push_back({from / 8.0f, 0, (to - from) / 8.0f, infinity});
  }
  for (const u32 cells : {4u, 8u, 16u}) {
    const Grid grid = build_grid(context(), device.view(), {.resolution = uvec3(cells)});
    expect_brute_force(context(), grid.view(), device.view(), {host_view(mesh)}, rays, std::to_string(cells));
  }
}

TEST_P(GridMarch, ReportsGeometryAndOwnNumbersOfSeveralViews) {
  const Mesh mesh = generate_sphere(1);
  Mesh other = mesh;
  for (vec3& p : other.positions) p = p * 2.0f;
  const DeviceMesh a(context(), mesh), b(context(), other);
  const std::vector<TriangleView> views = {a.view(7), b.view(3), a.view(9)};
  std::vector<TriangleView> host = {host_view(mesh), host_view(other), host_view(mesh)};
  for (size_t i = 0; i < 3; ++i) host[i].geometry = views[i].geometry;
  const Grid grid = build_grid(context(), views, {.resolution = uvec3(11)});
  expect_brute_force(context(), grid.view(), views, host, difficult_rays(other, 2000, 6), "three views");
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
                     "9 results, but 10 rays");
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
