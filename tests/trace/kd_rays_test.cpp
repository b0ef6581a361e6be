#include "trace/kd_rays.h"

#include <gtest/gtest.h>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "builders/kd/sah_kd_tree.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/batches.h"
#include "tests/trace/cell_rays.h"
#include "trace/kd_walk.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::difficult_rays;
using test::host_view;
using test::RayCase;
using test::trace;

class KdRays : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const RayCase& hard) {
    const DeviceMesh device(context(), hard.mesh);
    const std::vector<Hit> expected = test::brute_force_hits({host_view(hard.mesh)}, hard.rays);
    for (const SahKdOptions& options :
         {SahKdOptions{}, SahKdOptions{.traversal_cost = 0.01f}, SahKdOptions{.max_depth = 1}}) {
      const SahKdTree tree = build_sah_kd_tree(context(), device.view(), options);
      test::expect_hits(context(), tree.view(), device.view(), hard.rays, expected,
                        hard.name + ", steps cost " + std::to_string(options.traversal_cost));
    }
  }
  void expect_brute_force_on(const Mesh& mesh, u32 ray_count) {
    expect_brute_force_on({"difficult rays", mesh, difficult_rays(mesh, ray_count, 1)});
  }
};

TEST_P(KdRays, FindTheHitsOfBruteForce) {
  expect_brute_force_on(generate_random(400, 0.2f), 2000);
  expect_brute_force_on(generate_grid(12), 2000);
  expect_brute_force_on(generate_sphere(3), 2000);
  expect_brute_force_on(generate_cube(), 4000);
}

TEST_P(KdRays, FindTheHitsOfBruteForceFromFarAway) {
  for (const RayCase& hard : test::rays_from_far_away()) expect_brute_force_on(hard);
}

TEST_P(KdRays, FindTheHitsOfBruteForceOnHardMeshes) {
  for (const RayCase& hard : test::rays_of_hard_meshes()) expect_brute_force_on(hard);
}

TEST_P(KdRays, FindTheHitsOfBruteForceWhereNumbersUnderflow) {
  for (const RayCase& hard : test::rays_of_uneven_scenes()) expect_brute_force_on(hard);
}

TEST_P(KdRays, FindTrianglesInPlanes) {
  expect_brute_force_on(test::rays_along_a_lattice());
}

TEST_P(KdRays, ReportGeometryAndOwnNumbersOfSeveralViews) {
  const test::ThreeViews views(context());
  const SahKdTree tree = build_sah_kd_tree(context(), views.device());
  test::expect_brute_force(context(), tree.view(), views.device(), views.host(), views.rays(), "three views");
}

TEST_P(KdRays, FindTheHitsOfATreeOnLargeMeshes) {
  for (const Mesh& mesh : {generate_random(50000, 0.02f), load_mesh("assets/testball.ply")}) {
    const DeviceMesh device(context(), mesh);
    const SahKdTree tree = build_sah_kd_tree(context(), device.view());
    const Bvh bvh = build(context(), device.view(), LbvhOptions{});
    const std::vector<Ray> rays = difficult_rays(mesh, 10000, 7);
    const std::vector<Hit> hits = trace(context(), tree.view(), device.view(), rays);
    const std::vector<Hit> expected = trace(context(), bvh.view(), device.view(), rays);
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_TRUE(test::same_bits(hits[i], expected[i]))
          << test::text(rays[i]) << ": " << test::text(hits[i]) << ", expected " << test::text(expected[i]);
    }
  }
}

TEST_P(KdRays, RefuseWhatDoesNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const SahKdTree tree = build_sah_kd_tree(context(), device.view());
  const Buffer<Ray> rays(context(), std::vector<Ray>(3));
  Buffer<Hit> hits(context(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), tree.view(), device.view(), rays.span(), hits.span()),
                     ErrorCode::invalid_argument, "2 results, but the number of rays is 3");
  EXPECT_COPSE_ERROR(closest_hits(context(), SahKdView{}, device.view(), rays.span().first(2), hits.span()),
                     ErrorCode::invalid_argument, "the tree has 0 nodes");
}

COPSE_ON_EACH_BACKEND(KdRays);

}  // namespace
}  // namespace copse
