// Rays through moving triangles find what brute force finds at the ray's time.

#include <cstring>
#include <limits>

#include "tests/motion/moving_meshes.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/values.h"

namespace copse::test {
namespace {

class MotionRays : public OnEachBackend {};

TEST_P(MotionRays, HitsAreThoseOfTheTrianglesAtTheTimeOfTheRay) {
  for (const u32 key_count : {2u, 3u, 6u}) {
    for (const float reach : {0.0f, 0.05f, 1.5f}) {
      const MovingMesh mesh(context(), scattered_keys(generate_sphere(2), key_count, reach, key_count));
      const TimedRays rays(mesh.keys(), 150, 7);
      for (const Quality quality : all_qualities) {
        const MotionAccel accel = build(context(), mesh.triangles(), {.quality = quality});
        expect_hits(context(), accel, mesh, rays,
                    std::to_string(key_count) + " keys, reach " + std::to_string(reach) + ", " + name_of(quality));
      }
    }
  }
}

TEST_P(MotionRays, AtTheTimeOfAKeyTheHitsAreThoseOfItsMesh) {
  for (const u32 key_count : {2u, 4u, 50u}) {
    const MovingMesh mesh(context(), scattered_keys(generate_random(200, 0.3f), key_count, 0.2f, 5));
    const MotionAccel accel = build(context(), mesh.triangles());
    for (u32 key = 0; key < key_count; key += key_count / 2 - (key_count == 2 ? 0 : 1)) {
      const TimedRays rays({mesh.keys()[key], mesh.keys()[key]}, 100, key);
      const std::vector<Hit> hits = trace(context(), accel, rays.rays, {.time = accel.view().time_of(key)});
      const Accel still = build(context(), mesh.views()[key]);
      const std::vector<Hit> expected = trace(context(), still, rays.rays);
      for (size_t i = 0; i < hits.size(); ++i) {
        ASSERT_TRUE(same_bits(hits[i], expected[i]))
            << "key " << key << " of " << key_count << ": " << text(hits[i]);
      }
    }
  }
}

TEST_P(MotionRays, WhatDoesNotMoveKeepsItsBitsAtAllTimes) {
  const Mesh sphere = generate_sphere(3);
  const MovingMesh mesh(context(), {sphere, sphere, sphere});
  const MotionAccel accel = build(context(), mesh.triangles());
  const TimedRays rays(mesh.keys(), 3000, 3);
  const Buffer<float> times(context(), rays.times);
  const std::vector<Hit> hits = trace(context(), accel, rays.rays, {.times = times.span()});
  const std::vector<Hit> expected = trace(context(), build(context(), mesh.views()[0]), rays.rays);
  for (size_t i = 0; i < hits.size(); ++i) ASSERT_TRUE(same_bits(hits[i], expected[i])) << text(hits[i]);
}

TEST_P(MotionRays, DifficultRaysAndPlacesMissNothing) {
  for (const float far : {0.0f, 300.0f, -1e5f, 1e12f}) {
    Mesh ball = generate_sphere(2);
    const float size = far == 1e12f ? 1e7f : 1.0f;
    for (vec3& p : ball.positions) p = p * size + vec3(far, 0, -2 * far);
    const MovingMesh mesh(context(), scattered_keys(ball, 3, 0.4f * size, 11));
    TimedRays rays(mesh.keys(), 0, 1);
    rays.rays = difficult_rays(mesh.at(0.25f), 300, 2);
    for (size_t i = 0; i < rays.rays.size(); ++i) rays.times.push_back(i % 3 == 0 ? 0.25f : float(i) / 300);
    const MotionAccel accel = build(context(), mesh.triangles());
    expect_hits(context(), accel, mesh, rays, "far " + std::to_string(far));
  }
}

TEST_P(MotionRays, HardMeshesMove) {
  for (const NamedMesh& hard : hard_meshes()) {
    Mesh moved = hard.mesh;
    for (size_t i = 0; i < moved.positions.size(); ++i) {
      moved.positions[i] = hard.mesh.positions[(i * 7 + 3) % moved.positions.size()];
    }
    const MovingMesh mesh(context(), {hard.mesh, moved});
    const MotionAccel accel = build(context(), mesh.triangles());
    expect_hits(context(), accel, mesh, TimedRays(mesh.keys(), 60, 9), hard.name);
  }
}

TEST_P(MotionRays, ATriangleThatIsNoNumberAtAKeyIsThereAtTheOthers) {
  for (u32 sick = 0; sick < 3; ++sick) {
    std::vector<Mesh> keys = scattered_keys(generate_random(150, 0.4f), 3, 0.1f, 21);
    for (size_t i = 0; i < keys[sick].positions.size(); i += sick + 1)
      keys[sick].positions[i].y = i % 2 ? nan : infinity;
    const MovingMesh mesh(context(), keys);
    const MotionAccel accel = build(context(), mesh.triangles());
    expect_hits(context(), accel, mesh, TimedRays(mesh.keys(), 300, sick), "key " + std::to_string(sick));
  }
}

TEST_P(MotionRays, CollapsingTrianglesAreMissedWhereTheyHaveNoArea) {
  std::vector<Mesh> keys(3, generate_random(100, 0.5f));
  for (vec3& p : keys[1].positions) p = vec3(0.5f);
  const MovingMesh mesh(context(), keys);
  const MotionAccel accel = build(context(), mesh.triangles());
  expect_hits(context(), accel, mesh, TimedRays(mesh.keys(), 300, 4), "collapse");
  const Ray at_the_point{{0.5f, 0.5f, 5}, 0, {0, 0, -1}, infinity};
  EXPECT_FALSE(is_hit(trace(context(), accel, {at_the_point}, {.time = 0.5f})[0]));
}

TEST_P(MotionRays, RaysThatAreNoneAndTimesThatAreNoneHitNothing) {
  const MovingMesh mesh(context(), scattered_keys(generate_sphere(2), 2, 0.1f, 1));
  const MotionAccel accel = build(context(), mesh.triangles());
  const Ray good{{0, 0, 5}, 0, {0, 0, -1}, 100};
  EXPECT_TRUE(is_hit(trace(context(), accel, {good}, {.time = 0.3f})[0]));
  const Hit none = trace(context(), accel, {good}, {.time = nan})[0];
  EXPECT_FALSE(is_hit(none));
  EXPECT_EQ(none.t, 100);
  EXPECT_EQ(trace_any(context(), accel, {good}, {.time = nan})[0], 0);
  for (const Hit& hit : trace(context(), accel, rays_that_are_none(good), {.time = 0.3f}))
    EXPECT_FALSE(is_hit(hit));
}

TEST_P(MotionRays, CullsAsTheTrianglesStandAtTheTime) {
  std::vector<Mesh> keys = scattered_keys(generate_random(150, 0.4f), 2, 0.8f, 2);
  const MovingMesh mesh(context(), keys);
  const MotionAccel accel = build(context(), mesh.triangles());
  for (const Cull cull : {Cull::back, Cull::front}) {
    expect_hits(context(), accel, mesh, TimedRays(keys, 200, 6), name_of(cull), {.cull = cull});
  }
}

TEST_P(MotionRays, MasksAndGeometryIdsAreThoseOfTheFirstKey) {
  const std::vector<Mesh> a = scattered_keys(generate_random(80, 0.4f), 2, 0.3f, 31),
                          b = scattered_keys(generate_sphere(1), 2, 0.3f, 32);
  const MovingMesh one(context(), a, 10), other(context(), b, 20);
  std::vector<std::vector<TriangleView>> views = {{one.views()[0], other.views()[0]},
                                                  {one.views()[1], other.views()[1]}};
  views[0][0].mask = 1;
  views[0][1].mask = 2;
  const MotionAccel accel = build(context(), MotionTriangles(views));
  const TimedRays rays(a, 200, 3);
  const Buffer<float> times(context(), rays.times);
  std::vector<u32> masks;
  for (size_t i = 0; i < rays.rays.size(); ++i) masks.push_back(u32(i % 4));
  const Buffer<u32> device_masks(context(), masks);
  const std::vector<Hit> hits =
      trace(context(), accel, rays.rays, {.times = times.span(), .masks = device_masks.span(), .mask = 3});
  for (size_t i = 0; i < hits.size(); ++i) {
    const Mesh at_one = one.at(rays.times[i]), at_other = other.at(rays.times[i]);
    std::vector<TriangleView> seen;
    if ((masks[i] & 1) != 0) seen.push_back(host_view(at_one)), seen.back().geometry = 10;
    if ((masks[i] & 2) != 0) seen.push_back(host_view(at_other)), seen.back().geometry = 20;
    const Hit expected = brute_force_hit(seen, rays.rays[i]);
    ASSERT_TRUE(same_bits(hits[i], expected)) << i << ": " << text(hits[i]) << ", expected " << text(expected);
  }
}

TEST_P(MotionRays, RaysInPartsAreTheSameRays) {
  const MovingMesh mesh(context(), scattered_keys(generate_sphere(2), 2, 0.3f, 8));
  const MotionAccel accel = build(context(), mesh.triangles());
  const TimedRays rays(mesh.keys(), 500, 3);
  std::vector<vec3> origins, directions;
  for (const Ray& ray : rays.rays) origins.push_back(ray.origin), directions.push_back(ray.direction);
  const Buffer<vec3> device_origins(context(), origins), device_directions(context(), directions);
  const Buffer<float> times(context(), rays.times);
  const RaySpan parts{.origins = device_origins.span(), .directions = device_directions.span()};
  Buffer<Hit> hits(context(), parts.size());
  Buffer<u8> occluded(context(), parts.size());
  closest_hits(context(), accel, parts, hits.span(), {.times = times.span()});
  any_hits(context(), accel, parts, occluded.span(), {.times = times.span()});
  const std::vector<Hit> expected = trace(context(), accel, rays.rays, {.times = times.span()}),
                         got = hits.download();
  const std::vector<u8> dark = occluded.download();
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(same_bits(got[i], expected[i])) << i;
    ASSERT_EQ(dark[i], is_hit(expected[i]) ? 1 : 0) << i;
  }
}

TEST_P(MotionRays, ManyRaysHaveTheirOwnTimesLarge) {
  const MovingMesh mesh(context(), scattered_keys(generate_sphere(4), 3, 0.05f, 8));
  const MotionAccel accel = build(context(), mesh.triangles(), {.quality = Quality::fast});
  TimedRays rays(mesh.keys(), 60'000, 3);
  Context other({.backend = Backend::cpu});
  const MovingMesh again(other, mesh.keys());
  const MotionAccel reference = build(other, again.triangles(), {.quality = Quality::best});
  const Buffer<float> times(context(), rays.times), other_times(other, rays.times);
  const std::vector<Hit> hits = trace(context(), accel, rays.rays, {.times = times.span()}),
                         expected = trace(other, reference, rays.rays, {.times = other_times.span()});
  for (size_t i = 0; i < hits.size(); ++i) ASSERT_TRUE(same_bits(hits[i], expected[i])) << i;
}

TEST(MotionRaysOnAGpu, AnyHitsAreTheSameInEveryOrderThatIsTriedLarge) {
  COPSE_SKIP_WITHOUT_GPU();
  Context context({.backend = Backend::cuda});
  const MovingMesh mesh(context, scattered_keys(generate_sphere(4), 2, 0.05f, 8));
  const MotionAccel accel = build(context, mesh.triangles());
  TimedRays few(mesh.keys(), 3000, 3);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 400'000; ++i) rays.push_back(few.rays[i % 3000]);
  const Buffer<Ray> device_rays(context, rays);
  const std::vector<u8> expected = trace_any(context, accel, few.rays, {.time = 0.4f});
  Buffer<u8> occluded(context, rays.size());
  for (u32 batch = 0; batch < 75; ++batch) {  // those after the 64th are trials
    any_hits(context, accel, device_rays.span(), occluded.span(), {.time = 0.4f});
    if (batch < 60) continue;
    const std::vector<u8> got = occluded.download();
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], expected[i % 3000]) << "batch " << batch << ", " << i;
  }
}

COPSE_ON_EACH_BACKEND(MotionRays);

}  // namespace
}  // namespace copse::test
