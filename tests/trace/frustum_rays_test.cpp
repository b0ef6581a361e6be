#include "trace/frustum_rays.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/grid/frustum_grid.h"
#include "builders/io/mesh_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/frustum_cameras.h"
#include "trace/frustum_march.h"
#include "trace/grids/frustum_pixels.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

struct Size {
  u32 width, height;
};

std::vector<Ray> rays_of(const Camera& camera, const Size& size) {
  std::vector<Ray> rays;
  for (u32 y = 0; y < size.height; ++y) {
    for (u32 x = 0; x < size.width; ++x) rays.push_back(camera_ray(camera, x, y, size.width, size.height));
  }
  return rays;
}

std::vector<Hit> picture(Context& context, const FrustumGrid& grid, const TriangleViews& triangles,
                         const Size& size) {
  Buffer<Hit> hits(context, u64{size.width} * size.height);
  closest_hits(context, grid.view(), triangles, size.width, size.height, hits.span());
  return hits.download();
}

std::vector<Hit> trace(Context& context, const FrustumGrid& grid, const TriangleViews& triangles,
                       const std::vector<Ray>& rays) {
  const Buffer<Ray> device(context, rays);
  Buffer<Hit> hits(context, rays.size());
  closest_hits(context, grid.view(), triangles, device.span(), hits.span());
  return hits.download();
}

class FrustumRays : public test::OnEachBackend {
 protected:
  void expect_brute_force(const TriangleViews& device, const std::vector<TriangleView>& host, const Camera& camera,
                          const FrustumGridOptions& options, const Size& size, const std::string& name) {
    const FrustumGrid grid = build_frustum_grid(context(), device, view_frustum(camera), options);
    const std::vector<Hit> hits = picture(context(), grid, device, size);
    const std::vector<Ray> rays = rays_of(camera, size);
    for (size_t i = 0; i < rays.size(); ++i) {
      const Hit expected = test::brute_force_hit(host, rays[i]);
      ASSERT_TRUE(test::same_bits(hits[i], expected))
          << name << ", pixel " << i << ": " << test::text(rays[i]) << ": " << test::text(hits[i]) << ", expected "
          << test::text(expected);
    }
  }

  void expect_brute_force(const Mesh& mesh, const std::string& name) {
    const DeviceMesh device(context(), mesh);
    for (const test::NamedCamera& view : test::cameras_around(mesh)) {
      expect_brute_force(device.view(), {host_view(mesh)}, view.camera, {.resolution = uvec3(16, 16, 8)}, {64, 48},
                         name + ", " + view.name);
      expect_brute_force(device.view(), {host_view(mesh)}, view.camera, {}, {41, 37},
                         name + ", " + view.name + ", finest");
    }
  }
};

TEST_P(FrustumRays, FindTheHitsOfBruteForceOnASphere) {
  expect_brute_force(generate_sphere(2), "sphere");
}
TEST_P(FrustumRays, FindTheHitsOfBruteForceAmongRandomTriangles) {
  expect_brute_force(generate_random(300, 0.2f), "random");
}
TEST_P(FrustumRays, FindTheHitsOfBruteForceOnACube) {
  expect_brute_force(generate_cube(), "cube");
}
TEST_P(FrustumRays, FindTheHitsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    if (hard.mesh.triangles.size() <= 300) expect_brute_force(hard.mesh, hard.name);
  }
}

/// Vertices so far away that the triangle test errs by more than a tile next to the eye.
TEST_P(FrustumRays, FindTheHitsOfBruteForceOnHugeTrianglesNextToTheEye) {
  test::RayMaker make(5);
  for (const float size : {10.0f, 1e3f, 1e5f, 1e7f}) {
    Mesh mesh;
    for (u32 i = 0; i < 60; ++i) {
      for (int corner = 0; corner < 3; ++corner) {
        const bool is_far = corner > 0 || i % 3 == 0;
        mesh.positions.push_back(make.point(-1, 1) * (is_far ? size : 1.0f));
      }
      mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
    }
    const DeviceMesh device(context(), mesh);
    const Camera camera = look_at(vec3(0.1f, 0.2f, 0.3f), vec3(1, 2, -3), vec3(0, 1, 0), 80, 1);
    expect_brute_force(device.view(), {host_view(mesh)}, camera, {.resolution = uvec3(32, 32, 16)}, {96, 96},
                       "of size " + std::to_string(size));
  }
}

