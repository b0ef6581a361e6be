#include "queries/self_overlaps.h"

#include <gtest/gtest.h>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/io/mesh_file.h"
#include "tests/queries/query_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

using Pairs = std::vector<std::pair<u32, u32>>;

Pairs sorted(const std::vector<PrimitivePair>& pairs) {
  Pairs result;
  for (const PrimitivePair& pair : pairs) result.emplace_back(pair.first, pair.second);
  std::sort(result.begin(), result.end());
  return result;
}

/// All pairs of primitives that overlap by Shapes.
template <class Shapes>
Pairs brute_force_pairs(const Shapes& shapes, u32 count) {
  Pairs pairs;
  for (u32 i = 0; i < count; ++i) {
    const auto a = shapes.load(i);
    const Aabb box = shapes.box(a);
    for (u32 j = i + 1; j < count; ++j) {
      const auto b = shapes.load(j);
      if (is_empty(box) || is_empty(shapes.box(b)) || is_empty(intersection(box, shapes.box(b)))) continue;
      if (shapes.touch(a, b)) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

std::vector<SelfOverlapOptions> all_options() {
  return {
      {}, {.with_adjacent = true}, {.exact_triangles = false}, {.exact_triangles = false, .with_adjacent = true}};
}

class SelfOverlaps : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const Mesh& mesh, const SelfOverlapOptions& options) {
    const DeviceMesh device(context(), mesh);
    const OverlappingTriangles shapes{TriangleTable::of(host_view(mesh)), options};
    const Pairs expected = brute_force_pairs(shapes, u32(mesh.triangles.size()));
    for (u32 leaf_size : {1, 5}) {
      const Bvh bvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = leaf_size});
      const Buffer<PrimitivePair> pairs = self_overlaps(context(), bvh.view(), device.view(), options);
      ASSERT_EQ(sorted(pairs.download()), expected);
      expect_part(bvh, device.view(), options, pairs.download());
    }
    const Bvh bvh = build(context(), device.view(), HplocOptions{});
    ASSERT_EQ(sorted(self_overlaps(context(), bvh.view(), device.view(), options).download()), expected);
  }

  /// With too little room, the total is right and the pairs that fit are there.
  void expect_part(const Bvh& bvh, const TriangleView& triangles, const SelfOverlapOptions& options,
                   const std::vector<PrimitivePair>& all) {
    const u64 room = all.size() / 3;
    const PrimitivePair mark{12345, 54321};
    Buffer<PrimitivePair> some(context(), std::vector<PrimitivePair>(room + 1, mark));
    Buffer<u64> total(context(), 1);
    find_self_overlaps(context(), bvh.view(), triangles, options, some.span().first(room), total.span());
    ASSERT_EQ(total.download()[0], all.size());
    std::vector<PrimitivePair> got = some.download();
    ASSERT_EQ(got[room].first, mark.first);
    got.resize(room);
    ASSERT_TRUE(test::same_bytes(got, std::vector<PrimitivePair>(all.begin(), all.begin() + i64(room))));
  }
};

TEST_P(SelfOverlaps, FindThePairsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    if (hard.mesh.triangles.size() > 1200) continue;
    for (const SelfOverlapOptions& options : all_options()) expect_brute_force_on(hard.mesh, options);
  }
}
TEST_P(SelfOverlaps, FindThePairsOfBruteForceAmongRandomTriangles) {
  for (const SelfOverlapOptions& options : all_options())
    expect_brute_force_on(generate_random(900, 0.2f), options);
}
TEST_P(SelfOverlaps, FindThePairsOfBruteForceInAHairballLarge) {
  expect_brute_force_on(generate_hairball(60, 30), {});
}

TEST_P(SelfOverlaps, AClosedSphereTouchesItselfAtNeighboursAlone) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  EXPECT_EQ(self_overlaps(context(), bvh.view(), device.view()).size(), 0u);
  // 12 corners belong to 5 triangles, the others to 6. So a triangle has 12 neighbours at its corners, or 11 if
  // one of them belongs to 5.
  const u64 triangle_count = mesh.triangles.size();
  EXPECT_EQ(self_overlaps(context(), bvh.view(), device.view(), {.with_adjacent = true}).size(),
            (12 * triangle_count - 60) / 2);
}

