// Rays through Accel find what brute force finds, bit for bit: batches, and one ray at a time on its view.

#include <gtest/gtest.h>

#include "accel/accel_rays.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

/// One mesh as four geometries with different masks, and an empty one.
std::vector<Mesh> parts_of_a_mesh() {
  const Mesh all = generate_random(480, 0.2f);
  std::vector<Mesh> parts(4, all);
  for (u32 i = 0; i < 4; ++i) {
    parts[i].triangles.assign(all.triangles.begin() + 120 * i, all.triangles.begin() + 120 * (i + 1));
  }
  parts.push_back({});
  return parts;
}

class AccelRays : public test::OnEachBackend {};

TEST_P(AccelRays, FindTheHitsOfBruteForce) {
  for (const test::NamedMesh& each : test::hard_meshes()) {
    if (each.mesh.positions.empty()) continue;
    const DeviceMesh device(context(), each.mesh);
    const std::vector<Ray> rays = test::difficult_rays(each.mesh, 400, 1);
    const std::vector<Hit> expected = test::brute_force_hits({host_view(each.mesh)}, rays);
    for (const Quality quality : test::all_qualities) {
      const Accel accel = build(context(), device.view(), {.quality = quality});
      ASSERT_NO_FATAL_FAILURE(
          test::expect_hits(context(), accel, rays, expected, each.name + ", " + name_of(quality)));
    }
  }
}

TEST_P(AccelRays, MissWithoutTriangles) {
  const Accel accel = build(context(), TriangleView{});
  const std::vector<Ray> rays{{{0, 0, 3}, 0, {0, 0, -1}, 7}};
  test::expect_hits(context(), accel, rays, {Hit{7, invalid_id, invalid_id, 0, 0}}, "no triangles");
  test::expect_hits(context(), accel, {}, {}, "no rays");
}

TEST_P(AccelRays, SeeGeometriesByMasks) {
  const test::SceneOfViews scene(context(), parts_of_a_mesh(), {0b0001, 0b0110, 0, ~u32{0}, 8});
  const std::vector<Ray> rays = test::difficult_rays(generate_random(480, 0.2f), 800, 3);
  std::vector<u32> masks(rays.size());
  for (size_t i = 0; i < masks.size(); ++i) masks[i] = i % 17 == 16 ? ~u32{0} : u32(i % 16);
  const Buffer<u32> device_masks(context(), masks);
  for (const Quality quality : test::all_qualities) {
    const Accel accel = build(context(), scene.device(), {.quality = quality});
    std::vector<Hit> expected, of_all, of_six;
    for (size_t i = 0; i < rays.size(); ++i) {
      expected.push_back(scene.hit(rays[i], masks[i]));
      of_all.push_back(scene.hit(rays[i]));
      of_six.push_back(scene.hit(rays[i], 6));
    }
    test::expect_hits(context(), accel, rays, of_all, "no mask");
    test::expect_hits(context(), accel, rays, of_six, "one mask", {.mask = 6});
    test::expect_hits(context(), accel, rays, expected, "masks", {.masks = device_masks.span()});
  }
}

/// Keeps the hits that all_hits visits.
struct Collect {
  std::vector<Hit>& hits;
  bool operator()(const Hit& hit) {
    hits.push_back(hit);
    return true;
  }
};

/// One ray at a time, on the host: for the CPU's memory alone.
TEST(AccelView, OneRayAtATimeFindsWhatBruteForceFinds) {
  Context context({.backend = Backend::cpu});
  const test::SceneOfViews scene(context, parts_of_a_mesh(), {0b0001, 0b0110, 0, ~u32{0}, 8});
  const std::vector<Ray> rays = test::difficult_rays(generate_random(480, 0.2f), 300, 7);
  for (const Quality quality : test::all_qualities) {
    const Accel accel = build(context, scene.device(), {.quality = quality});
    for (const u32 mask : {~u32{0}, u32{1}, u32{6}, u32{0}}) {
      for (const Ray& ray : rays) {
        const Hit expected = scene.hit(ray, mask);
        ASSERT_TRUE(test::same_bits(closest_hit(accel.view(), ray, mask), expected)) << test::text(ray);
        ASSERT_EQ(any_hit(accel.view(), ray, mask), is_hit(expected));
      }
    }
    for (const Ray& ray : rays) {
      ASSERT_TRUE(test::same_bits(closest_hit(accel.view(), ray), scene.hit(ray)));
      std::vector<Hit> hits;
      Collect collect{hits};
      all_hits(accel.view(), ray, collect, 1);
      for (size_t i = 0; i < hits.size(); ++i) {
        EXPECT_TRUE(hits[i].geometry == 10 || hits[i].geometry == 13);
        EXPECT_LE(hits[i == 0 ? 0 : i - 1].t, hits[i].t);
      }
      ASSERT_EQ(!hits.empty(), is_hit(scene.hit(ray, 1)));
    }
  }
}

TEST_P(AccelRays, RefuseWhatDoesNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const Accel accel = build(context(), device.view()), none;
  const Buffer<Ray> rays(context(), 4);
  Buffer<Hit> hits(context(), 4);
  Buffer<u8> occluded(context(), 4);
  const Buffer<u32> masks(context(), 3);
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), hits.span().first(3)),
                     ErrorCode::invalid_argument, "3 results, but 4");
  EXPECT_COPSE_ERROR(closest_hits(context(), accel, rays.span(), hits.span(), {.masks = masks.span()}),
                     ErrorCode::invalid_argument, "3 masks for 4 rays");
  EXPECT_COPSE_ERROR(closest_hits(context(), none, rays.span(), hits.span()), ErrorCode::invalid_argument,
                     "closest_hits: the structure was never built");
  EXPECT_COPSE_ERROR(any_hits(context(), none, rays.span(), occluded.span()), ErrorCode::invalid_argument,
                     "any_hits: the structure was never built");
}

COPSE_ON_EACH_BACKEND(AccelRays);

}  // namespace
}  // namespace copse
