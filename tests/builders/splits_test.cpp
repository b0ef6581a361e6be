// Trees over split triangles: see builders/bvh/splits.h.

#include "builders/bvh/splits.h"

#include <gtest/gtest.h>

#include <set>

#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/splits/split_counts.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/top.h"
#include "builders/bvh/validate.h"
#include "builders/io/structure_file.h"
#include "primitives/core/graph.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::BvhCopy;
using test::DeviceMesh;

/// A lattice of long thin triangles across the axes, as beams and hair are.
Mesh beams() {
  Mesh mesh = generate_hairball(30, 12);
  for (u32 i = 0; i < 60; ++i) {
    const float x = 0.03f * float(i);
    const u32 first = u32(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {{x - 1, -1, -1}, {x - 0.98f, -1, -1}, {-x + 1, 1, 1}});
    mesh.triangles.push_back(uvec3(first, first + 1, first + 2));
  }
  return mesh;
}

AnyBuildOptions with_splits(AnyBuildOptions options, float splits, u32 max_leaf_size = 1) {
  std::visit(
      [&](auto& chosen) {
        chosen.splits = splits;
        chosen.max_leaf_size = max_leaf_size;
      },
      options);
  return options;
}

const AnyBuildOptions all_builders[] = {LbvhOptions{}, HplocOptions{}, SahOptions{},
                                        HplocOptions{.top = Top::sah}};

class Splits : public test::OnEachBackend {
 protected:
  template <class Tree>
  void expect_valid(const Tree& tree, const TriangleView& triangles, const std::string& what,
                    bool refitted = false) {
    const ValidationReport report = validate(context(), tree, triangles, refitted);
    EXPECT_TRUE(report.is_valid()) << what << ": " << report.message();
  }

  void expect_valid_layouts(const Bvh& bvh, const TriangleView& triangles, const std::string& what) {
    expect_valid(bvh, triangles, what);
    expect_valid(collapse<Bvh4>(context(), bvh), triangles, what + " bvh4");
    expect_valid(collapse<CompressedBvh4>(context(), bvh), triangles, what + " cbvh4");
    if (bvh.max_leaf_size <= CompressedBvh8Node::max_leaf_primitives) {
      expect_valid(collapse<CompressedBvh8>(context(), bvh), triangles, what + " cbvh8");
    }
  }
};

TEST_P(Splits, MakeValidTreesOfHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    const u64 n = hard.mesh.triangles.size();
    for (const float splits : {1.25f, 3.0f}) {
      for (const u32 leaf : {1u, 3u}) {
        for (const AnyBuildOptions& builder : all_builders) {
          const Bvh bvh = build(context(), mesh.view(), with_splits(builder, splits, leaf));
          expect_valid_layouts(bvh, mesh.view(), hard.name);
          const BvhCounts counts = bvh.counts.download()[0];
          EXPECT_EQ(counts.invalid_count, hard.invalid_count) << hard.name;
          EXPECT_GE(counts.primitive_count + counts.invalid_count, n) << hard.name;
          EXPECT_LE(counts.primitive_count + counts.invalid_count, std::max(n, reference_count(n, splits)))
              << hard.name;
          const BvhCopy copy(bvh);
          const std::set<u32> ids(copy.primitive_ids.begin(), copy.primitive_ids.begin() + counts.primitive_count);
          EXPECT_EQ(ids.size(), n - hard.invalid_count) << hard.name;
        }
      }
    }
  }
}

TEST_P(Splits, WithoutRoomForOneMoreReferenceGiveTheBytesOfNoSplits) {
  for (const u32 n : {1u, 3u}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.5f));
    for (const AnyBuildOptions& builder : all_builders) {
      const Bvh plain = build(context(), mesh.view(), builder);
      EXPECT_TRUE(
          test::same_bytes(BvhCopy(build(context(), mesh.view(), with_splits(builder, 1.3f))), BvhCopy(plain)));
    }
  }
}

TEST_P(Splits, LowerTheCostOfLongTriangles) {
  const DeviceMesh mesh(context(), beams());
  for (const AnyBuildOptions& builder : {AnyBuildOptions{HplocOptions{}}, AnyBuildOptions{SahOptions{}}}) {
    const Bvh plain = build(context(), mesh.view(), builder);
    const Bvh split = build(context(), mesh.view(), with_splits(builder, 1.5f));
    EXPECT_LT(stats(context(), split).sah_cost, 0.9 * stats(context(), plain).sah_cost);
    EXPECT_LT(end_point_overlap(context(), split, mesh.view()),
              0.9 * end_point_overlap(context(), plain, mesh.view()));
  }
}

