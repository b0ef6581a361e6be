// Properties of every builder of binary trees.

#include <array>
#include <set>
#include <stop_token>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

/// A builder by its options.
struct TreeBuilder {
  const char* name;
  AnyBuildOptions defaults;

  AnyBuildOptions options(u32 max_leaf_size) const {
    AnyBuildOptions result = defaults;
    std::visit([&](auto& chosen) { chosen.max_leaf_size = max_leaf_size; }, result);
    return result;
  }
};

const std::array tree_builders{TreeBuilder{"lbvh", LbvhOptions{}}, TreeBuilder{"hploc", HplocOptions{}},
                               TreeBuilder{"sah", SahOptions{}}};

class EveryBuilder : public OnEachRow<TreeBuilder> {
 protected:
  static const TreeBuilder& builder() { return row(); }

  Bvh build(const TriangleViews& triangles, u32 max_leaf_size = 1) {
    return copse::build(context(), triangles, builder().options(max_leaf_size));
  }
  Bvh build(const BoxView& boxes) { return copse::build(context(), boxes, builder().options(1)); }
  void rebuild(Bvh& bvh, const TriangleViews& triangles, u32 max_leaf_size = 1) {
    copse::rebuild(context(), bvh, triangles, builder().options(max_leaf_size));
  }

  template <class Primitives>
  void expect_valid(const Bvh& bvh, const Primitives& primitives, const std::string& what = "") {
    const ValidationReport report = validate(context(), bvh, primitives);
    EXPECT_TRUE(report.is_valid()) << what << ": " << report.message();
  }
};

COPSE_ON_EACH_ROW(EveryBuilder, TreeBuilder, tree_builders);

TEST_P(EveryBuilder, MakesValidTreesOfHardMeshes) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (u32 leaf : {1, 3, 8}) {
      const Bvh bvh = build(mesh.view(), leaf);
      expect_valid(bvh, mesh.view(), hard.name);
      const BvhCounts counts = bvh.counts.download()[0];
      EXPECT_EQ(counts.invalid_count, hard.invalid_count) << hard.name;
      EXPECT_EQ(counts.primitive_count + counts.invalid_count, hard.mesh.triangles.size()) << hard.name;
      for (const BvhNode& node : BvhCopy(bvh).nodes) ASSERT_LE(node.count, leaf) << hard.name;
    }
  }
}

TEST_P(EveryBuilder, MakesValidTreesOfEverySizeAroundWarpsTilesAndChunks) {
  for (u32 n : {1,   2,   15,  16,  17,   18,   31,   32,   33,   47,   48,   49,   63,   64,   65,
                95,  96,  97,  127, 128,  129,  130,  191,  192,  193,  255,  256,  257,  383,  384,
                385, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8193}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.05f));
    expect_valid(build(mesh.view()), mesh.view(), std::to_string(n));
  }
}

TEST_P(EveryBuilder, PutsEveryPrimitiveIntoOneLeaf) {
  const DeviceMesh mesh(context(), generate_random(5000, 0.05f));
  const BvhCopy tree(build(mesh.view(), 3));
  std::multiset<u32> seen;
  for (const BvhNode& node : tree.nodes) {
    for (u32 k = 0; k < node.count; ++k) seen.insert(tree.primitive_ids[node.first + k]);
  }
  ASSERT_EQ(seen.size(), 5000u);
  for (u32 i = 0; i < 5000; ++i) EXPECT_EQ(seen.count(i), 1u);
}

TEST_P(EveryBuilder, GivesTheSameBytesInAHundredRuns) {
  const DeviceMesh mesh(context(), generate_random(30000, 0.02f));
  const BvhCopy first(build(mesh.view()));
  for (int repeat = 0; repeat < 100; ++repeat) {
    ASSERT_TRUE(same_bytes(first, BvhCopy(build(mesh.view())))) << "run " << repeat;
  }
}

