#include "trace/kd_rays.h"

#include <gtest/gtest.h>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "builders/kd/sah_kd_tree.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/batches.h"
#include "trace/kd_walk.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::difficult_rays;
using test::expect_brute_force;
using test::host_view;
using test::RayMaker;
using test::trace;

class KdRays : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const Mesh& mesh, const std::vector<Ray>& rays, const std::string& name) {
    const DeviceMesh device(context(), mesh);
    for (const SahKdOptions& options :
         {SahKdOptions{}, SahKdOptions{.traversal_cost = 0.01f}, SahKdOptions{.max_depth = 1}}) {
      const SahKdTree tree = build_sah_kd_tree(context(), device.view(), options);
      expect_brute_force(context(), tree.view(), device.view(), {host_view(mesh)}, rays,
                         name + ", steps cost " + std::to_string(options.traversal_cost));
    }
  }
  void expect_brute_force_on(const Mesh& mesh, u32 ray_count) {
    expect_brute_force_on(mesh, difficult_rays(mesh, ray_count, 1), "difficult rays");
  }
};

TEST_P(KdRays, FindTheHitsOfBruteForce) {
  expect_brute_force_on(generate_random(400, 0.2f), 2000);
  expect_brute_force_on(generate_grid(12), 2000);
  expect_brute_force_on(generate_sphere(3), 2000);
  expect_brute_force_on(generate_cube(), 4000);
}

/// From far away the triangle test errs by more than a cell, up to where it finds nothing more.
TEST_P(KdRays, FindTheHitsOfBruteForceFromFarAway) {
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

TEST_P(KdRays, FindTheHitsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    if (hard.mesh.positions.empty() || hard.invalid_count > 0) continue;
    expect_brute_force_on(hard.mesh, difficult_rays(hard.mesh, 400, 4), hard.name);
  }
}

/// Triangles whose vertices are on a lattice lie in planes of cells. Rays along these planes must miss neither side.
TEST_P(KdRays, FindTrianglesInPlanes) {
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
  std::vector<Ray> rays;
  for (u32 i = 0; i < 6000; ++i) {
    const vec3 from(float(make.below(17)) - 4, float(make.below(17)) - 4, float(make.below(17)) - 4);
    const vec3 to(float(make.below(9)), float(make.below(9)), float(make.below(9)));
    if (from != to) rays.push_back({from / 8.0f, 0, (to - from) / 8.0f, infinity});
  }
  expect_brute_force_on(mesh, rays, "lattice");
}

TEST_P(KdRays, ReportGeometryAndOwnNumbersOfSeveralViews) {
  const Mesh mesh = generate_sphere(1);
  Mesh other = mesh;
  for (vec3& p : other.positions) p = p * 2.0f;
  const DeviceMesh a(context(), mesh), b(context(), other);
  const std::vector<TriangleView> views = {a.view(7), b.view(3), a.view(9)};
  std::vector<TriangleView> host = {host_view(mesh), host_view(other), host_view(mesh)};
  for (size_t i = 0; i < 3; ++i) host[i].geometry = views[i].geometry;
  const SahKdTree tree = build_sah_kd_tree(context(), views);
  expect_brute_force(context(), tree.view(), views, host, difficult_rays(other, 2000, 6), "three views");
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
                     ErrorCode::invalid_argument, "2 results, but 3");
  EXPECT_COPSE_ERROR(closest_hits(context(), SahKdView{}, device.view(), rays.span().first(2), hits.span()),
                     ErrorCode::invalid_argument, "the tree has 0 nodes");
}

COPSE_ON_EACH_BACKEND(KdRays);

}  // namespace
}  // namespace copse