TEST_P(FrustumRays, FindTheHitsOfBruteForceForAnySizeOfPictureAndTiles) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  const Camera camera = frame_box(test::finite_bounds(mesh), 40, 1);
  for (const uvec3& resolution : {uvec3(1), uvec3(3, 50, 1), uvec3(64, 7, 256), uvec3(512, 512, 2)}) {
    for (const Size& size : {Size{1, 1}, Size{3, 100}, Size{97, 5}, Size{64, 64}}) {
      expect_brute_force(device.view(), {host_view(mesh)}, camera, {.resolution = resolution}, size,
                         std::to_string(resolution.x) + " tiles, " + std::to_string(size.width) + " wide");
    }
  }
}

TEST_P(FrustumRays, ReportGeometryAndOwnNumbersOfSeveralViews) {
  const Mesh mesh = generate_sphere(1);
  Mesh other = mesh;
  for (vec3& p : other.positions) p = p * 2.0f + vec3(0.5f);
  const DeviceMesh a(context(), mesh), b(context(), other);
  const std::vector<TriangleView> views = {a.view(7), b.view(3), a.view(9)};
  std::vector<TriangleView> host = {host_view(mesh), host_view(other), host_view(mesh)};
  for (size_t i = 0; i < 3; ++i) host[i].geometry = views[i].geometry;
  const Camera camera = frame_box(test::finite_bounds(other), 40, 1);
  expect_brute_force(views, host, camera, {.resolution = uvec3(12, 12, 4)}, {60, 60}, "three views");
}

/// The ids are those through a tree. Where they differ, t is within 4 ulp.
TEST_P(FrustumRays, FindTheHitsOfATreeOnLargeMeshes) {
  const Size size{200, 150};
  for (const Mesh& mesh : {load_mesh("assets/testball.ply"), load_mesh("assets/spot.obj"),
                           generate_random(100000, 0.02f), generate_hairball(1000, 40)}) {
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), LbvhOptions{});
    for (const test::NamedCamera& view : test::cameras_around(mesh)) {
      const FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(view.camera));
      const std::vector<Hit> hits = picture(context(), grid, device.view(), size);
      const Buffer<Ray> rays(context(), rays_of(view.camera, size));
      Buffer<Hit> expected_hits(context(), rays.size());
      closest_hits(context(), bvh.view(), device.view(), rays.span(), expected_hits.span());
      const std::vector<Hit> expected = expected_hits.download();
      u64 different = 0;
      for (size_t i = 0; i < hits.size(); ++i) {
        if (test::same_bits(hits[i], expected[i])) continue;
        ++different;
        const i64 ulps = i64(bits_of(hits[i].t)) - i64(bits_of(expected[i].t));
        ASSERT_LE(std::abs(ulps), 4) << view.name << ": " << test::text(hits[i]) << ", expected "
                                     << test::text(expected[i]);
      }
      EXPECT_LE(different, hits.size() / 10000) << view.name;
    }
  }
}

TEST_P(FrustumRays, InAnyOrderFindThoseOfThePicture) {
  const Mesh mesh = generate_random(5000, 0.1f);
  const DeviceMesh device(context(), mesh);
  const Size size{80, 60};
  for (const test::NamedCamera& view : test::cameras_around(mesh)) {
    const FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(view.camera));
    const std::vector<Hit> expected = picture(context(), grid, device.view(), size);
    std::vector<Ray> rays = rays_of(view.camera, size);
    std::vector<u32> order(rays.size());
    for (u32 i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    std::vector<Ray> shuffled;
    for (const u32 i : order) shuffled.push_back(rays[i]);
    const std::vector<Hit> hits = trace(context(), grid, device.view(), shuffled);
    for (size_t i = 0; i < hits.size(); ++i) {
      ASSERT_TRUE(test::same_bits(hits[i], expected[order[i]])) << view.name << ": " << test::text(shuffled[i]);
    }
  }
}

