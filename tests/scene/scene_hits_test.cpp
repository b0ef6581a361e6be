// First hits, all hits and filters through scenes find what brute force finds in the space of each mesh.

#include "scene/scene_hits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scene/scene_hit_view.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Models;

/// A hit in a scene, and its t as the mesh has it.
struct PlacedHit {
  SceneHit hit;
  float t_in_mesh;
};

/// All hits of all triangles of all instances, in order.
std::vector<SceneHit> slow_hits(const Models& models, const std::vector<Instance>& instances,
                                const std::vector<Aabb>& boxes, const Ray& ray, u32 mask = ~u32{0}) {
  std::vector<PlacedHit> placed;
  for (u32 i = 0; is_traceable(ray) && i < instances.size(); ++i) {
    detail::PlacedInstance instance{};
    if (is_empty(boxes[i]) || (instances[i].mask & mask) == 0) continue;
    EXPECT_TRUE(detail::Affine::of(&instances[i].rows[0][0]).store_inverse(instance.rows));
    const RayShear shear = make_shear(instance.into_mesh(ray, ray.t_max));
    if (!is_traceable(instance.into_mesh(ray, ray.t_max))) continue;
    const TriangleView view = test::host_view(models.meshes[instances[i].accel]);
    for (u32 k = 0; k < view.triangle_count(); ++k) {
      TriangleHit found;
      if (!intersect_triangle(shear, load_triangle(view, k), ray.t_min, ray.t_max, found)) continue;
      float t = found.t;
      if (!detail::bring_into_box(ray, boxes[i], t) || t > ray.t_max) continue;
      placed.push_back({{t, k, 7, found.u, found.v, i}, found.t});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedHit& a, const PlacedHit& b) {
    if (a.hit.t != b.hit.t) return a.hit.t < b.hit.t;
    if (a.hit.instance != b.hit.instance) return a.hit.instance < b.hit.instance;
    return a.t_in_mesh < b.t_in_mesh;
  });
  std::vector<SceneHit> hits;
  for (const PlacedHit& hit : placed) hits.push_back(hit.hit);
  return hits;
}

void expect_list(const std::vector<SceneHit>& expected, const SceneHit* hits, u64 count, const Ray& ray) {
  ASSERT_LE(count, expected.size());
  for (u64 i = 0; i < count; ++i) {
    ASSERT_TRUE(test::same_bits(hits[i], expected[i]))
        << test::text(ray) << ": hit " << i << ": " << test::text(hits[i]) << ", expected "
        << test::text(expected[i]);
  }
}

/// Instances that lie in each other, some of them twice, and rays through them.
struct Crowd {
  Models models;
  std::vector<Instance> instances;
  std::vector<Ray> rays;
  std::vector<Aabb> boxes;
  Scene scene;

  explicit Crowd(Context& context) : models(context, test::some_meshes()) {
    instances = test::random_instances(40, 4, 12, 0.8f);
    instances.push_back(instances[0]);
    instances.push_back(instances[2]);
    rays = test::difficult_rays(test::Flattened(models, instances).joined(), 250, 3);
    for (const Ray& ray : test::rays_that_are_none(rays[0])) rays.push_back(ray);
    scene = build(context, models.accels, instances);
    boxes = download(context, scene.boxes());
  }

  std::vector<SceneHit> hits(const Ray& ray, u32 mask = ~u32{0}) const {
    return slow_hits(models, instances, boxes, ray, mask);
  }
};

class SceneHits : public test::OnEachBackend {};

TEST_P(SceneHits, FirstHitsAreThoseOfBruteForceInItsOrder) {
  const Crowd crowd(context());
  const Buffer<Ray> rays(context(), crowd.rays);
  for (const u32 k : {1u, 5u, 16u}) {
    Buffer<SceneHit> hits(context(), std::vector<SceneHit>(k * rays.size(), {-7, 0, 0, 0, 0, 0}));
    Buffer<u32> counts(context(), rays.size());
    first_hits(context(), crowd.scene, rays.span(), hits.span(), counts.span(), {.mask = 3});
    const std::vector<SceneHit> found = hits.download();
    const std::vector<u32> each = counts.download();
    u32 full = 0;
    for (u32 i = 0; i < crowd.rays.size(); ++i) {
      const std::vector<SceneHit> expected = crowd.hits(crowd.rays[i], 3);
      ASSERT_EQ(each[i], std::min<u64>(k, expected.size())) << test::text(crowd.rays[i]);
      ASSERT_NO_FATAL_FAILURE(expect_list(expected, &found[i * k], each[i], crowd.rays[i]));
      for (u32 j = each[i]; j < k; ++j) ASSERT_EQ(found[i * k + j].t, -7) << "beyond the last hit";
      full += each[i] == k;
    }
    EXPECT_GT(full, 20u) << k;
  }
}