TEST_P(EveryBuilder, TakesStrideShortIndicesAndNoIndices) {
  const Mesh host = generate_sphere(3);
  const DeviceMesh plain(context(), host);
  const BvhCopy expected(build(plain.view()));

  std::vector<float> records;
  for (const vec3& p : host.positions) records.insert(records.end(), {p.x, p.y, p.z, -1, -2});
  const Buffer<float> record_buffer(context(), records);
  const PositionSpan strided(reinterpret_cast<const vec3*>(record_buffer.data()), host.positions.size(), 20);
  const TriangleView with_stride{.positions = strided, .triangles = plain.triangles.span()};
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build(with_stride))));

  std::vector<glm::u16vec3> short_indices(host.triangles.begin(), host.triangles.end());
  const Buffer<glm::u16vec3> short_buffer(context(), short_indices);
  const TriangleView with_short{.positions = plain.positions.span(), .triangles = short_buffer.span()};
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build(with_short))));

  std::vector<vec3> corners;
  for (const uvec3& t : host.triangles) {
    corners.insert(corners.end(), {host.positions[t.x], host.positions[t.y], host.positions[t.z]});
  }
  const Buffer<vec3> soup(context(), corners);
  EXPECT_TRUE(same_bytes(expected, BvhCopy(build(TriangleView{.positions = soup.span()}))));
}

TEST_P(EveryBuilder, NumbersSeveralViewsAsOne) {
  const DeviceMesh whole(context(), generate_random(1000, 0.1f));
  const BvhCopy expected(build(whole.view()));

  // Twenty views of uneven size, some empty: more than fit in one launch.
  std::vector<TriangleView> views;
  for (u64 part = 0, begin = 0; part < 20; ++part) {
    const u64 end = part == 19 ? 1000 : begin + (part % 4 == 2 ? 0 : 10 * part);
    views.push_back({.positions = whole.positions.span(),
                     .triangles = whole.triangles.span().subspan(begin, end - begin),
                     .geometry = u32(part)});
    begin = end;
  }
  const Bvh bvh = build(views);
  EXPECT_TRUE(same_bytes(expected, BvhCopy(bvh)));
  expect_valid(bvh, views);
}

TEST_P(EveryBuilder, MakesTheSameTreeOfTrianglesAndOfTheirBoxes) {
  const Mesh host = generate_random(3000, 0.05f);
  std::vector<Aabb> boxes;
  for (const uvec3& t : host.triangles) {
    boxes.push_back(bounds(Triangle{clean_point(host.positions[t.x]), clean_point(host.positions[t.y]),
                                    clean_point(host.positions[t.z])}));
  }
  const DeviceMesh mesh(context(), host);
  const Buffer<Aabb> box_buffer(context(), boxes);
  const Bvh bvh = build(BoxView{box_buffer.span()});
  EXPECT_TRUE(same_bytes(BvhCopy(build(mesh.view())), BvhCopy(bvh)));
  expect_valid(bvh, BoxView{box_buffer.span()});
}

TEST_P(EveryBuilder, LeavesOutInvertedAndInfiniteBoxes) {
  std::vector<Aabb> boxes(100, Aabb{vec3(0), vec3(1)});
  boxes[3] = {vec3(1), vec3(0)};
  boxes[50] = Aabb::empty();
  boxes[60].hi.y = infinity;
  boxes[99].lo.z = std::numeric_limits<float>::quiet_NaN();
  const Buffer<Aabb> buffer(context(), boxes);
  const Bvh bvh = build(BoxView{buffer.span()});
  EXPECT_EQ(bvh.counts.download()[0].invalid_count, 4u);
  expect_valid(bvh, BoxView{buffer.span()});
}

TEST_P(EveryBuilder, MakesAValidTreeOfFlatBoxesOverTheWholeRange) {
  // Their extents overflow, and infinity times the flat side's zero is no number.
  const float most = std::numeric_limits<float>::max();
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < 3000; ++i) {
    boxes.push_back({vec3(-most, float(i % 3), i % 7 == 0 ? most : -most), vec3(most, float(i % 3), most)});
  }
  const Buffer<Aabb> buffer(context(), boxes);
  expect_valid(build(BoxView{buffer.span()}), BoxView{buffer.span()});
}

TEST_P(EveryBuilder, MakesTreesThatRefitFits) {
  const Mesh host = generate_random(5000, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build(mesh.view(), 2);
  const BvhCopy before(bvh);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(same_bytes(before, BvhCopy(bvh))) << "nothing moved";
  Mesh moved = host;
  for (vec3& p : moved.positions) p = vec3(p.x + p.y * p.z, p.y * 1.5f - p.x, p.z);
  mesh.positions.upload(moved.positions);
  refit(context(), bvh, mesh.view());
  expect_valid(bvh, mesh.view());
}

TEST_P(EveryBuilder, RebuildsInPlaceWithoutAllocating) {
  const DeviceMesh large(context(), generate_random(4000, 0.05f)), small(context(), generate_sphere(2));
  Bvh bvh = copse::build(context(), large.view(), LbvhOptions{});
  rebuild(bvh, large.view());
  const u64 warm = context().scratch_bytes();
  const BvhNode* memory = bvh.nodes.data();
  rebuild(bvh, small.view());
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(small.view()))));
  expect_valid(bvh, small.view());
  rebuild(bvh, large.view());
  EXPECT_EQ(bvh.nodes.data(), memory);
  EXPECT_EQ(context().scratch_bytes(), warm);
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(large.view()))));
}

