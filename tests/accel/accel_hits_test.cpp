// First hits, all hits and filters find what brute force finds, in its order.

#include "accel/accel_hits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "accel/accel_hit_view.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"

namespace copse {
namespace {

using test::SceneOfViews;
using test::slow_hits;

/// The sphere twice: each triangle stands in the place of another one.
std::vector<Mesh> doubled_meshes() {
  return {generate_sphere(2), generate_random(400, 0.4f), generate_sphere(2)};
}

std::vector<Ray> rays_through(const std::vector<Mesh>& meshes) {
  std::vector<Ray> rays;
  for (const Mesh& mesh : meshes) {
    for (const Ray& ray : test::difficult_rays(mesh, 150, u32(rays.size()))) rays.push_back(ray);
  }
  for (const Ray& ray : test::rays_that_are_none(rays[0])) rays.push_back(ray);
  return rays;
}

void expect_list(const std::vector<Hit>& expected, const Hit* hits, u64 count, const Ray& ray) {
  for (u64 i = 0; i < count; ++i) {
    ASSERT_TRUE(test::same_bits(hits[i], expected[i]))
        << test::text(ray) << ": hit " << i << ": " << test::text(hits[i]) << ", expected "
        << test::text(expected[i]);
  }
}

class AccelHits : public test::OnEachBackend {};

TEST_P(AccelHits, FirstHitsAreThoseOfBruteForceInItsOrder) {
  const std::vector<Mesh> meshes = doubled_meshes();
  const SceneOfViews scene(context(), meshes);
  const std::vector<Ray> host_rays = rays_through(meshes);
  const Buffer<Ray> rays(context(), host_rays);
  for (const Quality quality : test::all_qualities) {
    const Accel accel = build(context(), scene.device(), {.quality = quality});
    for (const u32 k : {1u, 3u, 16u}) {
      Buffer<Hit> hits(context(), std::vector<Hit>(k * rays.size(), {-7, 0, 0, 0, 0}));
      Buffer<u32> counts(context(), rays.size());
      first_hits(context(), accel, rays.span(), hits.span(), counts.span());
      const std::vector<Hit> found = hits.download();
      const std::vector<u32> found_counts = counts.download();
      u32 full = 0;
      for (u32 i = 0; i < host_rays.size(); ++i) {
        const std::vector<Hit> expected = slow_hits(scene.host(), host_rays[i]);
        ASSERT_EQ(found_counts[i], std::min<u64>(k, expected.size())) << test::text(host_rays[i]);
        ASSERT_NO_FATAL_FAILURE(expect_list(expected, &found[i * k], found_counts[i], host_rays[i]));
        for (u32 j = found_counts[i]; j < k; ++j) ASSERT_EQ(found[i * k + j].t, -7) << "beyond the last hit";
        full += found_counts[i] == k;
      }
      EXPECT_GT(full, 5u) << k;
    }
  }
}

TEST_P(AccelHits, AllHitsAreThoseOfBruteForceAndAreCutWhereThereIsNoRoom) {
  const std::vector<Mesh> meshes = doubled_meshes();
  const SceneOfViews scene(context(), meshes);
  const std::vector<Ray> host_rays = rays_through(meshes);
  const Buffer<Ray> rays(context(), host_rays);
  const Accel accel = build(context(), scene.device());
  const HitLists lists = all_hits(context(), accel, rays.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<Hit> found = lists.hits.download();
  ASSERT_EQ(offsets.back(), found.size());
  for (u32 i = 0; i < host_rays.size(); ++i) {
    const std::vector<Hit> expected = slow_hits(scene.host(), host_rays[i]);
    ASSERT_EQ(offsets[i + 1] - offsets[i], expected.size()) << test::text(host_rays[i]);
    ASSERT_NO_FATAL_FAILURE(expect_list(expected, &found[offsets[i]], expected.size(), host_rays[i]));
  }
  Buffer<u32> counts(context(), rays.size());
  count_hits(context(), accel, rays.span(), counts.span());
  const std::vector<u32> each = counts.download();
  for (u32 i = 0; i < each.size(); ++i) ASSERT_EQ(each[i], offsets[i + 1] - offsets[i]);

  Buffer<u64> cut_offsets(context(), rays.size() + 1);
  Buffer<Hit> cut(context(), found.size() / 2 + 1);
  find_hits(context(), accel, rays.span(), cut_offsets.span(), cut.span());
  EXPECT_EQ(cut_offsets.download(), offsets);
  const std::vector<Hit> first_half = cut.download();
  for (u32 i = 0; i < first_half.size(); ++i) ASSERT_TRUE(test::same_bits(first_half[i], found[i])) << i;
}

TEST_P(AccelHits, TakeMasksCullingAndRaysOfAnyLayout) {
  const std::vector<Mesh> meshes = doubled_meshes();
  const SceneOfViews scene(context(), meshes, {1, 2, 4});
  const std::vector<Ray> host_rays = rays_through(meshes);
  std::vector<vec3> origins, directions;
  std::vector<float> ends;
  std::vector<u32> host_masks;
  for (const Ray& ray : host_rays) {
    origins.push_back(ray.origin);
    directions.push_back(ray.direction);
    ends.push_back(ray.t_max);
    host_masks.push_back(u32(host_masks.size() % 8));
  }
  const Buffer<vec3> o(context(), origins), d(context(), directions);
  const Buffer<float> t_max(context(), ends);
  const Buffer<u32> masks(context(), host_masks);
  const Buffer<Ray> rays(context(), host_rays);
  const RaySpan span{.origins = o.span(), .directions = d.span(), .t_max = {t_max.data()}};
  const Accel accel = build(context(), scene.device());
  const HitLists seen = all_hits(context(), accel, span, {.masks = masks.span(), .mask = 5});
  const HitLists front = all_hits(context(), accel, rays.span(), {.cull = Cull::back});
  const HitLists back = all_hits(context(), accel, rays.span(), {.cull = Cull::front});
  const HitLists both = all_hits(context(), accel, rays.span());
  const std::vector<u64> offsets = seen.offsets.download();
  const std::vector<Hit> found = seen.hits.download();
  for (u32 i = 0; i < host_rays.size(); ++i) {
    Ray ray = host_rays[i];
    ray.t_min = 0;
    const std::vector<Hit> expected = slow_hits(scene.host(), ray, host_masks[i] & 5);
    ASSERT_EQ(offsets[i + 1] - offsets[i], expected.size()) << test::text(ray);
    ASSERT_NO_FATAL_FAILURE(expect_list(expected, &found[offsets[i]], expected.size(), ray));
  }
  EXPECT_EQ(front.hits.size() + back.hits.size(), both.hits.size());
  EXPECT_GT(front.hits.size(), 100u);
}

TEST_P(AccelHits, RefuseWhatDoesNotFit) {
  const SceneOfViews scene(context(), {generate_cube()});
  const Accel accel = build(context(), scene.device());
  const Buffer<Ray> rays(context(), std::vector<Ray>(4, {vec3(3), 0, vec3(-1), infinity}));
  Buffer<Hit> hits(context(), 68);
  Buffer<u32> counts(context(), 3);
  Buffer<u64> offsets(context(), 4);
  const auto fails = [&](const char* text, const auto& call) {
    try {
      call();
      ADD_FAILURE() << "expected: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  fails("17 hits for each of the rays; it can be 1 to 16",
        [&] { first_hits(context(), accel, rays.span(), hits.span(), counts.span()); });
  fails("no multiple of 4 rays",
        [&] { first_hits(context(), accel, rays.span(), hits.span().first(6), counts.span()); });
  fails("3 counts for 4 rays",
        [&] { first_hits(context(), accel, rays.span(), hits.span().first(8), counts.span()); });
  fails("3 counts for 4 rays", [&] { count_hits(context(), accel, rays.span(), counts.span()); });
  fails("4 offsets for 4 rays, one more is needed",
        [&] { find_hits(context(), accel, rays.span(), offsets.span(), hits.span()); });
  fails("options.cull is 7", [&] { all_hits(context(), accel, rays.span(), {.cull = Cull(7)}); });
  fails("never built", [&] { all_hits(context(), Accel{}, rays.span()); });
  first_hits(context(), accel, BufferSpan<const Ray>(), {});
  first_hits(context(), accel, rays.span(), hits.span().first(64));
  EXPECT_TRUE(is_hit(hits.download()[0]));
  EXPECT_FALSE(is_hit(hits.download()[15])) << "without counts the rest are misses";
  EXPECT_EQ(all_hits(context(), accel, BufferSpan<const Ray>()).hits.size(), 0u);
}

COPSE_ON_EACH_BACKEND(AccelHits);

// Filters, on the host. Kernels call the same templates.

struct Counted {
  std::vector<u32> calls = std::vector<u32>(3000, 0);
  FilterAnswer answer = FilterAnswer::pass_over;
  u32 passed_geometry = invalid_id;

  FilterAnswer operator()(const Hit& hit) {
    ++calls[hit.geometry % 10 * 1000 + hit.primitive];
    return hit.geometry == passed_geometry ? FilterAnswer::pass_over : answer;
  }
};

class AccelFilters : public testing::Test {
 protected:
  AccelFilters()
      : meshes_(doubled_meshes()),
        scene_(context_, meshes_),
        accel_(build(context_, scene_.device())),
        rays_(rays_through(meshes_)) {
    context_.wait();
  }

  Context context_{{.backend = Backend::cpu}};
  std::vector<Mesh> meshes_;
  SceneOfViews scene_;
  Accel accel_;
  std::vector<Ray> rays_;
};

TEST_F(AccelFilters, AreCalledOncePerTriangle) {
  for (const Ray& ray : rays_) {
    Counted all;
    EXPECT_FALSE(any_hit(accel_.view(), ray, all));
    std::vector<u32> expected(3000, 0);
    for (const Hit& hit : slow_hits(scene_.host(), ray)) ++expected[hit.geometry % 10 * 1000 + hit.primitive];
    ASSERT_EQ(all.calls, expected) << test::text(ray);
    Counted closest;
    EXPECT_FALSE(is_hit(closest_hit<2>(accel_.view(), ray, closest)));
    ASSERT_EQ(closest.calls, expected) << "a small stack";
  }
}

TEST_F(AccelFilters, LeaveTheHitsThatTheyAccept) {
  for (const Ray& ray : rays_) {
    Counted passes{.answer = FilterAnswer::accept, .passed_geometry = 10};
    const std::vector<TriangleView> others(scene_.host().begin() + 1, scene_.host().end());
    const std::vector<Hit> expected = slow_hits(others, ray);
    const Hit closest = closest_hit(accel_.view(), ray, passes);
    ASSERT_EQ(is_hit(closest), !expected.empty());
    ASSERT_TRUE(expected.empty() || test::same_bits(closest, expected[0])) << test::text(ray);
    ASSERT_EQ(any_hit(accel_.view(), ray, passes), !expected.empty());
    const HitList<5> first = first_hits<5>(accel_.view(), ray, passes);
    ASSERT_EQ(first.count, std::min<size_t>(5, expected.size()));
    ASSERT_NO_FATAL_FAILURE(expect_list(expected, first.hits, first.count, ray));
    ASSERT_EQ(count_hits(accel_.view(), ray), slow_hits(scene_.host(), ray).size());
  }
}

TEST_F(AccelFilters, StopEndsTheSearchWithTheHit) {
  u32 hits = 0;
  for (const Ray& ray : rays_) {
    Counted stops{.answer = FilterAnswer::stop};
    const Hit hit = closest_hit(accel_.view(), ray, stops);
    u32 calls = 0;
    for (const u32 each : stops.calls) calls += each;
    ASSERT_EQ(calls, is_hit(hit) ? 1u : 0u);
    ASSERT_TRUE(!is_hit(hit) || stops.calls[hit.geometry % 10 * 1000 + hit.primitive] == 1);
    ASSERT_EQ(is_hit(hit), !slow_hits(scene_.host(), ray).empty());
    const HitList<4> list = first_hits<4>(accel_.view(), ray, stops);
    ASSERT_EQ(list.count, is_hit(hit) ? 1u : 0u);
    hits += is_hit(hit);
  }
  EXPECT_GT(hits, 100u);
}

}  // namespace
}  // namespace copse
