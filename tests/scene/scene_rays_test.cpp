// Rays through scenes find what brute force finds in the space of each mesh, and what they find in one mesh of all
// triangles.

#include <gtest/gtest.h>

#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Flattened;
using test::Models;

class SceneRays : public test::OnEachBackend {
 protected:
  /// Expects the hits of brute force, for every quality.
  void expect_slow_hits(const Models& models, const std::vector<Instance>& instances, const std::vector<Ray>& rays,
                        const std::string& name) {
    for (const Quality quality : test::all_qualities) {
      const Scene scene = build(context(), models.accels, instances, {.quality = quality});
      const std::vector<Aabb> boxes = download(context(), scene.boxes());
      std::vector<SceneHit> expected;
      for (const Ray& ray : rays) expected.push_back(test::slow_scene_hit(models, instances, boxes, ray));
      ASSERT_NO_FATAL_FAILURE(test::expect_hits(context(), scene, rays, expected, name + ", " + name_of(quality)));
    }
  }
};

TEST_P(SceneRays, FindTheHitsOfBruteForce) {
  const Models models(context(), test::some_meshes());
  for (const u32 count : {1u, 2u, 40u}) {
    const std::vector<Instance> instances = test::random_instances(count, 4, count);
    const std::vector<Ray> rays = test::difficult_rays(Flattened(models, instances).joined(), 300, 7);
    ASSERT_NO_FATAL_FAILURE(expect_slow_hits(models, instances, rays, std::to_string(count) + " instances"));
  }
}

TEST_P(SceneRays, FindTheBitsOfOneMeshWhereTransformsAreExact) {
  Mesh coarse = generate_sphere(2);
  for (vec3& p : coarse.positions) p = glm::round(p * 256.0f) / 256.0f;
  const Models models(context(), {coarse, generate_cube()});
  std::vector<Instance> instances;
  test::RayMaker random(3);
  for (u32 i = 0; i < 30; ++i) {
    const float size = std::ldexp(1.0f, int(i % 5) - 2);
    Instance instance = Instance::of(glm::mat4x3(size), i % 2);
    for (auto& row : instance.rows) row[3] = std::round(random.uniform(-8, 8));
    instances.push_back(instance);
    if (i % 10 == 0) instances.push_back(instance);  // coincident: the first one is hit
  }
  const Flattened all(models, instances);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 1500; ++i) {
    const vec3 origin = glm::round(random.point(-12, 12) * 64.0f) / 64.0f;
    rays.push_back({origin, 0, random.point(-1, 1), i % 3 == 0 ? 5.0f : infinity});
  }
  const Scene scene = build(context(), models.accels, instances);
  const std::vector<Hit> expected = test::brute_force_hits(all.views(), rays);
  const std::vector<SceneHit> hits = test::trace(context(), scene, rays);
  u32 hit_count = 0;
  for (size_t i = 0; i < rays.size(); ++i) {
    const Hit flat{hits[i].t, hits[i].primitive, hits[i].instance, hits[i].u, hits[i].v};
    ASSERT_TRUE(test::same_bits(flat, expected[i]))
        << test::text(rays[i]) << ": " << test::text(flat) << ", expected " << test::text(expected[i]);
    hit_count += is_hit(hits[i]);
  }
  EXPECT_GT(hit_count, 200u);
}

TEST_P(SceneRays, FindTheHitsOfBruteForceAtAnyScale) {
  const Models models(context(), test::some_meshes());
  for (const float size : {1e-6f, 1e6f, 1e-18f, 1e18f}) {
    std::vector<Instance> instances = test::random_instances(12, 3, 5);
    for (Instance& instance : instances) {
      for (auto& row : instance.rows) {
        for (float& number : row) number *= size;
      }
    }
    std::vector<Ray> rays = test::difficult_rays(Flattened(models, instances).joined(), 200, 9);
    ASSERT_NO_FATAL_FAILURE(expect_slow_hits(models, instances, rays, "scale " + std::to_string(size)));
  }
}

