// Worlds: each gives the hits of a scene of its own instances and the shared ones, whatever the other worlds hold.

#include "scene/scene_worlds.h"

#include <gtest/gtest.h>

#include "primitives/core/graph.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Models;
using test::random_instances;

/// Instances of several worlds, the same on the host and on the device.
struct WorldsOfInstances {
  std::vector<Instance> all;
  std::vector<u32> begins{0};
  Buffer<Instance> device;

  WorldsOfInstances(Context& context, const std::vector<u32>& sizes, u32 accel_count, u32 seed) {
    for (u32 world = 0; world < sizes.size(); ++world) {
      for (const Instance& instance : random_instances(sizes[world], accel_count, seed + world, 4)) {
        all.push_back(instance);
      }
      begins.push_back(u32(all.size()));
    }
    device = Buffer<Instance>(context, all);
  }
  InstanceView view() const { return InstanceView::of(device.span()); }

  /// The instances of a world, and those of the shared scene after them.
  std::vector<Instance> with(u32 world, const std::vector<Instance>& shared) const {
    std::vector<Instance> both(all.begin() + begins[world], all.begin() + begins[world + 1]);
    both.insert(both.end(), shared.begin(), shared.end());
    return both;
  }
};

const std::vector<u32> mixed_sizes{5, 0, 1, 40, 2, 300, 0, 17};

class SceneWorldsTest : public test::OnEachBackend {
 protected:
  /// Rays of all worlds in turns give the hits of the scenes of these worlds.
  void expect_hits(const Models& models, const WorldsOfInstances& instances, const SceneWorlds& worlds,
                   const std::vector<Instance>& shared, const std::string& name) {
    const u32 count = u32(worlds.world_count());
    const std::vector<Ray> rays =
        test::difficult_rays(test::Flattened(models, instances.with(5, shared)).joined(), 120, 3);
    std::vector<Ray> all_rays;
    std::vector<u32> world_of_ray;
    for (const Ray& ray : rays) {
      for (u32 world = 0; world <= count; ++world) {  // the last one does not exist
        all_rays.push_back(ray);
        world_of_ray.push_back(world);
      }
    }
    const Buffer<Ray> device_rays(context(), all_rays);
    const Buffer<u32> device_worlds(context(), world_of_ray);
    Buffer<SceneHit> hits(context(), all_rays.size());
    Buffer<u8> occluded(context(), all_rays.size());
    const SceneTraceOptions options{.mask = 3, .cull = Cull::back};
    closest_hits(context(), worlds, device_rays.span(), device_worlds.span(), hits.span(), options);
    any_hits(context(), worlds, device_rays.span(), device_worlds.span(), occluded.span(), options);
    const std::vector<SceneHit> found = hits.download();
    const std::vector<u8> found_any = occluded.download();
    for (u32 world = 0; world <= count; ++world) {
      const std::vector<Instance> seen = world < count ? instances.with(world, shared) : shared;
      const Scene alone = build(context(), models.accels, seen);
      const std::vector<SceneHit> expected = test::trace(context(), alone, rays, options);
      for (u32 i = 0; i < rays.size(); ++i) {
        const u64 at = u64{i} * (count + 1) + world;
        ASSERT_TRUE(test::same_bits(found[at], expected[i]))
            << name << ", world " << world << ": " << test::text(rays[i]) << ": " << test::text(found[at])
            << ", expected " << test::text(expected[i]);
        ASSERT_EQ(found_any[at], is_hit(expected[i]) ? 1 : 0) << name << ", world " << world;
        if (context().backend() != Backend::cpu || !is_hit(expected[i])) continue;
        ASSERT_EQ(worlds.view().id_of(world, found[at]), alone.view().id_of(expected[i])) << name;
      }
    }
  }
};

TEST_P(SceneWorldsTest, HitsAreThoseOfScenesOfTheirOwn) {
  const Models models(context(), test::some_meshes());
  const WorldsOfInstances instances(context(), mixed_sizes, 4, 1);
  const SceneWorlds worlds = build_worlds(context(), models.accels, instances.view(), instances.begins);
  EXPECT_EQ(worlds.world_count(), mixed_sizes.size());
  expect_hits(models, instances, worlds, {}, "alone");
}

TEST_P(SceneWorldsTest, AllWorldsSeeTheSharedScene) {
  const Models models(context(), test::some_meshes());
  const WorldsOfInstances instances(context(), mixed_sizes, 4, 1);
  std::vector<Instance> common = random_instances(20, 4, 99, 4);
  common.push_back(instances.all[0]);  // a tie, which world 0 wins
  Scene shared = build(context(), models.accels, common);
  SceneWorlds worlds = build_worlds(context(), models.accels, instances.view(), instances.begins, &shared);
  expect_hits(models, instances, worlds, common, "shared");

  common = random_instances(21, 4, 77, 4);
  const Buffer<Instance> moved(context(), common);
  rebuild(context(), shared, InstanceView::of(moved.span()));
  expect_hits(models, instances, worlds, common, "shared and rebuilt");
}

