// Queries and rays through trees with splits give the answers of trees without: each triangle once, however many of
// its leaves they reach.

#include <gtest/gtest.h>

#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "queries/self_overlaps.h"
#include "tests/queries/query_answers.h"
#include "tests/support/backends.h"
#include "tests/trace/oracle.h"
#include "trace/trace_rays.h"

namespace copse {
namespace {

using test::Answers;
using test::ask;
using test::DeviceMesh;
using test::expect_same;

/// Boards and beams through the whole box, which are split often, between small triangles.
Mesh boards_and_dust(u32 count) {
  test::RayMaker make(7);
  Mesh mesh = generate_random(count, 0.03f);
  for (u32 i = 0; i < count / 4; ++i) {
    const vec3 from = make.point(0, 1), to = make.point(0, 1), aside = make.point(-0.1f, 0.1f);
    const u32 first = u32(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {from, to, from + aside});
    mesh.triangles.push_back(uvec3(first, first + 1, first + 2));
  }
  return mesh;
}

Mesh turned(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.x * 0.8f - p.y * 0.6f, p.x * 0.6f + p.y * 0.8f, p.z + 0.3f * p.x);
  return mesh;
}

/// Frusta are conservative: a triangle near the edges of one may be found although it is outside. A part of it is found
/// more rarely. So frusta find a part of what they find without splits, each triangle once.
void expect_same_but_for_frusta(Answers got, Answers expected, bool is_closed) {
  ASSERT_EQ(got.lists.size(), expected.lists.size());
  const size_t exact = got.lists.size() / 3 * 2;
  for (size_t i = exact; i < got.lists.size(); ++i) {
    const std::vector<u32>&part = got.lists[i], &whole = expected.lists[i];
    EXPECT_EQ(got.counts[i], part.size());
    EXPECT_TRUE(std::adjacent_find(part.begin(), part.end()) == part.end()) << i;
    EXPECT_TRUE(std::includes(whole.begin(), whole.end(), part.begin(), part.end())) << i;
    EXPECT_GE(part.size() * 2 + 2, whole.size()) << i;
  }
  for (Answers* answers : {&got, &expected}) {
    answers->lists.resize(exact);
    answers->counts.resize(exact);
  }
  expect_same(got, expected, is_closed);
}

using Pairs = std::vector<std::pair<u32, u32>>;

std::vector<AnyBuildOptions> builders(float splits, u32 max_leaf_size) {
  return {LbvhOptions{.max_leaf_size = max_leaf_size, .splits = splits},
          HplocOptions{.max_leaf_size = max_leaf_size, .splits = splits},
          SahOptions{.max_leaf_size = max_leaf_size, .splits = splits}};
}

class SplitQueries : public test::OnEachBackend {
 protected:
  /// Calls check(tree) with the binary tree and with wide trees of all layouts.
  template <class Check>
  void on_every_layout(const Bvh& bvh, const Check& check) {
    check(bvh);
    check(collapse<Bvh4>(context(), bvh));
    check(collapse<CompressedBvh4>(context(), bvh));
    if (bvh.max_leaf_size <= CompressedBvh8Node::max_leaf_primitives)
      check(collapse<CompressedBvh8>(context(), bvh));
  }

  /// Calls check(tree) with trees with splits of all builders and layouts, after reinsertion too.
  template <class Check>
  void on_every_tree(const TriangleViews& triangles, const Check& check) {
    for (const u32 max_leaf_size : {1u, 3u}) {
      for (const AnyBuildOptions& options : builders(2, max_leaf_size)) {
        Bvh bvh = build(context(), triangles, options);
        on_every_layout(bvh, check);
      }
    }
    Bvh bvh = build(context(), triangles, HplocOptions{.splits = 2});
    reinsert(context(), bvh, {.passes = 2});
    on_every_layout(bvh, check);
  }