TEST_P(FrustumRays, KeepToTheirRange) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  const Camera camera = look_at(vec3(0, 0, 3), vec3(0), vec3(0, 1, 0), 50, 1);
  const FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(camera));
  std::vector<Ray> rays = rays_of(camera, {40, 40});
  test::RayMaker make(2);
  for (Ray& ray : rays) {
    ray.t_min = make.uniform(0, 3.5f);
    ray.t_max = make.uniform(0, 1) < 0.3f ? infinity : ray.t_min + make.uniform(0, 2);
    const float length = make.uniform(0.1f, 10);
    ray.direction = ray.direction * length;
  }
  rays[3].t_max = rays[3].t_min;
  rays[7].direction = vec3(0);
  rays[8].t_min = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Hit> hits = trace(context(), grid, device.view(), rays);
  for (size_t i = 0; i < rays.size(); ++i) {
    const Hit expected = test::brute_force_hit({host_view(mesh)}, rays[i]);
    ASSERT_TRUE(test::same_bits(hits[i], expected)) << test::text(rays[i]) << ": " << test::text(hits[i]);
  }
  EXPECT_TRUE(trace(context(), grid, device.view(), {}).empty());
}

TEST_P(FrustumRays, RefuseRaysThatDoNotGoFromTheEyeThroughTheScreen) {
  const DeviceMesh device(context(), generate_sphere(1));
  const Camera camera = look_at(vec3(0, 0, 3), vec3(0), vec3(0, 1, 0), 50, 1);
  const FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(camera));
  const std::vector<Ray> good = rays_of(camera, {4, 4});
  const auto with = [&](u32 i, const vec3& origin, const vec3& direction) {
    std::vector<Ray> rays = good;
    rays[i] = {origin, 0, direction, infinity};
    (void)trace(context(), grid, device.view(), rays);
  };
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(with(5, vec3(0, 0, 3.001f), vec3(0, 0, -1)), invalid, "ray 5 of 16");
  EXPECT_COPSE_ERROR(with(6, vec3(0, 0, 3), vec3(0, 0, 1)), invalid, "ray 6 of 16");
  EXPECT_COPSE_ERROR(with(7, vec3(0, 0, 3), vec3(0.5f, 0, -1)), invalid, "ray 7 of 16");
  with(8, vec3(0, 0, 3), vec3(0.46f, -0.46f, -1));
  std::vector<Ray> behind = good;
  behind[9].t_min = -1e-3f;
  EXPECT_COPSE_ERROR((void)trace(context(), grid, device.view(), behind), invalid, "ray 9 of 16");
}

TEST_P(FrustumRays, RefuseSpansThatDoNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const Camera camera = look_at(vec3(0, 0, 3), vec3(0), vec3(0, 1, 0), 50, 1);
  const FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(camera));
  Buffer<Hit> hits(context(), 9);
  Buffer<Ray> rays(context(), 10);
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(closest_hits(context(), grid.view(), device.view(), 3, 4, hits.span()), invalid,
                     "9 results, but the number of pixels is 12");
  EXPECT_COPSE_ERROR(closest_hits(context(), grid.view(), device.view(), 0, 4, hits.span()), invalid, "0 x 4");
  EXPECT_COPSE_ERROR(closest_hits(context(), grid.view(), device.view(), rays.span(), hits.span()), invalid,
                     "9 results, but the number of rays is 10");
  EXPECT_COPSE_ERROR(closest_hits(context(), FrustumGridView{}, device.view(), 3, 3, hits.span()), invalid,
                     "0 cells");
}

TEST_P(FrustumRays, FollowAModelThatMovesAsAGraph) {
  Mesh mesh = generate_sphere(3);
  DeviceMesh device(context(), mesh);
  const Camera camera = look_at(vec3(0, 1, 4), vec3(0), vec3(0, 1, 0), 50, 1);
  const FrustumGridOptions options{.resolution = uvec3(16, 16, 8), .reference_capacity = 50000};
  FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(camera), options);
  const Size size{64, 64};
  Buffer<Hit> hits(context(), size.width * size.height);
  const auto frame = [&] {
    rebuild_frustum_grid(context(), grid, device.view(), view_frustum(camera));
    closest_hits(context(), grid.view(), device.view(), size.width, size.height, hits.span());
  };
  frame();
  Graph graph = context().capture(frame);
  for (vec3& p : mesh.positions) p = vec3(p.x * 1.5f, p.y + p.x * p.z, p.z);
  device.positions.upload(mesh.positions);
  graph.launch();
  const std::vector<Hit> found = hits.download();
  const std::vector<Ray> rays = rays_of(camera, size);
  for (size_t i = 0; i < rays.size(); ++i) {
    const Hit expected = test::brute_force_hit({host_view(mesh)}, rays[i]);
    ASSERT_TRUE(test::same_bits(found[i], expected)) << test::text(rays[i]);
  }
}

