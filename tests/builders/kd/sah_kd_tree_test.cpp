#include "builders/kd/sah_kd_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "builders/geometry/generate.h"
#include "builders/kd/sah_kd_validate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;

/// The content of a tree, on the host.
struct SahKdCopy {
  std::vector<SahKdNode> nodes;
  std::vector<u32> primitive_ids;
  Aabb bounds;

  explicit SahKdCopy(const SahKdTree& tree)
      : nodes(tree.nodes.download()),
        primitive_ids(tree.primitive_ids.download()),
        bounds(tree.bounds.download()[0]) {}
};

/// Follows the planes of a tree down, with the boxes of all triangles, and compares the lists of its leaves.
class LeavesChecker {
 public:
  LeavesChecker(const SahKdCopy& tree, const Mesh& mesh) : tree_(tree) {
    const TriangleView view{.positions = PositionSpan(mesh.positions.data(), mesh.positions.size(), sizeof(vec3)),
                            .triangles = BufferSpan<const uvec3>(mesh.triangles.data(), mesh.triangles.size())};
    std::vector<u32> all;
    for (u32 i = 0; i < mesh.triangles.size(); ++i) {
      boxes_.push_back(bounds(load_triangle(view, i)));
      if (!is_empty(boxes_.back())) all.push_back(i);
    }
    visit(0, all, tree.bounds, 0);
    EXPECT_EQ(visited_, tree.nodes.size());
    EXPECT_EQ(listed_, tree.primitive_ids.size());
  }

  u32 depth() const { return depth_; }

 private:
  void visit(u32 id, const std::vector<u32>& triangles, const Aabb& cell, u32 depth) {
    ASSERT_LT(id, tree_.nodes.size());
    ++visited_;
    depth_ = std::max(depth_, depth);
    const SahKdNode node = tree_.nodes[id];
    if (node.is_leaf()) {
      listed_ += node.count();
      const auto first = tree_.primitive_ids.begin() + node.first();
      EXPECT_EQ(std::vector<u32>(first, first + node.count()), triangles) << id;
      return;
    }
    const int axis = int(node.axis());
    EXPECT_LT(cell.lo[axis], node.plane());
    EXPECT_GT(cell.hi[axis], node.plane());
    std::vector<u32> sides[2];
    Aabb cells[2] = {cell, cell};
    cells[0].hi[axis] = cells[1].lo[axis] = node.plane();
    for (const u32 triangle : triangles) {
      const Aabb box = intersection(boxes_[triangle], cell);
      const bool is_right = box.hi[axis] > node.plane();
      if (box.lo[axis] < node.plane() || !is_right) sides[0].push_back(triangle);
      if (is_right) sides[1].push_back(triangle);
    }
    EXPECT_LT(std::min(sides[0].size(), sides[1].size()), triangles.size());
    for (u32 side = 0; side < 2; ++side) visit(node.first_child() + side, sides[side], cells[side], depth + 1);
  }

  const SahKdCopy& tree_;
  std::vector<Aabb> boxes_;
  u64 visited_ = 0, listed_ = 0;
  u32 depth_ = 0;
};

class SahKdTrees : public test::OnEachBackend {
 protected:
  SahKdTree build(const Mesh& mesh, const SahKdOptions& options = {}) {
    return build_sah_kd_tree(context(), DeviceMesh(context(), mesh).view(), options);
  }
  void expect_right_lists(const Mesh& mesh, const SahKdOptions& options = {}) {
    const SahKdTree tree = build(mesh, options);
    const SahKdCopy copy(tree);
    EXPECT_EQ(LeavesChecker(copy, mesh).depth(), tree.depth);
  }
};

TEST_P(SahKdTrees, ListEachTriangleWhereItReaches) {
  for (const SahKdOptions& options : {SahKdOptions{}, SahKdOptions{.traversal_cost = 0.01f}}) {
    for (const u32 count : {1u, 2u, 63u, 64u, 65u, 66u, 1000u, 5000u}) {
      SCOPED_TRACE(count);
      expect_right_lists(generate_random(count, 0.1f), options);
    }
    expect_right_lists(generate_sphere(3), options);
    expect_right_lists(generate_grid(20), options);
    expect_right_lists(generate_cube(), options);
  }
}