TEST_P(SelfOverlaps, BoxesOfYourOwnMeet) {
  std::vector<Aabb> boxes;
  test::RayMaker make(1);
  for (int i = 0; i < 800; ++i) {
    const vec3 lo = make.point(0, 1);
    boxes.push_back({lo, lo + make.point(0, 0.1f)});
  }
  boxes[5].lo.x = std::numeric_limits<float>::quiet_NaN();
  boxes[6] = {vec3(1), vec3(0)};
  boxes[7] = {vec3(0.5f), vec3(0.5f)};
  boxes[8] = {vec3(0.5f), vec3(0.6f)};
  boxes[9] = {vec3(0.6f), vec3(0.7f)};  // at a corner of the one before
  const Buffer<Aabb> buffer(context(), boxes);
  const Pairs expected = brute_force_pairs(OverlappingBoxes{boxes.data()}, u32(boxes.size()));
  EXPECT_TRUE(std::binary_search(expected.begin(), expected.end(), std::pair<u32, u32>(8, 9)));
  for (u32 leaf_size : {1, 4}) {
    const Bvh bvh = build(context(), BoxView{buffer.span()}, LbvhOptions{.max_leaf_size = leaf_size});
    EXPECT_EQ(sorted(self_overlaps(context(), bvh.view(), BoxView{buffer.span()}).download()), expected);
    Buffer<PrimitivePair> pairs(context(), expected.size());
    Buffer<u64> total(context(), 1);
    find_self_overlaps(context(), bvh.view(), BoxView{buffer.span()}, pairs.span(), total.span());
    EXPECT_EQ(sorted(pairs.download()), expected);
  }
}

TEST_P(SelfOverlaps, GeometriesCollideWithEachOther) {
  const Mesh first = generate_sphere(2);
  Mesh second = first;
  for (vec3& p : second.positions) p += vec3(1.2f, 0.1f, 0.07f);
  const DeviceMesh a(context(), first), b(context(), second);
  const std::vector<TriangleView> views = {a.view(), b.view()};
  const Bvh bvh = build(context(), views, LbvhOptions{.max_leaf_size = 2});
  const std::vector<PrimitivePair> pairs = self_overlaps(context(), bvh.view(), views).download();
  EXPECT_GT(pairs.size(), 20u);
  const u32 border = u32(first.triangles.size());
  for (const PrimitivePair& pair : pairs) EXPECT_TRUE(pair.first < border && pair.second >= border);
}

TEST_P(SelfOverlaps, ChainsDeeperThanTheStackAreWalkedWhole) {
  const Mesh mesh = generate_random(300, 0.2f);
  const DeviceMesh device(context(), mesh);
  const test::UploadedBvh chain(context(), test::build_host_bvh(host_view(mesh), 1, test::HostSplit::chain));
  const OverlappingTriangles shapes{TriangleTable::of(host_view(mesh)), {}};
  EXPECT_EQ(sorted(self_overlaps(context(), chain.view(), device.view()).download()),
            brute_force_pairs(shapes, u32(mesh.triangles.size())));
}

TEST_P(SelfOverlaps, LeaveOutWhatARefitFindsInvalid) {
  Mesh mesh = generate_random(300, 0.3f);
  Bvh bvh = build(context(), DeviceMesh(context(), mesh).view(), LbvhOptions{.max_leaf_size = 3});
  for (u32 i = 0; i < 900; i += 33) mesh.positions[i].y = std::numeric_limits<float>::quiet_NaN();
  const DeviceMesh moved(context(), mesh);
  refit(context(), bvh, moved.view());
  const OverlappingTriangles shapes{TriangleTable::of(host_view(mesh)), {}};
  EXPECT_EQ(sorted(self_overlaps(context(), bvh.view(), moved.view()).download()), brute_force_pairs(shapes, 300));
}

TEST_P(SelfOverlaps, RefuseSpansThatDoNotFit) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  Buffer<PrimitivePair> pairs(context(), 10);
  EXPECT_COPSE_ERROR(find_self_overlaps(context(), bvh.view(), device.view(), {}, pairs.span(), {}),
                     ErrorCode::invalid_argument, "total has 0 elements");
  const BufferSpan<u64> inside(reinterpret_cast<u64*>(pairs.data()) + 2, 1);
  EXPECT_COPSE_ERROR(find_self_overlaps(context(), bvh.view(), device.view(), {}, pairs.span(), inside),
                     ErrorCode::invalid_argument, "overlap");
  EXPECT_COPSE_ERROR(self_overlaps(context(), BvhView{}, device.view()), ErrorCode::invalid_argument, "0 nodes");
}

COPSE_ON_EACH_BACKEND(SelfOverlaps);

TEST(SelfOverlapsOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const Mesh& mesh : {generate_random(5000, 0.1f), load_mesh("assets/testball.ply")}) {
    for (const SelfOverlapOptions& options : all_options()) {
      std::vector<PrimitivePair> pairs[2];
      for (Backend backend : {Backend::cpu, Backend::cuda}) {
        Context context({.backend = backend});
        const DeviceMesh device(context, mesh);
        const Bvh bvh = build(context, device.view(), LbvhOptions{.max_leaf_size = 2});
        pairs[backend == Backend::cuda] = self_overlaps(context, bvh.view(), device.view(), options).download();
      }
      EXPECT_TRUE(test::same_bytes(pairs[0], pairs[1]));
    }
  }
}

}  // namespace
}  // namespace copse