TEST_P(EveryBuilder, FollowsItsInputWhereARebuildWasCaptured) {
  const Mesh before = generate_random(6000, 0.05f);
  Mesh after = before;
  for (vec3& p : after.positions) p = vec3(p.y, p.z * 2, p.x);
  for (u32 leaf : {1, 4}) {
    DeviceMesh mesh(context(), before);
    // Two views, so that the table of views is captured as well.
    const std::vector<TriangleView> views = {
        {.positions = mesh.positions.span(), .triangles = mesh.triangles.span().first(500)},
        {.positions = mesh.positions.span(),
         .triangles = mesh.triangles.span().subspan(500, 5500),
         .geometry = 1}};
    Bvh bvh = build(views, leaf);
    Graph graph = context().capture([&] { rebuild(bvh, views, leaf); });
    mesh.positions.upload(after.positions);
    for (int repeat = 0; repeat < 2; ++repeat) {
      graph.launch();
      expect_valid(bvh, views);
      EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(views, leaf))));
    }
  }
}

TEST_P(EveryBuilder, BuildsInTwoContextsAtOnce) {
  Context other({.backend = backend()});
  const Mesh host = generate_random(20000, 0.02f);
  const DeviceMesh mesh(context(), host), other_mesh(other, host);
  context().wait();
  other.wait();
  Bvh bvh = build(mesh.view()), other_bvh = copse::build(other, other_mesh.view(), builder().options(1));
  for (int repeat = 0; repeat < 5; ++repeat) {
    rebuild(bvh, mesh.view());
    copse::rebuild(other, other_bvh, other_mesh.view(), builder().options(1));
  }
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(other_bvh)));
}

TEST_P(EveryBuilder, KnowsItsSizesBeforehand) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    for (u32 leaf : {1, 4}) {
      Context fresh({.backend = backend(), .stream = context().stream()});
      const BuildSizes sizes = build_sizes(fresh, n, builder().options(leaf));
      const Bvh bvh = copse::build(fresh, mesh.view(), builder().options(leaf));
      EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n << ", leaf " << leaf;
    }
  }
}

TEST_P(EveryBuilder, RefusesWhatIsOutOfRange) {
  const DeviceMesh mesh(context(), generate_cube());
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(build(mesh.view(), 0), code, "max_leaf_size is 0; it can be 1 to 32");
  EXPECT_COPSE_ERROR(build(mesh.view(), 33), code, "33");
  EXPECT_COPSE_ERROR(build(BoxView{{nullptr, max_primitives + 1}}), ErrorCode::capacity, "2147483649");
  Bvh small = build(BoxView{});
  EXPECT_COPSE_ERROR(rebuild(small, mesh.view()), code, "12");
  const TriangleView odd_stride{.positions = PositionSpan(mesh.positions.data(), 8, 13)};
  EXPECT_COPSE_ERROR(build(odd_stride), code, "13");
  const TriangleView odd_count{.positions = mesh.positions.span()};
  EXPECT_COPSE_ERROR(build(odd_count), code, "8 positions");
}

TEST_P(EveryBuilder, StopsWhenCancelled) {
  std::stop_source stop;
  Context cancellable({.backend = backend(), .cancel = stop.get_token()});
  const DeviceMesh mesh(cancellable, generate_sphere(2));
  stop.request_stop();
  EXPECT_COPSE_ERROR(copse::build(cancellable, mesh.view(), builder().options(1)), ErrorCode::cancelled,
                     "cancelled");
}

TEST_P(EveryBuilder, MakesALargeValidTree) {
  const DeviceMesh mesh(context(), generate_random(1500007, 0.01f));
  for (u32 leaf : {1, 4}) expect_valid(build(mesh.view(), leaf), mesh.view());
}

}  // namespace copse::test