TEST_P(SahKdTrees, OfHardMeshesListEachTriangleWhereItReaches) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    const SahKdTree tree = build(hard.mesh);
    EXPECT_EQ(tree.invalid_count, hard.invalid_count);
    expect_right_lists(hard.mesh);
  }
}

/// Two small spheres at the ends of a long box: the first planes cut off the space between them.
TEST_P(SahKdTrees, CutOffEmptySpace) {
  Mesh mesh = generate_sphere(2);
  const u32 half = u32(mesh.positions.size()), triangle_count = u32(mesh.triangles.size());
  for (u32 i = 0; i < half; ++i) mesh.positions.push_back(mesh.positions[i] + vec3(100, 0, 0));
  for (u32 i = 0; i < triangle_count; ++i) mesh.triangles.push_back(mesh.triangles[i] + half);
  const SahKdCopy tree(build(mesh));
  ASSERT_FALSE(tree.nodes[0].is_leaf());
  EXPECT_EQ(tree.nodes[0].axis(), 0u);
  EXPECT_EQ(tree.nodes[0].plane(), centroid(tree.bounds).x);
  const SahKdNode left = tree.nodes[tree.nodes[0].first_child()];
  ASSERT_FALSE(left.is_leaf());
  EXPECT_EQ(left.axis(), 0u);
  EXPECT_NEAR(left.plane(), 1, 1e-3);
  const SahKdNode empty = tree.nodes[left.first_child() + 1];
  EXPECT_TRUE(empty.is_leaf());
  EXPECT_EQ(empty.count(), 0u);
}

TEST_P(SahKdTrees, StopAtTheLimitsOfTheirOptions) {
  const Mesh mesh = generate_random(3000, 0.3f);
  for (const u32 depth : {1u, 2u, 7u}) EXPECT_EQ(build(mesh, {.max_depth = depth}).depth, depth);
  const u64 few = build(mesh, {.max_references = 1}).primitive_ids.size();
  const u64 many = build(mesh, {.max_references = 32}).primitive_ids.size();
  EXPECT_LE(few, 2 * 3000u);
  EXPECT_LT(few, many);
  EXPECT_LE(many, 64 * 3000u);
  EXPECT_GT(build(mesh, {.traversal_cost = 1e6f}).nodes.size(), 1u);  // large nodes are always divided
  EXPECT_EQ(build(generate_random(60, 0.3f), {.traversal_cost = 1e6f}).nodes.size(), 1u);
}

TEST_P(SahKdTrees, AreValid) {
  std::vector<test::NamedMesh> meshes = test::hard_meshes();
  meshes.push_back({"random", generate_random(5000, 0.1f)});
  meshes.push_back({"sphere", generate_sphere(4)});
  for (const test::NamedMesh& named : meshes) {
    SCOPED_TRACE(named.name);
    const DeviceMesh device(context(), named.mesh);
    const SahKdTree tree = build_sah_kd_tree(context(), device.view());
    EXPECT_EQ(validate(context(), tree, device.view()).message(), "valid");
  }
}