TEST_P(Splits, UseNearlyAllOfTheirRoom) {
  const Mesh mesh = beams();
  const DeviceMesh device(context(), mesh);
  const u64 n = mesh.triangles.size();
  for (const float splits : {1.1f, 1.25f, 2.0f, 4.0f}) {
    const Bvh bvh = build(context(), device.view(), HplocOptions{.splits = splits});
    const u64 room = reference_count(n, splits), used = bvh.counts.download()[0].primitive_count;
    EXPECT_LE(used, room);
    EXPECT_GE(used - n, (room - n) * 8 / 10) << splits;
  }
}

TEST_P(Splits, StayValidThroughRefitReinsertionAndANewTop) {
  const Mesh mesh = beams();
  Mesh moved = mesh;
  for (vec3& p : moved.positions) p = vec3(p.x + 0.3f * p.y, p.y, p.z - 0.1f * p.x);
  const DeviceMesh device(context(), mesh), device_moved(context(), moved);
  for (const AnyBuildOptions& builder : all_builders) {
    Bvh bvh = build(context(), device.view(), with_splits(builder, 1.5f));
    reinsert(context(), bvh, {.passes = 2});
    expect_valid_layouts(bvh, device.view(), "reinserted");
    rebuild_top(context(), bvh);
    expect_valid_layouts(bvh, device.view(), "new top");
    CompressedBvh4 wide = collapse<CompressedBvh4>(context(), bvh);
    refit(context(), bvh, device_moved.view());
    expect_valid(bvh, device_moved.view(), "refitted", true);
    refit(context(), wide, device_moved.view());
    expect_valid(wide, device_moved.view(), "wide, refitted", true);
    expect_valid(compact_copy(context(), wide), device_moved.view(), "compact", true);
    expect_valid(compact_copy(context(), bvh), device_moved.view(), "compact binary", true);
  }
}

TEST_P(Splits, RebuildInTheSameMemoryWithAndWithout) {
  const DeviceMesh device(context(), beams());
  Bvh bvh = build(context(), device.view(), HplocOptions{.splits = 2});
  rebuild(context(), bvh, device.view(), LbvhOptions{});
  EXPECT_FALSE(bvh.has_repeats());
  EXPECT_TRUE(test::same_bytes(BvhCopy(bvh), BvhCopy(build(context(), device.view(), LbvhOptions{}))));
  rebuild(context(), bvh, device.view(), LbvhOptions{.from_last_order = true, .splits = 1.5f});
  expect_valid(bvh, device.view(), "with splits again");
  EXPECT_TRUE(
      test::same_bytes(BvhCopy(bvh), BvhCopy(build(context(), device.view(), LbvhOptions{.splits = 1.5f}))));
}

TEST_P(Splits, CanBeCapturedInAGraph) {
  const Mesh mesh = beams();
  DeviceMesh device(context(), mesh);
  const HplocOptions options{.splits = 1.5f};
  Bvh bvh = build(context(), device.view(), options);
  rebuild(context(), bvh, device.view(), options);
  Graph graph = context().capture([&] { rebuild(context(), bvh, device.view(), options); });
  Mesh moved = mesh;
  for (vec3& p : moved.positions) p = vec3(p.y, p.z + 0.2f * p.x, p.x);
  device.positions.upload(moved.positions);
  graph.launch();
  expect_valid(bvh, device.view(), "by a graph");
  EXPECT_TRUE(test::same_bytes(BvhCopy(bvh), BvhCopy(build(context(), device.view(), options))));
}

TEST_P(Splits, SizesAreKnownBefore) {
  const Mesh mesh = beams();
  const DeviceMesh device(context(), mesh);
  const HplocOptions options{.splits = 1.75f};
  const Bvh bvh = build(context(), device.view(), options);
  EXPECT_EQ(bvh.size_bytes(), build_sizes(context(), mesh.triangles.size(), options).result_bytes);
  EXPECT_EQ(bvh.primitive_capacity(), reference_count(mesh.triangles.size(), 1.75f));
}

