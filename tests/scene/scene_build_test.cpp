// Building, rebuilding and refitting scenes: what is left out, what is refused, memory, graphs.

#include <gtest/gtest.h>

#include <limits>

#include "primitives/core/graph.h"
#include "tests/scene/scenes.h"
#include "tests/support/values.h"

namespace copse {
namespace {

using test::Flattened;
using test::invalid;
using test::Models;

class SceneBuild : public test::OnEachBackend {
 protected:
  static std::vector<Ray> rays_through(const Models& models, const std::vector<Instance>& instances) {
    return test::difficult_rays(Flattened(models, instances).joined(), 200, 7);
  }
  static std::vector<Instance> moved(std::vector<Instance> instances) {
    for (u32 i = 0; i < instances.size(); ++i) instances[i].rows[i % 3][3] += 0.5f;
    return instances;
  }
  u32 left_out(const Scene& scene) { return scene.tree().counts.download()[0].invalid_count; }
};

TEST_P(SceneBuild, OfNothingMisses) {
  const Models models(context(), test::some_meshes());
  const std::vector<Ray> rays{{{0, 0, 3}, 0, {0, 0, -1}, 7}};
  const SceneHit miss{7, invalid_id, invalid_id, 0, 0, invalid_id};
  test::expect_hits(context(), build(context(), models.accels, std::vector<Instance>{}), rays, {miss},
                    "no instances");
  test::expect_hits(context(), build(context(), std::vector<Accel>{}, InstanceView{}), rays, {miss}, "no accels");
  Instance empty;
  empty.accel = 3;
  const Scene scene = build(context(), models.accels, std::vector<Instance>{empty});
  test::expect_hits(context(), scene, rays, {miss}, "no triangles");
  EXPECT_EQ(left_out(scene), 1u);
  test::expect_hits(context(), scene, {}, {}, "no rays");
}

TEST_P(SceneBuild, LeavesOutWhatCannotBeInverted) {
  const Models models(context(), {generate_sphere(2)});
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Instance> instances(9);
  for (auto& number : instances[1].rows[1]) number = 0;
  instances[2].rows[0][0] = nan;
  instances[3].rows[2][3] = nan;
  instances[4].rows[1][1] = infinity;
  instances[5].rows[0][3] = -infinity;
  instances[6].rows[0][0] = 1e-45f;  // the inverse exceeds the largest float
  instances[7].rows[0][3] = 3.4e38f, instances[7].rows[0][0] = 1e38f;
  instances[8].rows[0][3] = 10;
  const Scene scene = build(context(), models.accels, instances);
  EXPECT_EQ(left_out(scene), 7u);
  const std::vector<Aabb> boxes = download(context(), scene.boxes());
  for (u32 i = 0; i < 9; ++i) EXPECT_EQ(is_empty(boxes[i]), i != 0 && i != 8) << i;
  const std::vector<SceneHit> hits = test::trace(
      context(), scene, {{{0.1f, 0.2f, 3}, 0, {0, 0, -1}, infinity}, {{10.1f, 0.2f, 3}, 0, {0, 0, -1}, infinity}});
  EXPECT_EQ(hits[0].instance, 0u);
  EXPECT_EQ(hits[1].instance, 8u);
}

TEST_P(SceneBuild, BoxesHoldTheirTrianglesTightly) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(100, 3, 2);
  const Flattened all(models, instances);
  const std::vector<Aabb> boxes = download(context(), build(context(), models.accels, instances).boxes());
  double ratio = 0;
  for (u32 i = 0; i < instances.size(); ++i) {
    Aabb exact = Aabb::empty();
    for (const vec3& p : all.parts[i].positions) {
      ASSERT_TRUE(p.x >= boxes[i].lo.x && p.y >= boxes[i].lo.y && p.z >= boxes[i].lo.z);
      ASSERT_TRUE(p.x <= boxes[i].hi.x && p.y <= boxes[i].hi.y && p.z <= boxes[i].hi.z);
      exact = merge(exact, {p, p});
    }
    ratio += half_area(boxes[i]) / half_area(exact) / instances.size();
  }
  EXPECT_LT(ratio, 1.3);
}

TEST_P(SceneBuild, TakesAccelsByTheirAddresses) {
  const Models models(context(), test::some_meshes());
  std::vector<const Accel*> backwards;
  for (const Accel& accel : models.accels) backwards.insert(backwards.begin(), &accel);
  std::vector<Instance> instances = test::random_instances(40, 3, 5);
  const std::vector<Ray> rays = rays_through(models, instances);
  const Scene in_order = build(context(), models.accels, instances);
  for (Instance& instance : instances) instance.accel = u32(models.accels.size()) - 1 - instance.accel;
  const Scene scene = build(context(), SceneAccels(std::span<const Accel* const>(backwards)), instances);
  EXPECT_EQ(scene.accel_count(), 4u);
  test::expect_hits(context(), scene, rays, test::trace(context(), in_order, rays), "by address");
}

TEST_P(SceneBuild, ARebuildGivesTheSceneOfABuild) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> many = test::random_instances(70, 3, 1), few = test::random_instances(9, 3, 2);
  const Buffer<Instance> device_many(context(), many), device_few(context(), few);
  for (const Quality quality : test::all_qualities) {
    Scene scene = build(context(), models.accels, few, {.quality = quality, .capacity = 70});
    EXPECT_EQ(scene.capacity(), 70u);
    for (const auto* instances : {&many, &few}) {
      const Buffer<Instance>& device = instances == &many ? device_many : device_few;
      rebuild(context(), scene, InstanceView::of(device.span()));
      EXPECT_EQ(scene.instance_count(), instances->size());
      const std::vector<Ray> rays = rays_through(models, *instances);
      const Scene built = build(context(), models.accels, *instances, {.quality = quality});
      test::expect_hits(context(), scene, rays, test::trace(context(), built, rays), name_of(quality));
    }
  }
}