TEST_P(SceneHits, AllHitsAreThoseOfBruteForceAndBeginWithTheClosest) {
  const Crowd crowd(context());
  const Buffer<Ray> rays(context(), crowd.rays);
  const SceneHitLists lists = all_hits(context(), crowd.scene, rays.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<SceneHit> found = lists.hits.download();
  const std::vector<SceneHit> closest = test::trace(context(), crowd.scene, crowd.rays);
  for (u32 i = 0; i < crowd.rays.size(); ++i) {
    const std::vector<SceneHit> expected = crowd.hits(crowd.rays[i]);
    ASSERT_EQ(offsets[i + 1] - offsets[i], expected.size()) << test::text(crowd.rays[i]);
    ASSERT_NO_FATAL_FAILURE(expect_list(expected, &found[offsets[i]], expected.size(), crowd.rays[i]));
    ASSERT_TRUE(expected.empty() || test::same_bits(closest[i], expected[0]));
  }
  Buffer<u64> cut_offsets(context(), rays.size() + 1);
  Buffer<SceneHit> cut(context(), found.size() / 2 + 1);
  find_hits(context(), crowd.scene, rays.span(), cut_offsets.span(), cut.span());
  EXPECT_EQ(cut_offsets.download(), offsets);
  const std::vector<SceneHit> first_half = cut.download();
  for (u32 i = 0; i < first_half.size(); ++i) ASSERT_TRUE(test::same_bits(first_half[i], found[i])) << i;
  Buffer<u32> counts(context(), rays.size());
  count_hits(context(), crowd.scene, rays.span(), counts.span(), {.cull = Cull::back});
  Buffer<u32> others(context(), rays.size());
  count_hits(context(), crowd.scene, rays.span(), others.span(), {.cull = Cull::front});
  const std::vector<u32> front = counts.download(), back = others.download();
  for (u32 i = 0; i < front.size(); ++i) ASSERT_EQ(front[i] + back[i], offsets[i + 1] - offsets[i]);
}

TEST_P(SceneHits, RaysOfAnyLayoutGiveTheSame) {
  const Crowd crowd(context());
  struct Path {
    u32 pixel;
    Ray ray;
  };
  std::vector<Path> host_paths;
  std::vector<u32> host_masks;
  for (const Ray& ray : crowd.rays) {
    host_masks.push_back(u32(host_paths.size() % 8));
    host_paths.push_back({u32(host_paths.size()), ray});
  }
  const Buffer<Path> paths(context(), host_paths);
  const Buffer<u32> masks(context(), host_masks);
  const Buffer<Ray> rays(context(), crowd.rays);
  const RaySpan span = RaySpan::in_records(&paths.data()->ray, paths.size(), sizeof(Path));
  const SceneTraceOptions options{.masks = masks.span(), .mask = 5};
  Buffer<SceneHit> hits(context(), paths.size()), expected(context(), paths.size());
  Buffer<u8> occluded(context(), paths.size()), expected_occluded(context(), paths.size());
  closest_hits(context(), crowd.scene, rays.span(), expected.span(), options);
  closest_hits(context(), crowd.scene, span, hits.span(), options);
  any_hits(context(), crowd.scene, rays.span(), expected_occluded.span(), options);
  any_hits(context(), crowd.scene, span, occluded.span(), options);
  EXPECT_TRUE(test::same_bytes(hits.download(), expected.download()));
  EXPECT_EQ(occluded.download(), expected_occluded.download());
  EXPECT_TRUE(test::same_bytes(all_hits(context(), crowd.scene, span, options).hits.download(),
                               all_hits(context(), crowd.scene, rays.span(), options).hits.download()));
}

COPSE_ON_EACH_BACKEND(SceneHits);

struct PassesOver {
  u32 instance;
  u32 calls = 0;

  FilterAnswer operator()(const SceneHit& hit) {
    ++calls;
    return hit.instance == instance ? FilterAnswer::pass_over : FilterAnswer::accept;
  }
};

struct CountsAll {
  u32 calls = 0;

  FilterAnswer operator()(const SceneHit&) {
    ++calls;
    return FilterAnswer::pass_over;
  }
};

struct Collects {
  std::vector<SceneHit> hits;
  size_t at_most = ~size_t{0};

  bool operator()(const SceneHit& hit) {
    hits.push_back(hit);
    return hits.size() < at_most;
  }
};

TEST(SceneFilters, LeaveTheHitsThatTheyAccept) {
  Context context({.backend = Backend::cpu});
  const Crowd crowd(context);
  context.wait();
  const SceneView view = crowd.scene.view();
  for (const Ray& ray : crowd.rays) {
    const std::vector<SceneHit> all = crowd.hits(ray);
    CountsAll counts;
    ASSERT_FALSE(any_hit(view, ray, counts));
    ASSERT_EQ(counts.calls, all.size()) << test::text(ray);
    ASSERT_FALSE(is_hit(closest_hit<2>(view, ray, CountsAll{})));

    PassesOver filter{all.empty() ? 0 : all[0].instance};
    std::vector<SceneHit> expected;
    for (const SceneHit& hit : all) {
      if (hit.instance != filter.instance) expected.push_back(hit);
    }
    const SceneHit closest = closest_hit(view, ray, filter);
    ASSERT_TRUE(expected.empty() ? !is_hit(closest) : test::same_bits(closest, expected[0])) << test::text(ray);
    ASSERT_LE(filter.calls, all.size());
    ASSERT_EQ(any_hit(view, ray, filter), !expected.empty());
    const HitList<3, SceneHit> list = first_hits<3>(view, ray, filter);
    ASSERT_EQ(list.count, std::min<size_t>(3, expected.size()));
    ASSERT_NO_FATAL_FAILURE(expect_list(expected, list.hits, list.count, ray));

    Collects visited;
    all_hits(view, ray, visited);
    ASSERT_EQ(visited.hits.size(), all.size());
    ASSERT_NO_FATAL_FAILURE(expect_list(all, visited.hits.data(), all.size(), ray));
    Collects two{{}, 2};
    all_hits(view, ray, two);
    ASSERT_EQ(two.hits.size(), std::min<size_t>(2, all.size()));
    ASSERT_EQ(count_hits(view, ray), all.size());
  }
}

}  // namespace
}  // namespace copse
