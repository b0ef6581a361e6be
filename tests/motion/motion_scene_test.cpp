// Rays through moving instances find what they find in a still scene of the same time.

#include <cstring>
#include <limits>

#include "primitives/core/graph.h"
#include "tests/motion/moving_scenes.h"
#include "tests/support/values.h"

namespace copse::test {
namespace {

class MotionScenes : public OnEachBackend {
 protected:
  /// Rays of all kinds at a time.
  static std::vector<Ray> rays_at(const Models& models, const MovingInstances& instances, float time, u32 count) {
    return difficult_rays(Flattened(models, instances.at(time)).joined(), count, u32(time * 1000) + 1);
  }
};

TEST_P(MotionScenes, HitsAreThoseOfAStillSceneAtTheTime) {
  const Models models(context(), some_meshes());
  u32 seed = 1;
  for (const u32 key_count : {2u, 3u, 6u}) {
    for (const u32 tree_count : {0u, 1u, 4u}) {
      const MovingInstances instances(context(), random_motion(40, key_count, ++seed), key_count, 4);
      const Quality quality = all_qualities[seed % 3];
      const MotionScene scene =
          build(context(), models.accels, instances.view(), {.quality = quality, .tree_count = tree_count});
      for (const float time : {0.0f, 1.0f, 1 / float(key_count - 1), 0.01f, 0.37f, 0.5f, 0.83f, 0.9999999f}) {
        expect_still_hits(context(), scene, models.accels, instances, time, rays_at(models, instances, time, 60),
                          std::to_string(key_count) + " keys, " + std::to_string(tree_count) + " trees");
      }
    }
  }
}

TEST_P(MotionScenes, EachRayHasItsTimeAndItsMask) {
  const Models models(context(), some_meshes());
  const MovingInstances instances(context(), random_motion(50, 3, 5), 3, 4);
  const MotionScene scene = build(context(), models.accels, instances.view());
  const std::vector<Ray> rays = rays_at(models, instances, 0.5f, 400);
  std::vector<float> times;
  std::vector<u32> masks;
  for (u32 i = 0; i < rays.size(); ++i)
    times.push_back(float(i % 6) / 5 * 1.4f - 0.2f), masks.push_back(1 + i % 7);
  const Buffer<float> device_times(context(), times);
  const Buffer<u32> device_masks(context(), masks);
  const MotionTraceOptions options{.times = device_times.span(), .masks = device_masks.span(), .cull = Cull::back};
  const std::vector<SceneHit> hits = trace(context(), scene, rays, options);
  const std::vector<u8> occluded = trace_any(context(), scene, rays, options);
  for (u32 first = 0; first < 42; ++first) {
    const Scene still = build(context(), models.accels, instances.at(times[first]));
    std::vector<Ray> own;
    for (u32 i = first; i < rays.size(); i += 42) own.push_back(rays[i]);
    const std::vector<SceneHit> expected =
        trace(context(), still, own, {.mask = masks[first], .cull = Cull::back});
    for (u32 i = first, k = 0; i < rays.size(); i += 42, ++k) {
      ASSERT_TRUE(same_bits(hits[i], expected[k])) << i << ": " << text(hits[i]) << ", " << text(expected[k]);
      ASSERT_EQ(occluded[i], is_hit(expected[k]) ? 1 : 0) << i;
    }
  }
}

TEST_P(MotionScenes, RaysInPartsAndTimesThatAreNone) {
  const Models models(context(), {generate_sphere(2)});
  const MovingInstances instances(context(), random_motion(8, 2, 9), 2, 1);
  const MotionScene scene = build(context(), models.accels, instances.view());
  const std::vector<Ray> rays = rays_at(models, instances, 0.3f, 100);
  std::vector<vec3> origins, directions;
  for (const Ray& ray : rays) origins.push_back(ray.origin), directions.push_back(ray.direction);
  const Buffer<vec3> device_origins(context(), origins), device_directions(context(), directions);
  const RaySpan parts{.origins = device_origins.span(), .directions = device_directions.span()};
  Buffer<SceneHit> hits(context(), rays.size());
  closest_hits(context(), scene, parts, hits.span(), {.time = 0.3f});
  std::vector<Ray> whole;
  for (const Ray& ray : rays) whole.push_back({ray.origin, 0, ray.direction, infinity});
  const std::vector<SceneHit> expected = trace(context(), scene, whole, {.time = 0.3f}), got = hits.download();
  for (size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(same_bits(got[i], expected[i])) << text(rays[i]);
  Buffer<u8> occluded(context(), rays.size());
  any_hits(context(), scene, parts, occluded.span(), {.time = 0.3f});
  const std::vector<u8> dark = occluded.download();
  for (size_t i = 0; i < dark.size(); ++i) ASSERT_EQ(dark[i], is_hit(expected[i]) ? 1 : 0) << text(rays[i]);
  for (const SceneHit& hit : trace(context(), scene, rays, {.time = nan})) EXPECT_FALSE(is_hit(hit));
  for (const u8 is_dark : trace_any(context(), scene, rays, {.time = nan})) EXPECT_EQ(is_dark, 0);
}

TEST(MovingInstanceBoxes, HoldAtAllTimes) {
  Context context({.backend = Backend::cpu});
  const Models models(context, {generate_sphere(1), generate_random(30, 0.4f)});
  for (const bool only_turns : {false, true}) {
    std::vector<MotionTransform> keys = random_motion(300, 3, 11);
    RayMaker random(3);
    for (size_t i = 0; only_turns && i < keys.size(); ++i) {
      const float angle = i % 3 == 2 ? 3.14159f : random.uniform(0, 3.1f);  // up to half a turn
      const MotionTransform turn = turned(random.point(-1, 1), i % 3 == 0 ? 0 : angle);
      std::copy_n(turn.rotation, 4, keys[i].rotation);
      keys[i].stretch_x = keys[i - i % 3].stretch_x;
    }
    const MovingInstances instances(context, keys, 3, 2);
    const MotionScene scene = build(context, models.accels, instances.view(), {.tree_count = 5});
    const detail::MotionParts parts = scene.view().parts;
    for (u32 sample = 0; sample <= 64; ++sample) {
      const float time = float(sample) / 64;
      const std::vector<Instance> still = instances.at(time);
      const auto at = detail::KeyTime::of(time, 3);
      for (u32 i = 0; i < still.size(); ++i) {
        const Aabb box = parts.box_at(i, at);
        for (const vec3& p : models.meshes[still[i].accel].positions) {
          const glm::dvec3 q = placed(still[i], p);
          for (int axis = 0; axis < 3; ++axis) {
            ASSERT_TRUE(box.lo[axis] <= q[axis] && q[axis] <= box.hi[axis]) << i << " at " << time;
          }
        }
      }
    }
  }
}

TEST(MovingInstanceBoxes, OfAWheelStayThin) {
  Context context({.backend = Backend::cpu});
  const Models models(context, {generate_sphere(2)});
  std::vector<MotionTransform> keys;
  for (u32 key = 0; key < 9; ++key) {
    keys.push_back(turned(vec3(0, 1, 0), float(key) * 1.5f));
    keys.back().stretch_y = 0.01f;
  }
  const MovingInstances instances(context, keys, 9, 1);
  const MotionScene scene = build(context, models.accels, instances.view());
  const Aabb box = scene.view().parts.box_at(0, detail::KeyTime::of(0.3f, 9));
  EXPECT_LT(box.hi.y - box.lo.y, 0.03f);
  EXPECT_GT(box.hi.x - box.lo.x, 2.0f);
}

TEST_P(MotionScenes, ASpinOfMoreThanATurnGoesAllTheWay) {
  const Models models(context(), {generate_cube()});
  constexpr u32 key_count = 9;
  std::vector<MotionTransform> keys;
  for (u32 key = 0; key < key_count; ++key)
    keys.push_back(turned(vec3(1, 2, 3), float(key) * 1.2f));  // 550 degrees
  for (u32 i = 0; i < 4; ++i) keys[3].rotation[i] *= -5;       // the same rotation
  const MovingInstances instances(context(), keys, key_count, 1);
  const MotionScene scene = build(context(), models.accels, instances.view());
  for (u32 half = 0; half < 2 * key_count - 1; ++half) {
    const float time = float(half) / float(2 * key_count - 2);
    const TransformRows place = transform_at(keys.data(), key_count, time);
    const glm::dmat4 turn = glm::rotate(glm::dmat4(1), half * 0.6, glm::normalize(glm::dvec3(1, 2, 3)));
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) EXPECT_NEAR(place.rows[row][column], turn[column][row], 1e-5);
    }
    expect_still_hits(context(), scene, models.accels, instances, time, rays_at(models, instances, time, 40),
                      "spin");
  }
}

TEST_P(MotionScenes, WhatHasNoPlaceAtAKeyIsMissedThere) {
  const Models models(context(), {generate_sphere(2)});
  std::vector<MotionTransform> keys(7 * 3);
  for (u32 i = 0; i < 7; ++i) {
    for (u32 key = 0; key < 3; ++key) keys[i * 3 + key].translation[0] = 3.0f * float(i);
  }
  for (const u32 at : {0u, 1u}) keys[at].stretch_x = keys[at].stretch_y = keys[at].stretch_z = 0;  // grows at last
  keys[1 * 3 + 2].stretch_z = -1;  // turns inside out
  keys[2 * 3 + 1].translation[1] = nan;
  keys[3 * 3 + 2].pivot_x = infinity;
  for (float& q : keys[4 * 3].rotation) q = 0;
  keys[5 * 3 + 1].stretch_yz = -infinity;
  const MovingInstances instances(context(), keys, 3, 1);
  const MotionScene scene = build(context(), models.accels, instances.view());
  std::vector<Ray> rays;
  for (u32 i = 0; i < 7; ++i) rays.push_back({{3.0f * float(i) + 0.05f, 0.04f, 5}, 0, {0, 0, -1}, infinity});
  const auto seen = [&](float time) {
    std::string result;
    for (const SceneHit& hit : trace(context(), scene, rays, {.time = time})) result += is_hit(hit) ? 'x' : '-';
    return result;
  };
  EXPECT_EQ(seen(0), "-xxx-xx");
  EXPECT_EQ(seen(0.25f), "-x-x--x");
  EXPECT_EQ(seen(0.5f), "-x-xx-x");
  EXPECT_EQ(seen(0.75f), "x---x-x");  // instance 1 has no height at this time
  EXPECT_EQ(seen(0.8f), "xx--x-x");
  EXPECT_EQ(seen(1), "xxx-xxx");
  for (const float time : {0.0f, 0.5f, 0.8f, 1.0f}) {
    if (time == 0.8f) continue;  // a still scene has no neighbouring keys
    expect_still_hits(context(), scene, models.accels, instances, time, rays, "holes");
  }
}

TEST_P(MotionScenes, MeshesThatMoveInsideStandAsTheyDoAtTheTime) {
  const Models models(context(), {generate_cube()});
  const MovingMesh walker(context(), scattered_keys(generate_sphere(2), 3, 0.3f, 4), 7);
  const std::vector<MotionAccel> moving = [&] {
    std::vector<MotionAccel> all;
    all.push_back(build(context(), walker.triangles()));
    return all;
  }();
  const MovingInstances instances(context(), random_motion(30, 4, 21), 4, 2);
  const MotionScene scene = build(context(), MotionSceneAccels(models.accels, moving), instances.view());
  for (const float time : {0.0f, 0.2f, 0.5f, 0.61f, 1.0f}) {
    const Models at_time(context(), {generate_cube(), walker.at(time)});
    for (const Cull cull : {Cull::none, Cull::front}) {
      expect_still_hits(context(), scene, at_time.accels, instances, time, rays_at(at_time, instances, time, 150),
                        "inside", cull == Cull::none ? ~u32{0} : 5, cull);
    }
  }
  const MovingInstances one(context(), random_motion(1, 2, 2), 2, 1);
  const MotionScene alone = build(context(), moving[0], one.view());
  const Models at_half(context(), {walker.at(0.5f)});
  expect_still_hits(context(), alone, at_half.accels, one, 0.5f, rays_at(at_half, one, 0.5f, 100), "alone");
}

TEST_P(MotionScenes, RefitAndRebuildFollowInAGraph) {
  const Models models(context(), some_meshes());
  const MovingInstances first(context(), random_motion(30, 3, 1), 3, 4),
      second(context(), random_motion(30, 3, 2), 3, 4), few(context(), random_motion(3, 3, 3), 3, 4);
  MotionScene scene = build(context(), models.accels, first.view(), {.capacity = 40});
  const std::vector<Ray> rays = rays_at(models, second, 0.4f, 100);
  refit(context(), scene, second.view());
  expect_still_hits(context(), scene, models.accels, second, 0.4f, rays, "refit");
  rebuild(context(), scene, few.view());
  expect_still_hits(context(), scene, models.accels, few, 0.4f, rays, "few");
  rebuild(context(), scene, first.view());
  Graph refits = context().capture([&] { refit(context(), scene, second.view()); });
  Graph rebuilds = context().capture([&] { rebuild(context(), scene, first.view()); });
  refits.launch();
  expect_still_hits(context(), scene, models.accels, second, 0.4f, rays, "captured refit");
  rebuilds.launch();
  expect_still_hits(context(), scene, models.accels, first, 0.4f, rays, "captured rebuild");
  EXPECT_EQ(scene.capacity(), 40u);
  EXPECT_EQ(scene.instance_count(), 30u);
}

TEST_P(MotionScenes, OfNothingMissesAndSizesAreKnown) {
  const Models models(context(), some_meshes());
  const std::vector<Ray> rays{{{0, 0, 3}, 0, {0, 0, -1}, 7}};
  const MotionScene nothing = build(context(), models.accels, MotionInstanceView{});
  EXPECT_FALSE(is_hit(trace(context(), nothing, rays, {})[0]));
  const MovingInstances instances(context(), random_motion(100, 3, 1), 3, 5);  // accel 4 does not exist
  const MotionScene scene = build(context(), models.accels, instances.view());
  const BuildSizes sizes = motion_scene_sizes(context(), 100, 3, models.accels.size(), 0, {});
  EXPECT_EQ(scene.size_bytes(), sizes.result_bytes);
  EXPECT_LE(context().scratch_bytes(), std::max(sizes.scratch_bytes, u64{1} << 20));
  EXPECT_EQ(scene.trees()[0].counts.download()[0].invalid_count, 40u);  // no triangles, or no accel
}

TEST_P(MotionScenes, RefusesWhatDoesNotFit) {
  const Models models(context(), {generate_cube()});
  const MovingInstances two(context(), random_motion(4, 2, 1), 2, 1),
      three(context(), random_motion(4, 3, 1), 3, 1), more(context(), random_motion(5, 2, 1), 2, 1);
  MotionScene scene = build(context(), models.accels, two.view()), never;
  MotionInstanceView view = two.view();
  view.key_count = 1;
  EXPECT_COPSE_ERROR(build(context(), models.accels, view), invalid, "1 keys were given; there can be 2 to 65535");
  view.key_count = 3;
  EXPECT_COPSE_ERROR(build(context(), models.accels, view), invalid, "8 transforms for 3 keys");
  view = two.view();
  view.masks.stride_bytes = 3;
  EXPECT_COPSE_ERROR(build(context(), models.accels, view), invalid, "masks are 3 bytes apart");
  EXPECT_COPSE_ERROR(build(context(), models.accels, two.view(), {.tree_count = 257}), invalid,
                     "options.tree_count is 257; it can be 0 to 256");
  EXPECT_COPSE_ERROR(build(context(), models.accels, two.view(), {.quality = Quality(5)}), invalid,
                     "quality is 5");
  EXPECT_COPSE_ERROR(build(context(), Accel(), two.view()), invalid, "never built");
  EXPECT_COPSE_ERROR(build(context(), MotionAccel(), two.view()), invalid, "never built");
  EXPECT_COPSE_ERROR(rebuild(context(), scene, three.view()), invalid, "3 keys");
  EXPECT_COPSE_ERROR(rebuild(context(), scene, more.view()), invalid, "5 instances, but the scene has room for 4");
  EXPECT_COPSE_ERROR(refit(context(), scene, more.view()), invalid, "5 instances, but the scene was built over 4");
  EXPECT_COPSE_ERROR(refit(context(), never, two.view()), invalid, "was never built");
  EXPECT_COPSE_ERROR(trace(context(), never, {Ray{}}, {}), invalid, "was never built");
  EXPECT_COPSE_ERROR(motion_scene_sizes(context(), 3, 65536, 1, 0, {}), invalid, "65536 keys");
}

TEST(MotionSceneOfBothBackends, HasTheSameTreesAndHits) {
  COPSE_SKIP_WITHOUT_GPU();
  const auto made = [](Backend backend) {
    Context context({.backend = backend});
    const Models models(context, some_meshes());
    const MovingInstances instances(context, random_motion(500, 3, 4), 3, 4);
    const MotionScene scene = build(context, models.accels, instances.view());
    std::vector<Ray> rays = difficult_rays(Flattened(models, instances.at(0.3f)).joined(), 20000, 5);
    std::vector<float> times;
    for (u32 i = 0; i < rays.size(); ++i) times.push_back(float(i % 97) / 96);
    const Buffer<float> device_times(context, times);
    std::pair<std::vector<std::vector<CompressedBvh4Node>>, std::vector<SceneHit>> all;
    for (const CompressedBvh4& tree : scene.trees()) {
      all.first.push_back(tree.nodes.download());
      all.first.back().resize(tree.counts.download()[0].node_count);
    }
    all.second = trace(context, scene, rays, {.times = device_times.span()});
    return all;
  };
  const auto cpu = made(Backend::cpu), gpu = made(Backend::cuda);
  for (size_t i = 0; i < cpu.first.size(); ++i) {
    ASSERT_EQ(cpu.first[i].size(), gpu.first[i].size());
    EXPECT_EQ(std::memcmp(cpu.first[i].data(), gpu.first[i].data(), cpu.first[i].size() * 64), 0) << i;
  }
  for (size_t i = 0; i < cpu.second.size(); ++i) ASSERT_TRUE(same_bits(cpu.second[i], gpu.second[i])) << i;
}

TEST(MotionTransforms, OfAMatrixGiveItBack) {
  RayMaker random(1);
  for (u32 i = 0; i < 500; ++i) {
    glm::mat4x3 matrix;
    for (int column = 0; column < 4; ++column) matrix[column] = random.point(-2, 2);
    if (i % 5 == 1) matrix[1] = matrix[0] * 2.0f;
    if (i % 5 == 2) matrix[i % 3] = vec3(0);
    if (i % 50 == 3) matrix[0] = matrix[1] = matrix[2] = vec3(0);
    if (i % 5 == 4) matrix = glm::mat4x3(glm::rotate(glm::mat4(1), float(i), random.point(-1, 1)));
    const MotionTransform keys[2] = {MotionTransform::of(matrix), MotionTransform::of(matrix)};
    const TransformRows place = transform_at(keys, 2, 0);
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 4; ++column) {
        ASSERT_NEAR(place.rows[row][column], matrix[column][row], 2e-6) << i << " " << row << " " << column;
      }
    }
  }
}

COPSE_ON_EACH_BACKEND(MotionScenes);

}  // namespace
}  // namespace copse::test