TEST_P(SceneBuild, ARefitFollowsInstancesAndAccels) {
  Models models(context(), test::some_meshes());
  const std::vector<Instance> before = test::random_instances(70, 3, 1), after = moved(before);
  const Buffer<Instance> device(context(), after);
  Scene scene = build(context(), models.accels, before);
  refit(context(), scene, InstanceView::of(device.span()));
  const std::vector<Ray> rays = rays_through(models, after);
  test::expect_hits(context(), scene, rays, test::trace(context(), build(context(), models.accels, after), rays),
                    "moved");
  for (vec3& p : models.meshes[0].positions) p = p * vec3(1, 2, 1);
  models.device[0].positions.upload(models.meshes[0].positions);
  refit(context(), models.accels[0], models.device[0].view(7));
  refit(context(), scene, InstanceView::of(device.span()));
  const std::vector<Ray> others = rays_through(models, after);
  test::expect_hits(context(), scene, others,
                    test::trace(context(), build(context(), models.accels, after), others), "an accel moved");
}

TEST_P(SceneBuild, TakesArraysAtAnyStride) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(20, 3, 1);
  std::vector<float> transforms;
  std::vector<u32> words;
  for (const Instance& instance : instances) {
    transforms.insert(transforms.end(), &instance.rows[0][0], &instance.rows[0][0] + 12);
    transforms.insert(transforms.end(), 5, -1.0f);
    words.insert(words.end(), {instance.accel, instance.id, instance.mask});
  }
  const Buffer<float> device_transforms(context(), transforms);
  const Buffer<u32> device_words(context(), words);
  const InstanceView view{.transforms = {device_transforms.data(), instances.size(), 17 * sizeof(float)},
                          .accels = {device_words.data(), 12},
                          .masks = {device_words.data() + 2, 12},
                          .ids = {device_words.data() + 1, 12}};
  const Scene scene = build(context(), models.accels, view);
  const std::vector<Ray> rays = rays_through(models, instances);
  test::expect_hits(context(), scene, rays,
                    test::trace(context(), build(context(), models.accels, instances), rays), "strided");
}

