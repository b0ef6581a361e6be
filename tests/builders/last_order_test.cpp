// Rebuilds that begin with the order of the last tree give the bytes of a full build, whatever that order is.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/values.h"

namespace copse::test {

namespace {

/// A mesh in which every vertex moved by at most `strength`.
Mesh waved(Mesh mesh, float strength) {
  for (vec3& p : mesh.positions) p += vec3(0, strength * std::sin(9 * p.x + 7 * p.z), 0);
  return mesh;
}

/// Every `step`-th triangle is removed: its first vertex, which no other triangle has, becomes NaN.
Mesh with_removed(Mesh mesh, u64 step) {
  for (u64 i = 0; i < mesh.triangles.size(); i += step) {
    mesh.triangles[i].x = u32(mesh.positions.size());
    mesh.positions.push_back(vec3(nan));
  }
  return mesh;
}

/// Groups of equal triangles, spread over the unit cube.
Mesh groups_of_equal(u64 count, u64 group) {
  Mesh mesh = generate_random((count + group - 1) / group, 0.01f);
  const std::vector<uvec3> triangles = mesh.triangles;
  mesh.triangles.clear();
  for (u64 i = 0; i < count; ++i) mesh.triangles.push_back(triangles[i % triangles.size()]);
  return mesh;
}

}  // namespace

class LastOrder : public OnEachBackend {
 protected:
  /// Expects that a rebuild of `bvh` over a mesh gives the bytes of a full build.
  void expect_rebuilt(Bvh& bvh, const Mesh& host, const std::string& name, LbvhOptions options = {}) {
    const DeviceMesh mesh(context(), host);
    options.from_last_order = true;
    rebuild(context(), bvh, mesh.view(), options);
    options.from_last_order = false;
    ASSERT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(context(), mesh.view(), options)))) << name;
  }

  /// Builds a tree over one mesh, and expects that its rebuild over another one is right.
  void expect_rebuilt(const Mesh& from, const Mesh& to, const std::string& name, const LbvhOptions& options = {}) {
    const DeviceMesh mesh(context(), from);
    Bvh bvh = make_bvh(context(), std::max(from.triangles.size(), to.triangles.size()));
    rebuild(context(), bvh, mesh.view(), options);
    expect_rebuilt(bvh, to, name, options);
  }

  /// Returns whether a rebuild of a tree over `from` sorted all keys.
  bool sorts_all(const Mesh& from, const Mesh& to) {
    const DeviceMesh mesh(context(), from), moved(context(), to);
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    Profile& profile = context().profile();
    profile.clear();
    profile.record(true);
    rebuild(context(), bvh, moved.view(), LbvhOptions{.from_last_order = true});
    const std::vector<Stage> stages = profile.stages();
    profile.record(false);
    return std::ranges::any_of(stages, [](const Stage& stage) { return stage.label == "Morton order: sort"; });
  }
};
COPSE_ON_EACH_BACKEND(LastOrder);

TEST_P(LastOrder, MovedMeshesGetTheTreeOfAFullBuild) {
  for (u32 level : {5, 6}) {
    const Mesh rest = generate_sphere(level);
    for (float strength : {0.0f, 1e-4f, 0.01f, 0.3f, 50.0f}) {
      expect_rebuilt(rest, waved(rest, strength), std::to_string(strength));
    }
    expect_rebuilt(rest, torn(rest), "torn");
    expect_rebuilt(torn(rest), rest, "mended");
  }
}

TEST_P(LastOrder, EveryWidthOfKeysAndLeavesIsRight) {
  const Mesh rest = generate_sphere(6), moved = waved(rest, 0.01f);
  for (u32 bits : {0, 30, 31, 39, 45, 63}) {
    for (u32 leaf : {1, 3}) expect_rebuilt(rest, moved, std::to_string(bits), {bits, leaf});
  }
}

TEST_P(LastOrder, SizesAroundBucketsAreRight) {
  for (u64 n : {1, 16383, 16384, 16385, 18431, 18432, 18433, 20480, 40961, 70001}) {
    const Mesh mesh = generate_random(n, 0.05f);
    expect_rebuilt(mesh, waved(mesh, 0.01f), std::to_string(n));
  }
}

TEST_P(LastOrder, TrianglesMayBeAddedAndRemoved) {
  const Mesh few = generate_random(20000, 0.05f), many = generate_random(50000, 0.05f);
  expect_rebuilt(few, many, "added");
  expect_rebuilt(many, few, "fewer");
  for (u64 step : {1, 2, 3, 100, 20000}) {
    expect_rebuilt(many, with_removed(many, step), "removed " + std::to_string(step));
    expect_rebuilt(with_removed(many, step), many, "came back " + std::to_string(step));
    expect_rebuilt(with_removed(many, step), with_removed(many, 7), "others " + std::to_string(step));
  }
}

