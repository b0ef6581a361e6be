// Rays through scenes of scenes find what brute force finds when it goes down all paths to all triangles.

#include "scene/nested_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "primitives/core/graph.h"
#include "tests/scene/nested_oracle.h"
#include "tests/support/values.h"

namespace copse {
namespace {

using test::Grove;
using test::invalid;
using test::Models;
using test::same_bits;
using test::text;
using test::trace;

class NestedScenes : public test::OnEachBackend {};

TEST_P(NestedScenes, FindTheHitsOfBruteForceDownAllPaths) {
  for (const Quality quality : test::all_qualities) {
    const Grove grove(context(), {.quality = quality});
    EXPECT_EQ(grove.tree.level_count(), 3u);
    ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), name_of(quality)));
  }
}

TEST_P(NestedScenes, HaveTheSameHitsWhenTheyAreOpened) {
  const Grove grove(context(), {.opening = 6});
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "opened"));
}

TEST_P(NestedScenes, CompareMasksAndSidesOnEachLevel) {
  const Grove grove(context());
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "mask", {.mask = 2}));
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "back", {.cull = Cull::back}));
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "front", {.mask = 5, .cull = Cull::front}));
}

TEST_P(NestedScenes, ListHitsInTheOrderOfBruteForce) {
  const Grove grove(context(), {.opening = 3});
  const u32 k = 5;
  const Buffer<Ray> rays(context(), grove.rays);
  Buffer<NestedHit> hits(context(), k * rays.size());
  Buffer<u32> counts(context(), rays.size());
  first_hits(context(), grove.tree, rays.span(), hits.span());
  count_hits(context(), grove.tree, rays.span(), counts.span(), {.cull = Cull::back});
  const std::vector<NestedHit> first = hits.download();
  const std::vector<u32> fronts = counts.download();
  const NestedHitLists lists = all_hits(context(), grove.tree, rays.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<NestedHit> all = lists.hits.download();
  for (u32 i = 0; i < rays.size(); ++i) {
    const std::vector<NestedHit> expected = grove.hits(grove.rays[i]);
    ASSERT_EQ(offsets[i + 1] - offsets[i], expected.size()) << test::text(grove.rays[i]);
    for (u64 j = 0; j < expected.size(); ++j) {
      ASSERT_TRUE(same_bits(all[offsets[i] + j], expected[j])) << text(all[offsets[i] + j]);
    }
    for (u32 j = 0; j < k; ++j) {
      const NestedHit one = j < expected.size() ? expected[j] : NestedHit::miss(grove.rays[i].t_max);
      ASSERT_TRUE(same_bits(first[i * k + j], one)) << text(first[i * k + j]) << ", expected " << text(one);
    }
    ASSERT_EQ(fronts[i], grove.hits(grove.rays[i], ~u32{0}, Cull::back).size());
  }
  Buffer<u64> cut_offsets(context(), rays.size() + 1);
  Buffer<NestedHit> cut(context(), all.size() / 2 + 1);
  find_hits(context(), grove.tree, rays.span(), cut_offsets.span(), cut.span());
  EXPECT_EQ(cut_offsets.download(), offsets);
  const std::vector<NestedHit> first_half = cut.download();
  for (u32 i = 0; i < first_half.size(); ++i) ASSERT_TRUE(same_bits(first_half[i], all[i])) << i;
}

TEST_P(NestedScenes, HaveTheBitsOfFlattenedOnesWhereTransformsAreExact) {
  Mesh coarse = generate_sphere(2);
  for (vec3& p : coarse.positions) p = glm::round(p * 64.0f) / 64.0f;
  const Models models(context(), {coarse, generate_cube()});
  test::RayMaker random(3);
  const auto some = [&](u32 count, float spread) {
    std::vector<Instance> instances;
    for (u32 i = 0; i < count; ++i) {
      Instance instance = Instance::of(glm::mat4x3(std::ldexp(1.0f, int(i % 3) - 1)), i % 2);
      for (auto& row : instance.rows) row[3] = std::round(random.uniform(-spread, spread));
      instances.push_back(instance);
    }
    return instances;
  };
  const std::vector<Instance> low = some(5, 3), middle = some(5, 6), high = some(4, 9);
  const Scene a = build(context(), models.accels, low);
  const NestedScene b = build_nested(context(), {a, a}, middle);
  const NestedScene c = build_nested(context(), {b, b}, high);
  std::vector<Instance> flat;  // in the order of paths
  for (const Instance& top : high) {
    for (const Instance& between : middle) {
      for (Instance one : low) {
        for (const Instance* above : {&between, &top}) {
          for (auto& row : one.rows) {
            const int axis = int(&row - one.rows);
            for (float& number : row) number *= above->rows[0][0];
            row[3] += above->rows[axis][3];
          }
        }
        flat.push_back(one);
      }
    }
  }
  std::vector<Ray> rays;
  for (u32 i = 0; i < 1500; ++i) {
    rays.push_back({glm::round(random.point(-20, 20) * 16.0f) / 16.0f, 0, random.point(-1, 1), infinity});
  }
  const std::vector<SceneHit> expected = test::trace(context(), build(context(), models.accels, flat), rays);
  const std::vector<NestedHit> hits = trace(context(), c, rays);
  u32 hit_count = 0;
  for (u32 i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(test::same_bits(NestedSceneView::in_mesh(hits[i]), SceneView::in_mesh(expected[i])))
        << test::text(rays[i]) << ": " << text(hits[i]) << ", expected " << test::text(expected[i]);
    if (!is_hit(hits[i])) continue;
    ++hit_count;
    ASSERT_EQ((hits[i].path[0] * 5 + hits[i].path[1]) * 5 + hits[i].path[2], expected[i].instance);
  }
  EXPECT_GT(hit_count, 200u);
}

TEST_P(NestedScenes, OfAccelsAloneHaveTheHitsOfAScene) {
  const Models models(context(), test::some_meshes());
  const std::vector<Instance> instances = test::random_instances(60, 4, 11);
  const std::vector<Ray> rays = test::difficult_rays(test::Flattened(models, instances).joined(), 600, 7);
  const std::vector<SceneHit> expected = test::trace(context(), build(context(), models.accels, instances), rays);
  const NestedScene scene =
      build_nested(context(), {models.accels[0], models.accels[1], models.accels[2], models.accels[3]}, instances);
  EXPECT_EQ(scene.level_count(), 1u);
  const std::vector<NestedHit> hits = trace(context(), scene, rays);
  for (u32 i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(test::same_bits(NestedSceneView::in_mesh(hits[i]), SceneView::in_mesh(expected[i])));
    ASSERT_EQ(hits[i].path[0], expected[i].instance);
    ASSERT_EQ(hits[i].path[1], invalid_id);
  }
}

TEST_P(NestedScenes, FollowPartsThatMoveInOneCapturedGraph) {
  Grove grove(context());
  Buffer<Instance> twigs(context(), grove.slow_twig.instances), branches(context(), grove.slow_branch.instances),
      trees(context(), grove.slow_tree.instances);
  const auto frame = [&] {
    refit(context(), grove.twig, InstanceView::of(twigs.span()));
    rebuild(context(), grove.branch, InstanceView::of(branches.span()));
    refit(context(), grove.tree, InstanceView::of(trees.span()));
  };
  frame();
  Graph graph = context().capture(frame);
  for (auto* slow : {&grove.slow_twig, &grove.slow_branch, &grove.slow_tree}) {
    for (Instance& instance : slow->instances) instance.rows[1][3] += 0.7f;
  }
  twigs.upload(grove.slow_twig.instances);
  branches.upload(grove.slow_branch.instances);
  trees.upload(grove.slow_tree.instances);
  graph.launch();
  grove.read_boxes(context());
  grove.make_rays();
  ASSERT_NO_FATAL_FAILURE(grove.expect_hits(context(), "moved"));
}

TEST_P(NestedScenes, HaveUpTo7LevelsAndKnownSizes) {
  const Models models(context(), {generate_cube()});
  const std::vector<Ray> rays{{{0.1f, 0.2f, 9}, 0, {0, 0, -1}, infinity}};
  std::vector<std::unique_ptr<NestedScene>> levels;
  for (u32 level = 1; level <= max_instance_levels; ++level) {
    std::vector<Instance> one(level);
    for (Instance& instance : one) instance.rows[0][3] = 100;  // out of the way
    one[level - 1].rows[0][3] = 0;
    one[level - 1].id = 10 + level;
    const std::vector<ScenePart> parts{levels.empty() ? ScenePart(models.accels[0]) : ScenePart(*levels.back())};
    const BuildSizes sizes = nested_sizes(context(), level, 1, {});
    levels.push_back(std::make_unique<NestedScene>(build_nested(context(), parts, one)));
    EXPECT_EQ(levels.back()->size_bytes(), sizes.result_bytes);
    const NestedHit hit = trace(context(), *levels.back(), rays)[0];
    ASSERT_EQ(hit.path_length(), level);
    for (u32 k = 0; k < level; ++k) EXPECT_EQ(hit.path[k], level - 1 - k);
    EXPECT_EQ(hit.t, 8);
    if (GetParam() == Backend::cuda) continue;
    context().wait();
    EXPECT_EQ(levels.back()->view().id_of(hit, 0), 10 + level);
    EXPECT_EQ(levels.back()->view().id_of(hit), 11u);
  }
  EXPECT_COPSE_ERROR(build_nested(context(), {*levels.back()}, std::vector<Instance>(1)), ErrorCode::capacity,
                     "part 0 has 7 levels of instances, so that this scene would have one more; it can have 7");
}

TEST_P(NestedScenes, RefuseWhatTheyCannotUse) {
  Grove grove(context());
  NestedScene none;
  EXPECT_COPSE_ERROR(build_nested(context(), {none}, std::vector<Instance>(1)), invalid,
                     "build_nested: the scene was never built");
  EXPECT_COPSE_ERROR(build_nested(context(), {Scene()}, std::vector<Instance>(1)), invalid, "never built");
  std::vector<Instance> wrong(2);
  wrong[1].accel = 3;
  EXPECT_COPSE_ERROR(build_nested(context(), {grove.twig, grove.branch}, wrong), invalid,
                     "build_nested: instance 1 is of part 3, but the scene has 2 parts");
  EXPECT_COPSE_ERROR(build_nested(context(), {grove.twig}, std::vector<Instance>(1), {.opening = 65}), invalid,
                     "build_nested: options.opening is 65");
  const Buffer<Ray> rays(context(), 3);
  Buffer<NestedHit> hits(context(), 2);
  EXPECT_COPSE_ERROR(closest_hits(context(), none, rays.span(), hits.span()), invalid, "never built");
  EXPECT_COPSE_ERROR(closest_hits(context(), grove.tree, rays.span(), hits.span()), invalid, "2 results");
  EXPECT_COPSE_ERROR(rebuild(context(), none, InstanceView{}), invalid, "rebuild: the scene was never built");
}

COPSE_ON_EACH_BACKEND(NestedScenes);

struct SkipsPath {
  u32 first;
  u32 calls = 0;

  FilterAnswer operator()(const NestedHit& hit) {
    ++calls;
    return hit.path[0] == first ? FilterAnswer::pass_over : FilterAnswer::accept;
  }
};

struct CollectsNested {
  std::vector<NestedHit> hits;

  bool operator()(const NestedHit& hit) {
    hits.push_back(hit);
    return true;
  }
};

TEST(NestedFilters, LeaveTheHitsThatTheyAccept) {
  Context context({.backend = Backend::cpu});
  const Grove grove(context);
  context.wait();
  const NestedSceneView view = grove.tree.view();
  for (const Ray& ray : grove.rays) {
    const std::vector<NestedHit> all = grove.hits(ray);
    SkipsPath filter{all.empty() ? 0 : all[0].path[0]};
    std::vector<NestedHit> expected;
    for (const NestedHit& hit : all) {
      if (hit.path[0] != filter.first) expected.push_back(hit);
    }
    const NestedHit closest = closest_hit<2>(view, ray, filter);
    ASSERT_TRUE(expected.empty() ? !is_hit(closest) : same_bits(closest, expected[0])) << test::text(ray);
    ASSERT_EQ(any_hit(view, ray, filter), !expected.empty());
    const HitList<3, NestedHit> list = first_hits<3>(view, ray, filter);
    ASSERT_EQ(list.count, std::min<size_t>(3, expected.size()));
    for (u32 i = 0; i < list.count; ++i) ASSERT_TRUE(same_bits(list.hits[i], expected[i]));
    CollectsNested visited;
    all_hits(view, ray, visited);
    ASSERT_EQ(visited.hits.size(), all.size());
    for (u32 i = 0; i < all.size(); ++i) ASSERT_TRUE(same_bits(visited.hits[i], all[i]));
    ASSERT_EQ(count_hits(view, ray), all.size());
    ASSERT_EQ(is_hit(closest_hit(view, ray)), any_hit(view, ray));
  }
}

}  // namespace
}  // namespace copse