TEST_P(SceneBuild, AFrameIsOneCapturedGraph) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> before = test::random_instances(70, 3, 1), after = moved(before);
  const std::vector<Ray> rays = rays_through(models, after);
  const Buffer<Ray> device_rays(context(), rays);
  Buffer<Instance> device(context(), before);
  Buffer<SceneHit> refitted(context(), rays.size()), rebuilt(context(), rays.size());
  for (const Quality quality : test::all_qualities) {
    device.upload(before);
    Scene scene = build(context(), models.accels, before, {.quality = quality});
    const auto frame = [&] {
      refit(context(), scene, InstanceView::of(device.span()));
      closest_hits(context(), scene, device_rays.span(), refitted.span());
      rebuild(context(), scene, InstanceView::of(device.span()));
      closest_hits(context(), scene, device_rays.span(), rebuilt.span());
    };
    frame();
    Graph graph = context().capture(frame);
    device.upload(after);
    graph.launch();
    const std::vector<SceneHit> expected = test::trace(context(), build(context(), models.accels, after), rays);
    EXPECT_TRUE(test::same_bytes(refitted.download(), expected)) << name_of(quality);
    EXPECT_TRUE(test::same_bytes(rebuilt.download(), expected)) << name_of(quality);
  }
}

TEST_P(SceneBuild, SizesAreKnownBeforehand) {
  for (const u32 count : {0u, 1u, 2u, 1000u}) {
    for (const Quality quality : test::all_qualities) {
      Context fresh({.backend = GetParam()});
      const Models models(fresh, test::some_meshes());
      const std::vector<Instance> instances = test::random_instances(count, 3, 1);
      const BuildSizes sizes = build_sizes(fresh, count, models.accels.size(), {.quality = quality});
      fresh.reserve_scratch(sizes.scratch_bytes);
      const u64 reserved = fresh.scratch_bytes();
      const Scene scene = build(fresh, models.accels, instances, {.quality = quality});
      EXPECT_EQ(scene.size_bytes(), sizes.result_bytes) << count;
      EXPECT_EQ(fresh.scratch_bytes(), reserved) << count;
    }
  }
}

TEST_P(SceneBuild, RefusesWhatItCannotUse) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(5, 3, 1);
  const Buffer<Instance> device(context(), instances);
  const InstanceView view = InstanceView::of(device.span());
  Scene scene = build(context(), models.accels, instances);
  std::vector<Instance> wrong = instances;
  wrong[3].accel = 9;
  EXPECT_COPSE_ERROR(build(context(), models.accels, wrong), invalid,
                     "build: instance 3 is of accel 9, but the scene has 4 accels");
  const Buffer<Instance> device_wrong(context(), wrong);
  EXPECT_EQ(left_out(build(context(), models.accels, InstanceView::of(device_wrong.span()))), 1u);
  EXPECT_COPSE_ERROR(build(context(), std::vector<Accel>(4), instances), invalid, "the structure was never built");
  EXPECT_COPSE_ERROR(build(context(), models.accels, InstanceView{.transforms = {nullptr, 3}}), invalid,
                     "the address of 3 transforms is null");
  InstanceView odd = view;
  odd.masks.stride_bytes = 6;
  EXPECT_COPSE_ERROR(build(context(), models.accels, odd), invalid, "masks are 6 bytes apart");
  EXPECT_COPSE_ERROR(build(context(), models.accels, view, {.quality = Quality(7)}), invalid, "quality is 7");
  EXPECT_COPSE_ERROR(refit(context(), scene, InstanceView::of(device.span().first(4))), invalid,
                     "refit: 4 instances, but the scene was built over 5");
  Scene small = build(context(), models.accels, std::vector<Instance>(2));
  EXPECT_COPSE_ERROR(rebuild(context(), small, view), invalid, "5 instances, but the scene has room for 2");
  Scene none;
  EXPECT_COPSE_ERROR(rebuild(context(), none, view), invalid, "the scene was never built");
  const Buffer<Ray> rays(context(), std::vector<Ray>(3));
  Buffer<SceneHit> hits(context(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), none, rays.span().first(2), hits.span()), invalid, "never built");
  EXPECT_COPSE_ERROR(closest_hits(context(), scene, rays.span(), hits.span()), invalid, "room for 2 results");
  EXPECT_COPSE_ERROR(closest_hits(context(), scene, rays.span().first(2), hits.span(), {.cull = Cull(4)}), invalid,
                     "options.cull is 4");
  EXPECT_NO_THROW(closest_hits(context(), scene, rays.span().first(2), hits.span()));
}

COPSE_ON_EACH_BACKEND(SceneBuild);

}  // namespace
}  // namespace copse