TEST_P(SceneWorldsTest, FollowInstancesThatMove) {
  const Models models(context(), test::some_meshes());
  WorldsOfInstances instances(context(), mixed_sizes, 4, 1);
  SceneWorlds worlds = build_worlds(context(), models.accels, instances.view(), instances.begins);
  const std::vector<u32> moved{1, 1, 0, 0, 1, 7, 0, 1};
  const Buffer<u32> device_moved(context(), moved);
  refit(context(), worlds, instances.view(), device_moved.span());
  const std::vector<Instance> before = instances.all;
  instances.all = WorldsOfInstances(context(), mixed_sizes, 4, 50).all;
  instances.device.upload(instances.all);

  refit(context(), worlds, instances.view(), device_moved.span());
  WorldsOfInstances partly = WorldsOfInstances(context(), mixed_sizes, 4, 50);
  for (u32 world = 0; world < moved.size(); ++world) {
    for (u32 i = partly.begins[world]; i < partly.begins[world + 1]; ++i) {
      if (moved[world] == 0) partly.all[i] = before[i];
    }
  }
  expect_hits(models, partly, worlds, {}, "some refitted");
  refit(context(), worlds, instances.view());
  expect_hits(models, instances, worlds, {}, "all refitted");

  Graph graph = context().capture([&] { rebuild(context(), worlds, instances.view()); });
  instances.all = WorldsOfInstances(context(), mixed_sizes, 4, 80).all;
  instances.device.upload(instances.all);
  graph.launch();
  expect_hits(models, instances, worlds, {}, "rebuilt");
}

TEST_P(SceneWorldsTest, RefusesWithTheValueAndTheLimit) {
  const ErrorCode invalid = ErrorCode::invalid_argument;
  const Models models(context(), test::some_meshes());
  const WorldsOfInstances instances(context(), {3, 2}, 4, 1);
  const auto make = [&](const std::vector<u32>& begins) {
    return build_worlds(context(), models.accels, instances.view(), begins);
  };
  EXPECT_COPSE_ERROR(make({}), invalid, "there are no world_begins");
  EXPECT_COPSE_ERROR(make({1, 5}), invalid, "world_begins[0] is 1; it must be 0");
  EXPECT_COPSE_ERROR(make({0, 3, 2, 5}), invalid, "world_begins[2] is 2, below the 3 before it");
  EXPECT_COPSE_ERROR(make({0, 300000}), invalid, "world 0 has 300000 instances; it can have 262144");
  EXPECT_COPSE_ERROR(make({0, 4}), invalid, "world_begins end at 4, but there are 5 instances");
  SceneWorlds none, worlds = make({0, 3, 5});
  EXPECT_COPSE_ERROR(rebuild(context(), none, instances.view()), invalid, "the worlds were never built");
  EXPECT_COPSE_ERROR(refit(context(), worlds, InstanceView::of(instances.device.span().first(4))), invalid,
                     "refit: 4 instances, but the worlds were built over 5");
  const Buffer<u32> words(context(), 3);
  EXPECT_COPSE_ERROR(refit(context(), worlds, instances.view(), words.span()), invalid,
                     "3 words of moved worlds, but there are 2 worlds");
  const Buffer<Ray> rays(context(), 2);
  Buffer<SceneHit> hits(context(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), worlds, rays.span(), words.span(), hits.span()), invalid,
                     "3 words of worlds, but there are 2 rays");
}

/// A scene takes a batch where it takes accels.
TEST_P(SceneWorldsTest, ScenesAndWorldsTakeABatch) {
  const Models models(context(), test::some_meshes());
  std::vector<TriangleView> views;
  for (const test::DeviceMesh& mesh : models.device) views.push_back(mesh.view(7));
  const AccelBatch batch = build_batch(context(), views);
  const WorldsOfInstances instances(context(), mixed_sizes, 4, 1);
  const Scene scene = build(context(), batch, instances.all),
              same = build(context(), models.accels, instances.all);
  const std::vector<Ray> rays = test::difficult_rays(test::Flattened(models, instances.all).joined(), 300, 3);
  test::expect_hits(context(), scene, rays, test::trace(context(), same, rays), "batch");
  const SceneWorlds worlds = build_worlds(context(), batch, instances.view(), instances.begins);
  expect_hits(models, instances, worlds, {}, "worlds of a batch");
  EXPECT_COPSE_ERROR(build(context(), AccelBatch{}, instances.all), ErrorCode::invalid_argument,
                     "instance 0 is of accel 0, but the scene has 0 accels");
}

COPSE_ON_EACH_BACKEND(SceneWorldsTest);

}  // namespace
}  // namespace copse