TEST_P(SahKdTrees, ValidationFindsWhatIsWrong) {
  const DeviceMesh device(context(), generate_random(500, 0.1f));
  const auto after = [&](const auto& change) {
    SahKdTree tree = build_sah_kd_tree(context(), device.view());
    auto nodes = tree.nodes.download();
    auto ids = tree.primitive_ids.download();
    change(tree, nodes, ids);
    tree.nodes.upload(nodes);
    tree.primitive_ids.upload(ids);
    return validate(context(), tree, device.view());
  };
  using Nodes = std::vector<SahKdNode>&;
  using Ids = std::vector<u32>&;
  const auto leaf_of = [](Nodes nodes, u32 min_count) -> SahKdNode& {
    return *std::find_if(nodes.begin(), nodes.end(),
                         [&](const SahKdNode& n) { return n.is_leaf() && n.count() >= min_count; });
  };
  EXPECT_EQ(after([](SahKdTree&, Nodes, Ids) {}).message(), "valid");
  EXPECT_EQ(after([](SahKdTree& t, Nodes, Ids) { ++t.depth; }).count("bad_counts"), 1u);
  EXPECT_EQ(after([](SahKdTree& t, Nodes, Ids) { ++t.invalid_count; }).count("bad_counts"), 1u);
  EXPECT_EQ(after([](SahKdTree& t, Nodes, Ids) {
              t.bounds.upload(std::vector<Aabb>{{vec3(0), vec3(9)}});
            }).count("bad_counts"),
            1u);
  EXPECT_GT(after([](SahKdTree&, Nodes n, Ids) { n[1] = SahKdNode::inner(0, 0.5f, 1); }).count("bad_nodes"), 0u);
  EXPECT_GT(after([](SahKdTree&, Nodes n, Ids) { n[2] = n[1]; }).count("bad_nodes"), 0u);
  EXPECT_GT(after([](SahKdTree&, Nodes n, Ids) { n[0].value = infinity; }).count("bad_nodes"), 0u);
  EXPECT_GT(
      after([&](SahKdTree&, Nodes n, Ids) { leaf_of(n, 1).value = float_from_bits(~0u); }).count("bad_nodes"), 0u);
  EXPECT_GT(after([&](SahKdTree&, Nodes n, Ids) {
              SahKdNode& leaf = leaf_of(n, 2);
              leaf = SahKdNode::leaf(leaf.first(), leaf.count() - 1);
            }).count("bad_lists"),
            0u);
  EXPECT_GT(after([](SahKdTree&, Nodes, Ids ids) { ids[5] = 500; }).count("bad_ids"), 0u);
  EXPECT_GT(after([&](SahKdTree&, Nodes n, Ids ids) {
              const u32 first = leaf_of(n, 2).first();
              std::swap(ids[first], ids[first + 1]);
            }).count("bad_ids"),
            0u);
  // A plane that moves takes other triangles to its two sides.
  const ValidationReport moved = after([](SahKdTree&, Nodes n, Ids) { n[0].value += 0.2f; });
  EXPECT_GT(moved.count("missing_references"), 0u);
  EXPECT_GT(moved.count("wrong_references"), 0u);
  EXPECT_COPSE_ERROR(validate(context(), SahKdTree{}, device.view()), ErrorCode::invalid_argument, "never built");
  const DeviceMesh fewer(context(), generate_random(400, 0.1f));
  EXPECT_COPSE_ERROR(validate(context(), build_sah_kd_tree(context(), fewer.view()), device.view()),
                     ErrorCode::invalid_argument,
                     "500 triangles, but the kd-tree of triangles was built over 400");
}

TEST_P(SahKdTrees, RefuseOptionsOutOfRange) {
  const Mesh cube = generate_cube();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float cost : {0.0f, -1.0f, nan, 2e6f}) {
    EXPECT_COPSE_ERROR(build(cube, {.traversal_cost = cost}), ErrorCode::invalid_argument, "traversal_cost is");
  }
  EXPECT_COPSE_ERROR(build(cube, {.max_depth = 61}), ErrorCode::invalid_argument,
                     "max_depth is 61; it can be 0 to 60");
  for (const float references : {0.5f, nan, 65.0f}) {
    EXPECT_COPSE_ERROR(build(cube, {.max_references = references}), ErrorCode::invalid_argument,
                       "max_references is");
  }
  const DeviceMesh device(context(), cube);
  TriangleView many = device.view();
  many.triangles.size = (u64{1} << 30) + 1;
  EXPECT_COPSE_ERROR(build_sah_kd_tree(context(), many), ErrorCode::capacity, "1073741825 triangles; at most");
}

COPSE_ON_EACH_BACKEND(SahKdTrees);

TEST(SahKdTreesOnBoth, HaveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<Mesh> meshes{generate_random(60000, 0.03f), generate_hairball(300, 40), generate_sphere(6)};
  for (const test::NamedMesh& hard : test::hard_meshes()) meshes.push_back(hard.mesh);
  for (const Mesh& mesh : meshes) {
    std::vector<SahKdCopy> copies;
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      Context context({.backend = backend});
      copies.emplace_back(build_sah_kd_tree(context, DeviceMesh(context, mesh).view()));
    }
    EXPECT_TRUE(test::same_bytes(copies[0].nodes, copies[1].nodes));
    EXPECT_TRUE(test::same_bytes(copies[0].primitive_ids, copies[1].primitive_ids));
    EXPECT_EQ(std::memcmp(&copies[0].bounds, &copies[1].bounds, sizeof(Aabb)), 0);
  }
}

}  // namespace
}  // namespace copse