TEST_P(LastOrder, EqualKeysKeepTheOrderOfTheirNumbers) {
  for (u64 group : {2, 33, 65, 300, 2000, 5000, 60000}) {
    const Mesh mesh = groups_of_equal(60000, group);
    expect_rebuilt(mesh, mesh, std::to_string(group));
  }
}

TEST_P(LastOrder, AnyOldTreeServes) {
  const Mesh rest = generate_sphere(6);
  const DeviceMesh mesh(context(), rest);
  for (const AnyBuildOptions& options : {AnyBuildOptions{HplocOptions{}}, AnyBuildOptions{SahOptions{}},
                                         AnyBuildOptions{LbvhOptions{.max_leaf_size = 8}}}) {
    Bvh bvh = build(context(), mesh.view(), options);
    expect_rebuilt(bvh, waved(rest, 0.01f), "another builder");
  }
  Bvh never_built = make_bvh(context(), rest.triangles.size());
  expect_rebuilt(never_built, rest, "never built");
  Bvh wrong = build(context(), mesh.view(), LbvhOptions{});
  wrong.primitive_ids.upload(std::vector<u32>(rest.triangles.size(), ~0u));
  expect_rebuilt(wrong, rest, "wrong numbers");
  const Bvh built = build(context(), mesh.view(), LbvhOptions{.from_last_order = true});
  EXPECT_TRUE(validate(context(), built, mesh.view()).is_valid());
}

TEST_P(LastOrder, BoxesAreTakenToo) {
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < 30000; ++i) {
    const vec3 p(float(i * 37 % 1009), float(i * 101 % 997), float(i % 13));
    boxes.push_back({p, p + vec3(1)});
  }
  const Buffer<Aabb> buffer(context(), boxes);
  Bvh bvh = build(context(), BoxView{buffer.span()}, LbvhOptions{});
  const BvhCopy expected(bvh);
  rebuild(context(), bvh, BoxView{buffer.span()}, LbvhOptions{.from_last_order = true});
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), expected));
}

TEST_P(LastOrder, TheFullSortRunsOnlyWhereTheOrderIsLost) {
  const Mesh rest = generate_sphere(6);
  const bool is_cpu = GetParam() == Backend::cpu;  // which does not use the old order
  EXPECT_EQ(sorts_all(rest, rest), is_cpu);
  EXPECT_EQ(sorts_all(rest, waved(rest, 0.005f)), is_cpu);
  EXPECT_TRUE(sorts_all(rest, torn(rest)));
  EXPECT_TRUE(sorts_all(rest, groups_of_equal(rest.triangles.size(), rest.triangles.size())));
}

TEST_P(LastOrder, AGraphDecidesAtEveryLaunch) {
  const Mesh rest = generate_sphere(6);
  DeviceMesh mesh(context(), rest);
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const auto frame = [&] { rebuild(context(), bvh, mesh.view(), LbvhOptions{.from_last_order = true}); };
  mesh.positions.upload(torn(rest).positions);
  frame();  // with the full sort, so that its scratch is there
  Graph graph = context().capture(frame);
  for (const Mesh& moved :
       {rest, waved(rest, 0.005f), waved(rest, 0.01f), torn(rest), torn(rest), rest, torn(rest)}) {
    mesh.positions.upload(moved.positions);
    graph.launch();
    ASSERT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(context(), mesh.view(), LbvhOptions{}))));
  }
}

TEST_P(LastOrder, RefitsAndScratchAreThoseOfAFullBuild) {
  const Mesh rest = generate_sphere(6);
  const DeviceMesh mesh(context(), rest), moved(context(), waved(rest, 0.01f));
  const LbvhOptions options{.from_last_order = true};
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  Context fresh({.backend = GetParam(), .stream = context().stream()});
  rebuild(fresh, bvh, mesh.view(), options);
  EXPECT_EQ(fresh.scratch_bytes(), build_sizes(fresh, mesh.view().triangle_count(), options).scratch_bytes);
  refit(context(), bvh, moved.view());
  Bvh expected = build(context(), mesh.view(), LbvhOptions{});
  refit(context(), expected, moved.view());
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(expected)));
}

TEST_P(LastOrder, LargeMeshesWithPrecomputedBoundsAreRight) {
  const Mesh rest = generate_random((u64{1} << 22) + 5, 0.002f);
  expect_rebuilt(rest, waved(rest, 0.002f), "random");
}

}  // namespace copse::test