TEST_P(Splits, RefuseWhatTheyCannotDo) {
  const DeviceMesh device(context(), generate_cube());
  for (const float splits : {0.99f, 4.01f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_COPSE_ERROR(build(context(), device.view(), HplocOptions{.splits = splits}),
                       ErrorCode::invalid_argument, "splits is " + std::to_string(splits) + "; it can be 1 to 4");
  }
  const Buffer<Aabb> boxes(context(), std::vector<Aabb>(8, Aabb{vec3(0), vec3(1)}));
  EXPECT_COPSE_ERROR(build(context(), BoxView{boxes.span()}, SahOptions{.splits = 1.25f}),
                     ErrorCode::invalid_argument, "boxes cannot be split");
  EXPECT_COPSE_ERROR(build_sizes(context(), max_primitives, LbvhOptions{.splits = 1.25f}), ErrorCode::capacity,
                     "2684354560 references to split triangles, at most 2147483648");
  Bvh bvh = build(context(), device.view(), LbvhOptions{});
  EXPECT_COPSE_ERROR(rebuild(context(), bvh, device.view(), LbvhOptions{.splits = 2}), ErrorCode::invalid_argument,
                     "rebuild over 24 primitives of a tree with room for 12");
}

TEST_P(Splits, GoThroughFiles) {
  const Mesh mesh = beams();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), SahOptions{.splits = 1.5f});
  const std::string path = testing::TempDir() + "splits-" + name_of(context().backend()) + ".copse";
  save_structure(path, context(), mesh, bvh, "sah", 0, 1, collapse<CompressedBvh8>(context(), bvh));
  const StructureFile file = load_structure(path, context());
  EXPECT_TRUE(file.bvh.has_repeats());
  const BvhCopy got(file.bvh), expected(bvh);
  EXPECT_TRUE(test::same_bytes(got.nodes, expected.nodes));
  const auto used = [&](const BvhCopy& tree) {
    return std::vector<u32>(tree.primitive_ids.begin(),
                            tree.primitive_ids.begin() + expected.counts.primitive_count);
  };
  EXPECT_EQ(used(got), used(expected));
  expect_valid(file.bvh, device.view(), "loaded");
  expect_valid(std::get<CompressedBvh8>(file.wide), device.view(), "loaded wide");
}

TEST(SplitBoxes, CoverTheTriangleAndStayInItsBox) {
  const Triangle triangle{{0.1f, 0.2f, 0.3f}, {5.5f, 3.25f, -1}, {-2, 6, 4.125f}};
  const MortonGrid grid = MortonGrid::of({vec3(-8), vec3(9)});
  const Aabb whole = bounds(triangle);
  for (const u32 count : {1u, 2u, 3u, 7u, 64u}) {
    std::vector<Aabb> boxes;
    for (u32 i = 0; i < count; ++i) boxes.push_back(detail::part_box(grid, triangle, i, count));
    double area = 0;
    for (const Aabb& box : boxes) {
      EXPECT_TRUE(is_empty(box) || merge(box, whole) == whole);
      area += half_area(box);
    }
    if (count == 64) {
      EXPECT_LT(area, half_area(whole));
    }
    for (float u = 0; u <= 1; u += 1.0f / 64) {
      for (float v = 0; u + v <= 1; v += 1.0f / 64) {
        const vec3 p = triangle.a + (triangle.b - triangle.a) * u + (triangle.c - triangle.a) * v;
        EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(),
                                [&](const Aabb& box) {
                                  return merge(box, {p, p}) == box;
                                }))
            << count << " " << u << " " << v;
      }
    }
  }
}

TEST(SplitPriorities, AreCubeRootsByIntegers) {
  using detail::SplitClasses;
  EXPECT_EQ(SplitClasses::priority(0), u64{1} << 20);
  EXPECT_EQ(SplitClasses::priority(24), u64{1} << 19);  // an eighth
  for (u32 each = 1; each < SplitClasses::count; ++each) {
    EXPECT_LE(SplitClasses::priority(each), SplitClasses::priority(each - 1));
  }
  EXPECT_EQ(SplitClasses::of_ratio(1), 0u);
  EXPECT_EQ(SplitClasses::of_ratio(0.125f), 24u);
  EXPECT_EQ(SplitClasses::of_ratio(1e-30f), SplitClasses::never);
  EXPECT_EQ(SplitClasses::splits(0, 0), 0u);
  EXPECT_EQ(SplitClasses::splits(SplitClasses::never, SplitClasses::factor_count - 1), 0u);
}

COPSE_ON_EACH_BACKEND(Splits);

TEST(SplitBackends, GiveTheSameBytes) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  std::vector<test::NamedMesh> meshes = test::hard_meshes();
  meshes.push_back({"beams", beams()});
  meshes.push_back({"many", generate_random(50000, 0.02f)});
  for (const test::NamedMesh& hard : meshes) {
    const DeviceMesh host(cpu, hard.mesh), device(cuda, hard.mesh);
    for (const AnyBuildOptions& builder : all_builders) {
      for (const float splits : {1.25f, 3.0f}) {
        const AnyBuildOptions options = with_splits(builder, splits, 1);
        const Bvh a = build(cpu, host.view(), options), b = build(cuda, device.view(), options);
        EXPECT_TRUE(test::same_bytes(BvhCopy(a), BvhCopy(b))) << hard.name;
        if (a.has_repeats()) {
          const u32 places = a.counts.download()[0].primitive_count;
          EXPECT_TRUE(test::same_bytes(a.repeats.download(places), b.repeats.download(places))) << hard.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace copse
