// Scenes with opened instances give the hits of scenes that are not opened, bit for bit.

#include <gtest/gtest.h>

#include "scene/scene_hits.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Models;

/// Meshes of thousands of triangles, which open, beside a cube and nothing, which do not.
std::vector<Mesh> large_meshes() {
  return {generate_sphere(4), generate_random(3000, 0.1f), generate_cube(), {}};
}

/// Instances in each other: turned, mirrored, one twice, one without an inverse, one with a NaN, one flat as a sheet.
std::vector<Instance> crowd(u32 seed, u32 count = 60) {
  std::vector<Instance> instances = test::random_instances(count, 4, seed, 1.0f);
  instances[8] = instances[0];
  for (float& number : instances[1].rows[1]) number = 0;
  instances[5].rows[2][3] = std::numeric_limits<float>::quiet_NaN();
  for (auto& row : instances[9].rows) row[1] *= 1e-5f;
  return instances;
}

std::vector<Ray> rays_through(const Models& models, const std::vector<Instance>& instances) {
  std::vector<Instance> finite;
  for (u32 i = 0; i < 12; ++i) {
    if (i != 1 && i != 5) finite.push_back(instances[i]);
  }
  std::vector<Ray> rays = test::difficult_rays(test::Flattened(models, finite).joined(), 400, 7);
  for (size_t i = 0; i < rays.size(); i += 5) rays[i].origin = rays[i].origin * 1000.0f;
  return rays;
}

struct Found {
  std::vector<SceneHit> closest, all;
  std::vector<u8> any;

  Found(Context& context, const Scene& scene, const std::vector<Ray>& rays, const SceneTraceOptions& options = {})
      : closest(test::trace(context, scene, rays, options)), any(test::trace_any(context, scene, rays, options)) {
    const Buffer<Ray> device_rays(context, rays);
    all = all_hits(context, scene, device_rays.span(), options).hits.download();
  }

  void expect_equal(const Found& expected, const std::string& name) const {
    EXPECT_TRUE(test::same_bytes(closest, expected.closest)) << name;
    EXPECT_TRUE(test::same_bytes(all, expected.all)) << name;
    EXPECT_EQ(any, expected.any) << name;
    EXPECT_GT(all.size(), closest.size()) << name;
  }
};

u64 references_of(Context& context, const Scene& scene) {
  return scene.tree().source_count - download(context, scene.tree().counts.span())[0].invalid_count;
}

class SceneOpening : public test::OnEachBackend {};

TEST_P(SceneOpening, LeavesHitsAsTheyAre) {
  const Models models(context(), large_meshes());
  const std::vector<Instance> instances = crowd(3);
  const std::vector<Ray> rays = rays_through(models, instances);
  const Scene closed = build(context(), models.accels, instances);
  const Found expected(context(), closed, rays), masked(context(), closed, rays, {.mask = 2, .cull = Cull::back});
  const u64 whole = references_of(context(), closed);
  for (const float opening : {1.5f, 4.0f, 64.0f}) {
    for (const Quality quality : test::all_qualities) {
      const std::string name = std::to_string(opening) + ", " + name_of(quality);
      const Scene scene = build(context(), models.accels, instances, {.quality = quality, .opening = opening});
      const u64 references = references_of(context(), scene);
      EXPECT_GT(references, whole) << name;
      EXPECT_LE(references, u64(opening * float(instances.size()))) << name;
      EXPECT_EQ(scene.instance_count(), instances.size());
      Found(context(), scene, rays).expect_equal(expected, name);
      Found(context(), scene, rays, {.mask = 2, .cull = Cull::back})
          .expect_equal(masked, name + ", mask and culling");
    }
  }
}

TEST_P(SceneOpening, FollowsInstancesThatMove) {
  const Models models(context(), large_meshes());
  const std::vector<Instance> before = crowd(3), after = crowd(4), fewer = crowd(5, 20);
  const SceneOptions options{.opening = 6};
  Scene scene = build(context(), models.accels, before, options);
  const Buffer<Instance> moved(context(), after), few(context(), fewer);
  refit(context(), scene, InstanceView::of(moved.span()));
  const std::vector<Ray> rays = rays_through(models, after);
  const Scene expected = build(context(), models.accels, after);
  Found(context(), scene, rays).expect_equal(Found(context(), expected, rays), "refit");
  EXPECT_TRUE(test::same_bytes(download(context(), scene.boxes()), download(context(), expected.boxes())));

  rebuild(context(), scene, InstanceView::of(few.span()));
  const std::vector<Ray> others = rays_through(models, fewer);
  const Scene built = build(context(), models.accels, fewer);
  Found(context(), scene, others).expect_equal(Found(context(), built, others), "rebuild");
  EXPECT_EQ(scene.instance_count(), 20u);
  EXPECT_EQ(scene.capacity(), 60u);
}

TEST_P(SceneOpening, SizesAreKnownBeforehand) {
  for (const u32 count : {0u, 1u, 500u}) {
    Context fresh({.backend = GetParam()});
    const Models models(fresh, large_meshes());
    const SceneOptions options{.quality = Quality::best, .opening = 3};
    const BuildSizes sizes = build_sizes(fresh, count, models.accels.size(), options);
    fresh.reserve_scratch(sizes.scratch_bytes);
    const u64 reserved = fresh.scratch_bytes();
    const Scene scene = build(fresh, models.accels, test::random_instances(count, 4, 1), options);
    EXPECT_EQ(scene.size_bytes(), sizes.result_bytes) << count;
    EXPECT_EQ(fresh.scratch_bytes(), reserved) << count;
  }
}

TEST_P(SceneOpening, RefusesBudgetsOutOfRange) {
  const Models models(context(), {generate_cube()});
  for (const float opening : {0.5f, 65.0f, std::numeric_limits<float>::quiet_NaN()}) {
    try {
      build(context(), models.accels, std::vector<Instance>(2), {.opening = opening});
      ADD_FAILURE() << opening;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(error.what()).find("references per instance; it can be 1 to 64"), std::string::npos);
    }
  }
}

COPSE_ON_EACH_BACKEND(SceneOpening);

TEST(SceneOpeningOnBothBackends, TreesAreEqual) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<CompressedBvh4Node> nodes[2];
  std::vector<u32> ids[2];
  const Backend backends[] = {Backend::cpu, Backend::cuda};
  for (int side = 0; side < 2; ++side) {
    Context context({.backend = backends[side]});
    const Models models(context, large_meshes());
    const Scene scene = build(context, models.accels, crowd(3, 2000), {.opening = 5});
    nodes[side] = download(context, scene.tree().nodes.span());
    nodes[side].resize(download(context, scene.tree().counts.span())[0].node_count);
    ids[side] = download(context, scene.tree().primitive_ids.span());
    ids[side].resize(references_of(context, scene));
  }
  EXPECT_TRUE(test::same_bytes(nodes[0], nodes[1]));
  EXPECT_EQ(ids[0], ids[1]);
}

}  // namespace
}  // namespace copse