TEST_P(SceneRays, FindTheHitsOfBruteForceThroughDistortedMeshes) {
  const Models models(context(), test::some_meshes());
  std::vector<Instance> instances = test::random_instances(30, 3, 8, 2);
  for (u32 i = 0; i < instances.size(); ++i) {
    const float flat = std::ldexp(1.0f, -int(i));  // from a cube to a sheet, sheared
    for (int row = 0; row < 3; ++row) {
      instances[i].rows[row][2] = instances[i].rows[row][0] * 0.7f + instances[i].rows[row][2] * flat;
    }
  }
  std::vector<Ray> rays = test::difficult_rays(Flattened(models, instances).joined(), 300, 2);
  for (size_t i = 0; i < rays.size(); i += 3) rays[i].origin = rays[i].origin * 1000.0f;
  ASSERT_NO_FATAL_FAILURE(expect_slow_hits(models, instances, rays, "distorted"));
}

TEST_P(SceneRays, SeeInstancesByMasks) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(40, 3, 4);
  const Scene scene = build(context(), models.accels, instances);
  const std::vector<Aabb> boxes = download(context(), scene.boxes());
  const std::vector<Ray> rays = test::difficult_rays(Flattened(models, instances).joined(), 300, 3);
  std::vector<u32> masks;
  std::vector<SceneHit> by_masks, by_mask;
  for (u32 i = 0; i < rays.size(); ++i) {
    masks.push_back(i % 8);
    by_masks.push_back(test::slow_scene_hit(models, instances, boxes, rays[i], masks[i]));
    by_mask.push_back(test::slow_scene_hit(models, instances, boxes, rays[i], 2));
  }
  const Buffer<u32> device_masks(context(), masks);
  test::expect_hits(context(), scene, rays, by_masks, "masks", {.masks = device_masks.span()});
  test::expect_hits(context(), scene, rays, by_mask, "one mask", {.mask = 2});
  EXPECT_EQ(test::trace(context(), scene, rays, {.mask = 0})[0].instance, invalid_id);
}

TEST_P(SceneRays, PassOverSidesAsInstancesSay) {
  const Models models(context(), {generate_sphere(2)});
  Instance plain, mirrored, flipped, both;
  mirrored.rows[0][0] = -1;
  flipped.flags = InstanceFlags::flips_facing;
  both.flags = InstanceFlags::never_culls;
  const std::vector<Ray> rays{{{0.1f, 0.2f, 3}, 0, {0, 0, -1}, infinity}};
  const auto t_through = [&](const Instance& instance, Cull cull) {
    const Scene scene = build(context(), models.accels, std::vector<Instance>{instance});
    const SceneHit hit = test::trace(context(), scene, rays, {.cull = cull})[0];
    EXPECT_EQ(test::trace_any(context(), scene, rays, {.cull = cull})[0], is_hit(hit) ? 1 : 0);
    return hit.t;
  };
  const float near = t_through(plain, Cull::none), far = t_through(plain, Cull::front);
  EXPECT_LT(near + 1, far);
  EXPECT_EQ(t_through(plain, Cull::back), near);
  EXPECT_GT(t_through(mirrored, Cull::front), near + 1);
  EXPECT_EQ(t_through(flipped, Cull::back), far);
  EXPECT_EQ(t_through(flipped, Cull::front), near);
  EXPECT_EQ(t_through(both, Cull::front), near);
}

TEST_P(SceneRays, AFarInstanceChangesNoHits) {
  const Models models(context(), test::some_meshes());
  std::vector<Instance> instances = test::random_instances(50, 3, 6);
  Instance far = instances[0];
  for (auto& row : far.rows) row[3] = 1e11f;
  const std::vector<Ray> rays = test::difficult_rays(Flattened(models, instances).joined(), 200, 1);
  instances.push_back(far);
  ASSERT_NO_FATAL_FAILURE(expect_slow_hits(models, instances, rays, "far"));
}

/// All instances in one place, so that no tree can tell them apart: the first one that the ray sees is hit.
TEST_P(SceneRays, OfCoincidentInstancesFindTheFirst) {
  const Models models(context(), {generate_sphere(3)});
  std::vector<Instance> instances(300);
  for (u32 i = 0; i < instances.size(); ++i) instances[i].mask = i < 7 ? 1 : i < 200 ? 2 : 4;
  const std::vector<Ray> rays = test::difficult_rays(models.meshes[0], 100, 4);
  for (const Quality quality : test::all_qualities) {
    for (const float opening : {1.0f, 4.0f}) {
      const Scene scene = build(context(), models.accels, instances, {.quality = quality, .opening = opening});
      for (const auto& [mask, first] : {std::pair{~0u, 0u}, std::pair{6u, 7u}, std::pair{4u, 200u}}) {
        u32 hit_count = 0;
        for (const SceneHit& hit : test::trace(context(), scene, rays, {.mask = mask})) {
          if (!is_hit(hit)) continue;
          ASSERT_EQ(hit.instance, first) << name_of(quality) << ", opening " << opening << ", mask " << mask;
          ++hit_count;
        }
        EXPECT_GT(hit_count, 20u);
      }
    }
  }
}

