#include "trace/trace_rays.h"

#include <gtest/gtest.h>

#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/host_bvh.h"
#include "tests/trace/batches.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::difficult_rays;
using test::expect_brute_force;
using test::host_view;
using test::RayMaker;
using test::trace;
using test::trace_any;
using test::UploadedBvh;

class TraceRays : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const Mesh& mesh, u32 ray_count) {
    const DeviceMesh device(context(), mesh);
    const std::vector<Ray> rays = difficult_rays(mesh, ray_count, 1);
    for (u32 leaf_size : {1, 4}) {
      const Bvh bvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = leaf_size});
      expect_brute_force(context(), bvh.view(), device.view(), {host_view(mesh)}, rays);
    }
    const UploadedBvh other(context(), test::build_host_bvh(host_view(mesh), 3));
    expect_brute_force(context(), other.view(), device.view(), {host_view(mesh)}, rays);
  }
};

TEST_P(TraceRays, FindTheHitsOfBruteForceAmongRandomTriangles) {
  expect_brute_force_on(generate_random(400, 0.2f), 1000);
}
TEST_P(TraceRays, FindTheHitsOfBruteForceOnAGrid) {
  expect_brute_force_on(generate_grid(12), 1000);
}
TEST_P(TraceRays, FindTheHitsOfBruteForceOnASphere) {
  expect_brute_force_on(generate_sphere(2), 1000);
}
TEST_P(TraceRays, FindTheHitsOfBruteForceOnTheLargeSphere) {
  expect_brute_force_on(generate_sphere(4), 2000);
}

TEST_P(TraceRays, BatchesOfAnySizeAreTracedWhole) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  for (u32 count : {0u, 1u, 2u, 31u, 32u, 33u, 255u, 256u, 257u, 2047u, 2048u, 2049u, 5000u}) {
    expect_brute_force(context(), bvh.view(), device.view(), {host_view(mesh)}, difficult_rays(mesh, count, 2));
  }
}

TEST_P(TraceRays, TreesOfNoneToThreeTrianglesAreTraced) {
  const Mesh all = generate_random(3, 0.5f);
  for (u32 count : {0u, 1u, 2u, 3u}) {
    Mesh mesh = all;
    mesh.triangles.resize(count);
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), LbvhOptions{});
    expect_brute_force(context(), bvh.view(), device.view(), {host_view(mesh)}, difficult_rays(all, 500, 3));
  }
}

TEST_P(TraceRays, RaysThatAreNoneMiss) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  const Ray good{vec3(0.3f, 0.4f, -1), 0, vec3(0, 0, 1), infinity};
  const std::vector<Ray> rays = test::rays_that_are_none(good);
  for (const Hit& hit : trace(context(), bvh.view(), device.view(), rays)) EXPECT_FALSE(is_hit(hit));
  for (u8 occluded : trace_any(context(), bvh.view(), device.view(), rays)) EXPECT_EQ(occluded, 0);
  EXPECT_TRUE(is_hit(trace(context(), bvh.view(), device.view(), {good})[0]));
}

/// 20 views, more than one launch writes: with 32-bit, 16-bit and no indices, with strides, and with empty views.
TEST_P(TraceRays, SeveralViewsReportTheirGeometryAndTheirOwnTriangles) {
  struct Vertex {
    float colour[2];
    vec3 position;
    float weight;
  };
  const Mesh mesh = generate_sphere(1);
  std::vector<Vertex> vertices;
  std::vector<vec3> soup;
  std::vector<glm::u16vec3> short_indices;
  for (const vec3& p : mesh.positions) vertices.push_back({{7, 8}, p + vec3(3, 0, 0), 9});
  for (const uvec3& t : mesh.triangles) {
    for (u32 corner : {t.x, t.y, t.z}) soup.push_back(mesh.positions[corner] + vec3(0, 3, 0));
    short_indices.push_back(glm::u16vec3(t));
  }
  const Buffer<Vertex> device_vertices(context(), vertices);
  const Buffer<vec3> device_soup(context(), soup);
  const Buffer<glm::u16vec3> device_short(context(), short_indices);
  const DeviceMesh device(context(), mesh);

  std::vector<TriangleView> views, host_views;
  for (u32 i = 0; i < 20; ++i) {
    TriangleView view = device.view(100 + i), host = host_view(mesh);
    if (i % 5 == 1) {
      view.positions = {&device_vertices.data()->position, vertices.size(), sizeof(Vertex)};
      host.positions = {&vertices.data()->position, vertices.size(), sizeof(Vertex)};
      view.triangles = device_short.span();
      host.triangles = BufferSpan<const glm::u16vec3>(short_indices.data(), short_indices.size());
    } else if (i % 5 == 2) {
      view.positions = device_soup.span();
      host.positions = BufferSpan<const vec3>(soup.data(), soup.size());
      view.triangles = host.triangles = {};
    } else if (i % 5 == 3) {
      view.triangles.size = host.triangles.size = 0;
    }
    host.geometry = view.geometry;
    views.push_back(view);
    host_views.push_back(host);
  }
  const Bvh bvh = build(context(), views, LbvhOptions{.max_leaf_size = 2});
  RayMaker make(4);
  std::vector<Ray> rays;
  for (int i = 0; i < 1000; ++i) rays.push_back(make.into({vec3(-1), vec3(4)}));
  expect_brute_force(context(), bvh.view(), views, host_views, rays);
}

