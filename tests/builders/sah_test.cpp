#include "builders/bvh/sah.h"

#include <cmath>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/slow_sah.h"

namespace copse::test {

class Sah : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Sah);

std::vector<SahOptions> sah_options() {
  std::vector<SahOptions> options = {{}};
  for (u32 bins : {2, 7, 16}) options.push_back({.bin_count = bins});
  for (u32 leaf : {2, 4, 32}) options.push_back({.max_leaf_size = leaf});
  for (u32 passes : {0, 3}) options.push_back({.rotation_passes = passes});
  options.push_back({.max_leaf_size = 8, .costs = {.traversal = 10, .intersection = 0.5}});
  return options;
}

std::string describe(const SahOptions& options) {
  return std::to_string(options.bin_count) + " bins, leaf " + std::to_string(options.max_leaf_size) + ", " +
         std::to_string(options.rotation_passes) + " rotations, cost " + std::to_string(options.costs.traversal);
}

/// `count` boxes along x, each twice as large and as far away as the one before, over and over: top-down splits
/// peel them off a few at a time.
std::vector<Aabb> boxes_in_geometric_progression(u32 count) {
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < count; ++i) {
    const float x = std::ldexp(1.0f, int(i % 240) - 120);
    boxes.push_back({vec3(x, 0, 0), vec3(1.25f * x, 0.1f * x, 0.1f * x)});
  }
  return boxes;
}

TEST_P(Sah, IsTheTreeOfItsDefinition) {
  std::vector<NamedMesh> meshes = hard_meshes();
  meshes.push_back({"random 1500", generate_random(1500, 0.05f)});
  for (const NamedMesh& hard : meshes) {
    const DeviceMesh mesh(context(), hard.mesh);
    std::vector<Aabb> boxes;
    for (const uvec3& t : hard.mesh.triangles) {
      const auto& p = hard.mesh.positions;
      boxes.push_back(bounds(Triangle{clean_point(p[t.x]), clean_point(p[t.y]), clean_point(p[t.z])}));
    }
    for (const SahOptions& options : sah_options()) {
      const SlowSah expected(boxes, options);
      BvhCopy tree(build(context(), mesh.view(), options));
      tree.primitive_ids.resize(tree.counts.primitive_count);
      ASSERT_EQ(tree.counts.node_count, expected.nodes.size()) << hard.name << ", " << describe(options);
      if (tree.counts.node_count == 0) continue;
      ASSERT_TRUE(same_bytes(tree.nodes, expected.nodes)) << hard.name << ", " << describe(options);
      ASSERT_TRUE(same_bytes(tree.primitive_ids, expected.primitive_ids))
          << hard.name << ", " << describe(options);
    }
  }
}

TEST_P(Sah, HardMeshesBuildValidTrees) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const SahOptions& options : sah_options()) {
      const Bvh bvh = build(context(), mesh.view(), options);
      const ValidationReport report = validate(context(), bvh, mesh.view());
      EXPECT_TRUE(report.is_valid()) << hard.name << ", " << describe(options) << ": " << report.message();
      const BvhCounts counts = bvh.counts.download()[0];
      EXPECT_EQ(counts.invalid_count, hard.invalid_count) << hard.name;
      EXPECT_EQ(counts.primitive_count + counts.invalid_count, hard.mesh.triangles.size()) << hard.name;
      for (const BvhNode& node : BvhCopy(bvh).nodes) EXPECT_LE(node.count, options.max_leaf_size) << hard.name;
    }
  }
}

TEST_P(Sah, ProgressionsAndCoincidentBoxesStayWithinTheDepthLimit) {
  std::vector<Aabb> clusters(20000, Aabb{vec3(0), vec3(1)});
  for (u32 i = 0; i < 100; ++i) clusters[i * 31] = {vec3(float(i)), vec3(float(i) + 1)};
  for (const std::vector<Aabb>& boxes : {boxes_in_geometric_progression(40000), clusters}) {
    const Buffer<Aabb> buffer(context(), boxes);
    const Bvh bvh = build(context(), BoxView{buffer.span()}, SahOptions{.rotation_passes = 0});
    EXPECT_LE(stats(context(), bvh).depth, 160u);
    for (u32 passes : {0, 1}) {
      const Bvh tree = build(context(), BoxView{buffer.span()}, SahOptions{.rotation_passes = passes});
      const ValidationReport report = validate(context(), tree, BoxView{buffer.span()});
      EXPECT_TRUE(report.is_valid()) << report.message();
    }
  }
}

TEST_P(Sah, ParentsPointBack) {
  const DeviceMesh mesh(context(), generate_random(7000, 0.05f));
  for (u32 leaf : {1, 4}) {
    const BvhCopy tree(build(context(), mesh.view(), SahOptions{.max_leaf_size = leaf}));
    for (u32 i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].is_leaf()) continue;
      EXPECT_EQ(tree.parents[sibling_pair(tree.nodes[i].first)], i);
    }
  }
}

TEST_P(Sah, CostsLessThanOtherTrees) {
  for (const Mesh& host : {generate_sphere(5), generate_hairball(100, 50), generate_random(20000, 0.01f)}) {
    const DeviceMesh mesh(context(), host);
    const double sah = stats(context(), build(context(), mesh.view(), SahOptions{})).sah_cost;
    EXPECT_LT(sah,
              0.95 * stats(context(), build(context(), mesh.view(), LbvhOptions{.morton_bits = 63})).sah_cost);
    EXPECT_LT(sah,
              1.01 * stats(context(), build(context(), mesh.view(), HplocOptions{.morton_bits = 63})).sah_cost);
    EXPECT_LT(stats(context(), build(context(), mesh.view(), SahOptions{.max_leaf_size = 4})).sah_cost, sah);
  }
}

TEST_P(Sah, SizesAreKnownBeforehand) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    for (const SahOptions& options : sah_options()) {
      Context fresh({.backend = GetParam(), .stream = context().stream()});
      const BuildSizes sizes = build_sizes(fresh, n, options);
      const Bvh bvh = build(fresh, mesh.view(), options);
      EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n << ", " << describe(options);
    }
  }
}

TEST_P(Sah, RefusesOptionsOutOfRange) {
  const DeviceMesh mesh(context(), generate_cube());
  const auto code = ErrorCode::invalid_argument;
  const auto build = [&](const SahOptions& options) { copse::build(context(), mesh.view(), options); };
  EXPECT_COPSE_ERROR(build({.bin_count = 1}), code, "bin_count is 1; it can be 2 to 32");
  EXPECT_COPSE_ERROR(build({.bin_count = 33}), code, "33");
  EXPECT_COPSE_ERROR(build({.rotation_passes = 9}), code, "rotation_passes is 9");
  EXPECT_COPSE_ERROR(build({.costs = {.traversal = -1}}), code, "costs.traversal");
  EXPECT_COPSE_ERROR(build({.costs = {.intersection = 0}}), code, "costs.intersection");
  EXPECT_COPSE_ERROR(build({.costs = {.intersection = infinity}}), code, "inf");
}

TEST(SahBackends, LargeTreesAgree) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_random(3000000, 0.002f), generate_hairball(2000, 100)}) {
    const DeviceMesh cpu_mesh(cpu, mesh), cuda_mesh(cuda, mesh);
    for (u32 leaf : {1, 4}) {
      const SahOptions options{.max_leaf_size = leaf};
      EXPECT_TRUE(same_bytes(BvhCopy(build(cpu, cpu_mesh.view(), options)),
                             BvhCopy(build(cuda, cuda_mesh.view(), options))));
    }
  }
}

}  // namespace copse::test