COPSE_ON_EACH_BACKEND(FrustumRays);

TEST(FrustumRaysOnTheHost, TestOnlyTheSlabsUpToTheirHit) {
  Context cpu({.backend = Backend::cpu});
  const Mesh mesh = generate_random(2000, 0.2f);
  const DeviceMesh host(cpu, mesh);
  const Camera camera = look_at(vec3(0.5f, 0.5f, 3), vec3(0.5f), vec3(0, 1, 0), 20, 1);
  const FrustumGrid grid =
      build_frustum_grid(cpu, host.view(), view_frustum(camera), {.resolution = uvec3(1, 1, 64)});
  VisitCounter counter;
  const Ray ray = camera_ray(camera, 0, 0, 1, 1);
  EXPECT_TRUE(is_hit(closest_hit(grid.view(), TriangleTable::of(host.view()), ray, counter)));
  EXPECT_LT(counter.nodes, 64u);
  EXPECT_GT(counter.primitives, 0u);
}

/// A lane leaves out triangles with a rectangle that does not contain its pixel.
TEST(FrustumRaysOnTheHost, HitOnlyTrianglesInWhoseRectangleTheirPixelIs) {
  Context cpu({.backend = Backend::cpu});
  const Size size{60, 45};
  u64 hit_count = 0, pixel_count = 0;
  for (const float triangle_size : {0.01f, 0.3f}) {
    const Mesh mesh = generate_random(400, triangle_size);
    const DeviceMesh host(cpu, mesh);
    for (const test::NamedCamera& view : test::cameras_around(mesh)) {
      const FrustumGrid grid = build_frustum_grid(cpu, host.view(), view_frustum(view.camera));
      const auto pixels = detail::FrustumPixels::of(
          {grid.view(), TriangleTable::of(host.view()), size.width, size.height, nullptr});
      const std::vector<Ray> rays = rays_of(view.camera, size);
      for (u32 i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle t = load_triangle(host_view(mesh), i);
        const vec3 eye = view.camera.eye;
        const detail::PixelRectangle rectangle = pixels.around(t.a - eye, t.b - eye, t.c - eye);
        for (u32 k = 0; k < rays.size(); ++k) {
          const bool is_in = rectangle.has(float(k % size.width), float(k / size.width));
          TriangleHit hit;
          const bool is_hit = intersect_triangle(make_shear(rays[k]), t, 0, infinity, hit);
          ASSERT_TRUE(is_in || !is_hit) << view.name << ", triangle " << i << ", pixel " << k;
          hit_count += is_hit ? 1 : 0;
          pixel_count += is_in && triangle_size < 0.1f && view.name == "framing" ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(hit_count, 10000u);
  // Each has a few pixels.
  EXPECT_LT(pixel_count, 400u * 6);
}

TEST(FrustumRaysOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  const Size size{160, 120};
  for (const Mesh& mesh : {generate_random(30000, 0.05f), generate_sphere(5), generate_hairball(200, 30)}) {
    for (const test::NamedCamera& view : test::cameras_around(mesh)) {
      std::vector<Hit> hits[2];
      for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        Context context({.backend = backend});
        const DeviceMesh device(context, mesh);
        const FrustumGrid grid = build_frustum_grid(context, device.view(), view_frustum(view.camera));
        hits[backend == Backend::cuda] = picture(context, grid, device.view(), size);
      }
      for (size_t i = 0; i < hits[0].size(); ++i) {
        ASSERT_TRUE(test::same_bits(hits[0][i], hits[1][i])) << view.name << ", pixel " << i;
      }
    }
  }
}

}  // namespace
}  // namespace copse