TEST_P(TraceRays, FollowARefittedTree) {
  Mesh mesh = generate_sphere(2);
  Bvh bvh = build(context(), DeviceMesh(context(), mesh).view(), LbvhOptions{.max_leaf_size = 2});
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1) + vec3(1, 1, 1);
  mesh.positions[7].x = std::numeric_limits<float>::quiet_NaN();
  const DeviceMesh moved(context(), mesh);
  refit(context(), bvh, moved.view());
  RayMaker make(5);
  std::vector<Ray> rays;
  for (int i = 0; i < 1000; ++i) rays.push_back(make.into({vec3(-1, 0, 0), vec3(3, 2, 2)}));
  expect_brute_force(context(), bvh.view(), moved.view(), {host_view(mesh)}, rays);
}

/// Rays from inside at the edges and vertices of a closed mesh.
void expect_no_ray_slips_out(Context& context, u32 subdivisions, u32 ray_count) {
  const Mesh mesh = generate_sphere(subdivisions);
  const DeviceMesh device(context, mesh);
  const Bvh bvh = build(context, device.view(), LbvhOptions{});
  RayMaker make(6);
  std::vector<Ray> rays;
  for (u32 i = 0; i < ray_count; ++i) {
    const uvec3 t = mesh.triangles[make.below(u32(mesh.triangles.size()))];
    const vec3 a = mesh.positions[t.x], b = mesh.positions[t.y];
    const vec3 origin = i % 3 == 0 ? vec3(0) : make.point(-0.5f, 0.5f);
    rays.push_back({origin, 0, a + (b - a) * (i % 4 == 0 ? 0.0f : make.uniform(0, 1)) - origin, infinity});
  }
  const std::vector<Hit> hits = trace(context, bvh.view(), device.view(), rays);
  const std::vector<u8> occluded = trace_any(context, bvh.view(), device.view(), rays);
  for (u32 i = 0; i < ray_count; ++i) {
    ASSERT_TRUE(is_hit(hits[i])) << test::text(rays[i]);
    ASSERT_NEAR(hits[i].t, 1, 1e-3f);
    ASSERT_EQ(occluded[i], 1);
  }
}

TEST_P(TraceRays, DoNotSlipThroughAClosedMesh) {
  expect_no_ray_slips_out(context(), 3, 5000);
}
TEST_P(TraceRays, DoNotSlipThroughALargeClosedMesh) {
  expect_no_ray_slips_out(context(), 6, 300000);
}

TEST_P(TraceRays, RefuseSpansThatDoNotFit) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  Buffer<Ray> rays(context(), 10);
  Buffer<Hit> hits(context(), 9);
  Buffer<u8> occluded(context(), 11);
  EXPECT_COPSE_ERROR(closest_hits(context(), bvh.view(), device.view(), rays.span(), hits.span()),
                     ErrorCode::invalid_argument, "9 results, but the number of rays is 10");
  EXPECT_COPSE_ERROR(any_hits(context(), bvh.view(), device.view(), rays.span(), occluded.span()),
                     ErrorCode::invalid_argument, "11 results, but the number of rays is 10");
  const BufferSpan<u8> inside(reinterpret_cast<u8*>(rays.data()), 10);
  EXPECT_COPSE_ERROR(any_hits(context(), bvh.view(), device.view(), rays.span(), inside),
                     ErrorCode::invalid_argument, "overlap");
  EXPECT_COPSE_ERROR(closest_hits(context(), BvhView{}, device.view(), rays.span().first(9), hits.span()),
                     ErrorCode::invalid_argument, "0 nodes");
}

TEST_P(TraceRays, StopWhenCancelled) {
  std::stop_source stop;
  Context stopping({.backend = GetParam(), .cancel = stop.get_token()});
  const Mesh mesh = generate_cube();
  const DeviceMesh device(stopping, mesh);
  const Bvh bvh = build(stopping, device.view(), LbvhOptions{});
  Buffer<Ray> rays(stopping, difficult_rays(mesh, 10, 1));
  Buffer<Hit> hits(stopping, 10);
  stop.request_stop();
  EXPECT_COPSE_ERROR(closest_hits(stopping, bvh.view(), device.view(), rays.span(), hits.span()),
                     ErrorCode::cancelled, "cancel");
}

TEST_P(TraceRays, AreTracedAgainByACapturedGraph) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const std::vector<TriangleView> views = {device.view(1), device.view(2)};
  const Bvh bvh = build(context(), views, LbvhOptions{});
  Buffer<Ray> rays(context(), difficult_rays(mesh, 500, 1));
  Buffer<Hit> hits(context(), 500);
  const auto work = [&, views_of_the_call = views] {
    closest_hits(context(), bvh.view(), views_of_the_call, rays.span(), hits.span());
  };
  work();
  Graph graph = context().capture(work);
  const std::vector<Ray> other = difficult_rays(mesh, 500, 2);
  rays.upload(other);
  graph.launch();
  const std::vector<Hit> replayed = hits.download();
  const std::vector<Hit> expected = trace(context(), bvh.view(), views, other);
  for (u32 i = 0; i < 500; ++i) ASSERT_TRUE(test::same_bits(replayed[i], expected[i])) << i;
}

COPSE_ON_EACH_BACKEND(TraceRays);

TEST(TraceRaysOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const Mesh& mesh : {generate_random(3000, 0.1f), generate_sphere(4), generate_grid(40)}) {
    const std::vector<Ray> rays = difficult_rays(mesh, 20000, 1);
    std::vector<Hit> hits[2];
    for (Backend backend : {Backend::cpu, Backend::cuda}) {
      Context context({.backend = backend});
      const DeviceMesh device(context, mesh);
      const Bvh bvh = build(context, device.view(), LbvhOptions{.max_leaf_size = 4});
      hits[backend == Backend::cuda] = trace(context, bvh.view(), device.view(), rays);
    }
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_TRUE(test::same_bits(hits[0][i], hits[1][i])) << test::text(rays[i]);
    }
  }
}

}  // namespace
}  // namespace copse
