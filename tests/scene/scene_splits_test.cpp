// Scenes over accels with splits give the answers of scenes over accels without, bit for bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "scene/nested_queries.h"
#include "scene/nested_rays.h"
#include "scene/scene_hits.h"
#include "scene/scene_queries.h"
#include "tests/queries/query_oracle.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

/// Boards through the whole box between small triangles, and a closed mesh.
std::vector<Mesh> meshes_to_split() {
  test::RayMaker make(5);
  Mesh boards = generate_random(60, 0.1f);
  for (u32 i = 0; i < 60; ++i) {
    const vec3 from = make.point(0, 1), to = make.point(0, 1), aside = make.point(-0.2f, 0.2f);
    const u32 first = u32(boards.positions.size());
    boards.positions.insert(boards.positions.end(), {from, to, from + aside});
    boards.triangles.push_back(uvec3(first, first + 1, first + 2));
  }
  return {boards, generate_cube(), boards};
}

/// Instances in each other, one of them twice.
std::vector<Instance> crowded() {
  std::vector<Instance> instances = test::random_instances(12, 3, 4, 0.8f);
  instances.push_back(instances[0]);
  return instances;
}

struct SplitScene {
  test::Models models;
  Scene scene;
  NestedScene nested;  // the scene in two places, and a mesh beside it

  SplitScene(Context& context, float splits, float opening) : models(context, meshes_to_split()) {
    for (u32 i = 0; i < models.meshes.size(); ++i) {
      models.accels[i] = build(context, models.device[i].view(7), AccelOptions{.splits = splits});
    }
    scene = build(context, models.accels, crowded(), {.opening = opening});
    nested =
        build_nested(context, {scene, models.accels[0]}, test::random_instances(4, 2, 3, 1), {.opening = opening});
  }

  std::vector<Ray> rays() const {
    std::vector<Ray> all = test::difficult_rays(test::Flattened(models, crowded()).joined(), 150, 3);
    test::RayMaker make(8);
    for (u32 i = 0; i < 150; ++i) {
      const vec3 from = make.point(-3, 3);
      all.push_back({from, 0, make.point(-1, 1) - from, infinity});
    }
    return all;
  }
};

template <class T>
bool same_records(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class SceneSplits : public test::OnEachBackend {
 protected:
  template <class HitType, class Lists, class SceneType>
  void expect_same_rays(const SceneType& split, const SceneType& plain, const std::vector<Ray>& all) {
    const Buffer<Ray> rays(context(), all);
    Buffer<HitType> got(context(), rays.size()), expected(context(), rays.size());
    closest_hits(context(), split, rays.span(), got.span());
    closest_hits(context(), plain, rays.span(), expected.span());
    EXPECT_TRUE(same_records(got.download(), expected.download()));
    Buffer<HitType> first(context(), 4 * rays.size()), expected_first(context(), 4 * rays.size());
    first_hits(context(), split, rays.span(), first.span());
    first_hits(context(), plain, rays.span(), expected_first.span());
    EXPECT_TRUE(same_records(first.download(), expected_first.download()));
    const Lists lists = all_hits(context(), split, rays.span());
    const Lists expected_lists = all_hits(context(), plain, rays.span());
    EXPECT_EQ(lists.offsets.download(), expected_lists.offsets.download());
    EXPECT_TRUE(same_records(lists.hits.download(), expected_lists.hits.download()));
    EXPECT_GT(lists.hits.size(), 500u);
  }

  std::vector<std::vector<std::pair<u32, u32>>> overlaps(const Scene& scene, const std::vector<Sphere>& spheres) {
    const Buffer<Sphere> regions(context(), spheres);
    const SceneOverlapLists lists = all_overlaps<Sphere>(context(), scene, regions.span());
    const std::vector<u64> offsets = lists.offsets.download();
    const std::vector<SceneOverlap> all = lists.overlaps.download();
    std::vector<std::vector<std::pair<u32, u32>>> sorted(spheres.size());
    for (size_t i = 0; i < spheres.size(); ++i) {
      for (u64 k = offsets[i]; k < offsets[i + 1]; ++k) sorted[i].emplace_back(all[k].instance, all[k].primitive);
      std::sort(sorted[i].begin(), sorted[i].end());
    }
    return sorted;
  }
};

TEST_P(SceneSplits, HaveTheHitsOfThoseWithout) {
  const SplitScene plain(context(), 1, 1);
  for (const float opening : {1.0f, 4.0f}) {
    const SplitScene split(context(), 3, opening);
    expect_same_rays<SceneHit, SceneHitLists>(split.scene, plain.scene, plain.rays());
    expect_same_rays<NestedHit, NestedHitLists>(split.nested, plain.nested, plain.rays());
  }
}

TEST_P(SceneSplits, AnswerQueriesAsThoseWithout) {
  const SplitScene plain(context(), 1, 1), split(context(), 3, 4);
  test::RayMaker make(6);
  std::vector<vec3> points;
  std::vector<Sphere> spheres;
  for (u32 i = 0; i < 100; ++i) {
    points.push_back(make.point(-2, 2));
    spheres.push_back({points.back(), 0.4f});
  }
  const Buffer<vec3> queries(context(), points);
  Buffer<SceneNearest> nearest(context(), 100), expected_nearest(context(), 100);
  Buffer<SceneNeighbour> near(context(), 600), expected_near(context(), 600);
  nearest_points(context(), split.scene, queries.span(), nearest.span());
  nearest_points(context(), plain.scene, queries.span(), expected_nearest.span());
  nearest_primitives(context(), split.scene, queries.span(), near.span());
  nearest_primitives(context(), plain.scene, queries.span(), expected_near.span());
  EXPECT_TRUE(same_records(nearest.download(), expected_nearest.download()));
  EXPECT_TRUE(same_records(near.download(), expected_near.download()));
  EXPECT_EQ(overlaps(split.scene, spheres), overlaps(plain.scene, spheres));
  Buffer<NestedNeighbour> nested(context(), 600), expected_nested(context(), 600);
  nearest_primitives(context(), split.nested, queries.span(), nested.span());
  nearest_primitives(context(), plain.nested, queries.span(), expected_nested.span());
  EXPECT_TRUE(same_records(nested.download(), expected_nested.download()));
}

COPSE_ON_EACH_BACKEND(SceneSplits);

}  // namespace
}  // namespace copse