TEST_P(SceneRays, OneByOneGiveTheHitsOfBatches) {
  if (GetParam() == Backend::cuda)
    GTEST_SKIP() << "the host does not read device memory; kernels do it in batches";
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(40, 3, 4);
  const Scene scene = build(context(), models.accels, instances);
  const std::vector<Ray> rays = test::difficult_rays(Flattened(models, instances).joined(), 300, 3);
  const std::vector<SceneHit> hits = test::trace(context(), scene, rays);
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(test::same_bits(closest_hit(scene.view(), rays[i]), hits[i])) << test::text(rays[i]);
    ASSERT_TRUE(test::same_bits(closest_hit<2>(scene.view(), rays[i]), hits[i])) << "small stack";
    ASSERT_EQ(any_hit(scene.view(), rays[i]), is_hit(hits[i]));
    if (!is_hit(hits[i])) continue;
    EXPECT_EQ(scene.view().id_of(hits[i]), instances[hits[i].instance].id);
  }
}

TEST(SceneRaysOnBothBackends, AreEqual) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<SceneHit> hits[2];
  std::vector<Aabb> boxes[2];
  const Backend backends[] = {Backend::cpu, Backend::cuda};
  for (int side = 0; side < 2; ++side) {
    Context context({.backend = backends[side]});
    const Models models(context, test::some_meshes());
    const std::vector<Instance> instances = test::random_instances(3000, 4, 21, 30);
    const Scene scene = build(context, models.accels, instances);
    std::vector<Ray> rays;
    test::RayMaker random(2);
    for (u32 i = 0; i < 20000; ++i) rays.push_back({random.point(-40, 40), 0, random.point(-1, 1), infinity});
    hits[side] = test::trace(context, scene, rays);
    boxes[side] = download(context, scene.boxes());
  }
  EXPECT_TRUE(test::same_bytes(hits[0], hits[1]));
  EXPECT_TRUE(test::same_bytes(boxes[0], boxes[1]));
}

// Threads that stay take several rays each, and automatic tries every kernel.
TEST(SceneRaysOnBothBackends, LargeBatchesAreEqualByEveryKernel) {
  COPSE_SKIP_WITHOUT_GPU();
  const std::vector<Instance> instances = test::random_instances(500, 4, 21, 15);
  std::vector<Ray> rays;
  test::RayMaker random(2);
  for (u32 i = 0; i < 600'000; ++i) rays.push_back({random.point(-20, 20), 0, random.point(-1, 1), infinity});
  std::vector<SceneHit> expected;
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    Context context({.backend = backend});
    const Models models(context, test::some_meshes());
    const Scene scene = build(context, models.accels, instances);
    if (backend == Backend::cpu) {
      expected = test::trace(context, scene, rays);
      continue;
    }
    const Buffer<Ray> device_rays(context, rays);
    Buffer<SceneHit> hits(context, rays.size());
    Buffer<u8> occluded(context, rays.size());
    for (u32 trial = 0; trial < 9; ++trial) {
      const SceneTraceOptions options{.mask = trial < 8 ? ~u32{0} : 7u};  // all instances have one of these bits
      closest_hits(context, scene, device_rays.span(), hits.span(), options);
      any_hits(context, scene, device_rays.span(), occluded.span(), options);
      context.wait();
      const std::vector<u8> found = occluded.download();
      ASSERT_TRUE(test::same_bytes(hits.download(), expected));
      for (size_t i = 0; i < rays.size(); ++i) ASSERT_EQ(found[i], is_hit(expected[i]) ? 1 : 0) << i;
    }
  }
}

COPSE_ON_EACH_BACKEND(SceneRays);

}  // namespace
}  // namespace copse