  Pairs pairs_of(const Bvh& bvh, const TriangleViews& triangles, const SelfOverlapOptions& options) {
    Pairs pairs;
    for (const PrimitivePair& pair : self_overlaps(context(), bvh.view(), triangles, options).download()) {
      pairs.emplace_back(pair.first, pair.second);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }
};

TEST_P(SplitQueries, FindEachTriangleOnceOnEveryLayout) {
  for (const Mesh& mesh : {boards_and_dust(400), turned(generate_sphere(3)), turned(generate_cube())}) {
    const DeviceMesh device(context(), mesh);
    const bool is_closed = mesh.triangles.size() != 500;
    const Bvh plain = build(context(), device.view(), HplocOptions{});
    const std::vector<vec3> points = test::difficult_points(mesh, 300, 3);
    const Answers expected = ask(context(), plain.view(), device.view(), points);
    on_every_tree(device.view(), [&](const auto& tree) {
      expect_same_but_for_frusta(ask(context(), tree.view(), device.view(), points), expected, is_closed);
    });
  }
}

TEST_P(SplitQueries, FindEachTriangleOnceAfterARefit) {
  const Mesh mesh = boards_and_dust(400);
  const DeviceMesh device(context(), mesh), moved(context(), turned(mesh));
  Bvh plain = build(context(), moved.view(), HplocOptions{});
  const std::vector<vec3> points = test::difficult_points(turned(mesh), 200, 3);
  const Answers expected = ask(context(), plain.view(), moved.view(), points);
  Bvh bvh = build(context(), device.view(), LbvhOptions{.splits = 2});
  CompressedBvh4 wide = collapse<CompressedBvh4>(context(), bvh);
  refit(context(), bvh, moved.view());
  refit(context(), wide, moved.view());
  expect_same_but_for_frusta(ask(context(), bvh.view(), moved.view(), points), expected, false);
  expect_same_but_for_frusta(ask(context(), wide.view(), moved.view(), points), expected, false);
}

TEST_P(SplitQueries, FindEachPairOnce) {
  for (const Mesh& mesh : {boards_and_dust(400), turned(generate_hairball(20, 20))}) {
    const DeviceMesh device(context(), mesh);
    const Bvh plain = build(context(), device.view(), HplocOptions{});
    for (const SelfOverlapOptions& options : {SelfOverlapOptions{}, SelfOverlapOptions{.with_adjacent = true}}) {
      const Pairs expected = pairs_of(plain, device.view(), options);
      for (const u32 max_leaf_size : {1u, 5u}) {
        for (const AnyBuildOptions& builder : builders(3, max_leaf_size)) {
          const Bvh bvh = build(context(), device.view(), builder);
          EXPECT_GT(bvh.counts.download()[0].primitive_count, mesh.triangles.size());
          EXPECT_EQ(pairs_of(bvh, device.view(), options), expected);
        }
      }
    }
  }
}

TEST_P(SplitQueries, RefusePairsOfBoxesThatTheTreeDoesNotHave) {
  const DeviceMesh device(context(), boards_and_dust(40));
  const Bvh bvh = build(context(), device.view(), HplocOptions{.splits = 2});
  EXPECT_COPSE_ERROR(self_overlaps(context(), bvh.view(), device.view(), {.exact_triangles = false}),
                     ErrorCode::invalid_argument, "exact_triangles is false, but the tree has splits");
}

TEST_P(SplitQueries, RaysHitWhatTheyHitWithoutSplitsOnHardMeshes) {
  std::vector<test::NamedMesh> meshes = test::hard_meshes();
  meshes.push_back({"boards and dust", boards_and_dust(600)});
  meshes.push_back({"turned hairball", turned(generate_hairball(20, 30))});
  for (const test::NamedMesh& hard : meshes) {
    SCOPED_TRACE(hard.name);
    if (hard.mesh.triangles.empty()) continue;
    const DeviceMesh device(context(), hard.mesh);
    const std::vector<Ray> rays = test::difficult_rays(hard.mesh, 200, 5);
    const Buffer<Ray> device_rays(context(), rays);
    const auto hits_of = [&](const auto& tree) {
      Buffer<Hit> hits(context(), rays.size());
      closest_hits(context(), tree.view(), device.view(), device_rays.span(), hits.span());
      const std::vector<Hit> plain = hits.download();
      const PackedTriangles packed = pack_triangles(context(), tree.view(), device.view());
      closest_hits(context(), tree.view(), packed.view(), device_rays.span(), hits.span());
      EXPECT_TRUE(test::same_bytes(hits.download(), plain));
      return plain;
    };
    const std::vector<Hit> expected = hits_of(build(context(), device.view(), HplocOptions{}));
    on_every_tree(device.view(), [&](const auto& tree) {
      const std::vector<Hit> got = hits_of(tree);
      for (size_t i = 0; i < rays.size(); ++i) {
        ASSERT_TRUE(test::same_bits(got[i], expected[i])) << test::text(rays[i]) << test::text(expected[i]);
      }
    });
  }
}

/// Collects the hits of a ray.
struct CollectHits {
  std::vector<std::pair<u32, float>> hits;
  bool operator()(const Hit& hit) {
    hits.emplace_back(hit.primitive, hit.t);
    return true;
  }
};

TEST(SplitRays, AllHitsOfARayComeOnce) {
  Context context({.backend = Backend::cpu});
  const Mesh mesh = boards_and_dust(300);
  const DeviceMesh device(context, mesh);
  const Bvh plain = build(context, device.view(), HplocOptions{});
  const Bvh split = build(context, device.view(), HplocOptions{.splits = 3});
  ASSERT_GT(split.counts.download()[0].primitive_count, mesh.triangles.size());
  for (const Ray& ray : test::difficult_rays(mesh, 400, 9)) {
    CollectHits expected, got;
    all_hits(plain.view(), device.view(), ray, expected);
    all_hits(split.view(), device.view(), ray, got);
    ASSERT_EQ(got.hits, expected.hits) << test::text(ray);
  }
}

COPSE_ON_EACH_BACKEND(SplitQueries);

}  // namespace
}  // namespace copse
