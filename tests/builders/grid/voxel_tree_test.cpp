#include "builders/grid/voxel_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/oracle.h"
#include "trace/voxel_march.h"

namespace copse {
namespace {

using test::DeviceMesh;
using Place = std::tuple<u32, u32, u32>;
using Places = std::set<Place>;

/// A tree on the host.
struct HostTree {
  std::vector<VoxelNode> nodes;
  std::vector<u32> links;
  std::vector<u64> leaves;
  VoxelTreeView view;

  explicit HostTree(const VoxelTree& tree)
      : nodes(tree.nodes.download()),
        links(tree.links.download()),
        leaves(tree.leaves.download()),
        view{tree.shape,
             {nodes.data(), nodes.size()},
             {links.data(), links.size()},
             {leaves.data(), leaves.size()},
             tree.level_count} {}
  HostTree(const HostTree&) = delete;
};

Places voxels_of(const Bricks& bricks) {
  const std::vector<u64> keys = bricks.keys.download(bricks.counts.download()[0].stored_count);
  const std::vector<u32> words = bricks.words.download(keys.size() * brick_words);
  Places result;
  for (size_t b = 0; b < keys.size(); ++b) {
    const uvec3 at = bricks.brick_shape().cell_of(keys[b]) * 8u;
    for (u32 bit = 0; bit < 512; ++bit) {
      if ((words[b * brick_words + bit / 32] >> (bit % 32) & 1) == 0) continue;
      result.emplace(at.x + bit % 8, at.y + bit / 8 % 8, at.z + bit / 64);
    }
  }
  return result;
}

/// Collects the voxels below a node, from the links alone.
void collect(const VoxelTreeView& tree, u32 node_id, u32 level, const uvec3& at, Places& result) {
  const VoxelNode node = tree.nodes.data()[node_id];
  ASSERT_NE(node.mask & 0xff, 0u);
  ASSERT_EQ(node.mask >> 8, 0u);
  const u32 edge = voxel_leaf_edge << (level - 1);
  for (u32 child = 0; child < 8; ++child) {
    if ((node.mask >> child & 1) == 0) continue;
    const uvec3 lo = at + uvec3(child & 1, child >> 1 & 1, child >> 2) * edge;
    const u32 id = tree.child_of(node, child);
    if (level > 1) {
      collect(tree, id, level - 1, lo, result);
      continue;
    }
    const u64 leaf = tree.leaves.data()[id];
    ASSERT_NE(leaf, 0u);
    for (u32 bit = 0; bit < 64; ++bit) {
      if ((leaf >> bit & 1) != 0) result.emplace(lo.x + bit % 4, lo.y + bit / 4 % 4, lo.z + bit / 16);
    }
  }
}

Places voxels_of(const HostTree& tree) {
  Places result;
  if (tree.nodes.empty()) return result;
  collect(tree.view, u32(tree.nodes.size()) - 1, tree.view.level_count, uvec3(0), result);
  return result;
}

/// Returns how many different subtrees each level has, leaves first, and how many cubes with voxels.
std::pair<std::vector<u64>, std::vector<u64>> slow_counts(const Places& voxels, u32 level_count) {
  std::map<Place, u64> numbers;  // of the subtree at each place of the level
  std::map<Place, std::map<u32, u64>> children;
  for (const auto& [x, y, z] : voxels) children[{x / 4, y / 4, z / 4}][x % 4 + 4 * (y % 4) + 16 * (z % 4)] = 1;
  std::vector<u64> different, all;
  for (u32 level = 0; level <= level_count; ++level) {
    std::map<std::map<u32, u64>, u64> known;
    numbers.clear();
    for (const auto& [place, parts] : children) numbers[place] = known.emplace(parts, known.size()).first->second;
    different.push_back(known.size());
    all.push_back(children.size());
    children.clear();
    for (const auto& [place, number] : numbers) {
      const auto& [x, y, z] = place;
      children[{x / 2, y / 2, z / 2}][x % 2 + 2 * (y % 2) + 4 * (z % 2)] = number;
    }
  }
  return {different, all};
}

class VoxelTreeTest : public test::OnEachBackend {
 protected:
  Bricks bricks_of(const Mesh& mesh, u32 resolution) {
    const DeviceMesh device(context(), mesh);
    Bricks bricks = build_bricks(context(), device.view(), {.resolution = resolution});
    context().wait();
    return bricks;
  }

  void expect_trees(const Mesh& mesh, u32 resolution, const std::string& name) {
    const Bricks bricks = bricks_of(mesh, resolution);
    const Places voxels = voxels_of(bricks);
    const VoxelTree octree = build_octree(context(), bricks), dag = build_dag(context(), octree);
    const auto [different, all] = slow_counts(voxels, octree.level_count);
    const std::string what = name + " at " + std::to_string(resolution);
    EXPECT_EQ(octree.leaves.size(), all[0]) << what;
    EXPECT_EQ(dag.leaves.size(), different[0]) << what;
    for (u32 level = 1; level <= octree.level_count; ++level) {
      EXPECT_EQ(octree.level_nodes[level - 1], all[level]) << what << ", level " << level;
      EXPECT_EQ(dag.level_nodes[level - 1], different[level]) << what << ", level " << level;
    }
    for (const VoxelTree* tree : {&octree, &dag}) {
      EXPECT_EQ(voxels_of(HostTree(*tree)), voxels) << what;
      EXPECT_EQ(count_voxels(context(), *tree), voxels.size()) << what;
      EXPECT_EQ(tree->octree_node_count, octree.nodes.size());
    }
  }
};

TEST_P(VoxelTreeTest, HaveTheVoxelsAndTheNodesOfTheirDefinition) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 resolution : {1u, 8u, 9u, 33u}) expect_trees(hard.mesh, resolution, hard.name);
  }
  for (const u32 resolution : {16u, 17u, 64u, 65u, 100u}) expect_trees(generate_sphere(3), resolution, "sphere");
  Mesh mesh = generate_random(60, 0.1f);
  mesh.positions.push_back(vec3(NAN));
  mesh.triangles.push_back(uvec3(0, 1, u32(mesh.positions.size()) - 1));
  expect_trees(mesh, 120, "random triangles and one without a place");
  expect_trees(Mesh{}, 5, "nothing");
}

/// A flat mesh along the axes is the same everywhere, so each level has few different subtrees.
TEST_P(VoxelTreeTest, StoreAFlatMeshInAFewNodes) {
  const Mesh mesh{{vec3(0), vec3(1, 0, 0), vec3(1, 1, 0), vec3(0, 1, 0)}, {uvec3(0, 1, 2), uvec3(0, 2, 3)}};
  const VoxelTree octree = build_octree(context(), bricks_of(mesh, 1024)), dag = build_dag(context(), octree);
  EXPECT_EQ(octree.leaves.size(), 256u * 256);
  EXPECT_EQ(dag.leaves.size(), 1u);
  EXPECT_EQ(dag.nodes.size(), 8u);
  EXPECT_EQ(dag.links.size(), 8u * 4);
  EXPECT_EQ(count_voxels(context(), dag), 1024u * 1024);
}

TEST_P(VoxelTreeTest, AreHitAsBricksAre) {
  for (const Mesh& mesh : {generate_sphere(2), generate_random(30, 0.2f), generate_grid(4)}) {
    for (const u32 resolution : {1u, 9u, 30u, 300u}) {
      const Bricks bricks = bricks_of(mesh, resolution);
      const VoxelTree octree = build_octree(context(), bricks);
      const HostTree host_octree(octree), host_dag(build_dag(context(), octree));
      const std::vector<u64> keys = bricks.keys.download();
      const std::vector<u32> words = bricks.words.download();
      Context cpu({.backend = Backend::cpu});
      BrickTable table(cpu, bricks.brick_shape(), keys.size());
      for (u32 b = 0; b < keys.size(); ++b) table.view().insert(keys[b], b);
      const BrickView view{bricks.shape, bricks.brick_shape(), table.view(), {words.data(), words.size()}};
      u32 hits = 0;
      for (const Ray& ray : test::difficult_rays(mesh, 500, 1)) {
        const VoxelHit expected = first_voxel(view, ray);
        hits += is_hit(expected);
        for (const HostTree* tree : {&host_octree, &host_dag}) {
          const VoxelHit hit = first_voxel(tree->view, ray);
          ASSERT_EQ(std::bit_cast<u32>(hit.t), std::bit_cast<u32>(expected.t));
          ASSERT_EQ(hit.voxel, expected.voxel);
        }
      }
      EXPECT_GT(hits, 50u);
    }
  }
}

TEST_P(VoxelTreeTest, ReachTheLastVoxelAt65536) {
  const Mesh mesh{{vec3(0), vec3(1, 1, 0.001f)}, {uvec3(0, 0, 0), uvec3(1, 1, 1)}};
  const Bricks bricks = bricks_of(mesh, 65536);
  const VoxelTree octree = build_octree(context(), bricks), dag = build_dag(context(), octree);
  EXPECT_EQ(octree.level_count, max_voxel_levels);
  EXPECT_EQ(voxels_of(HostTree(octree)), voxels_of(bricks));
  EXPECT_EQ(voxels_of(HostTree(dag)), voxels_of(bricks));
}

TEST_P(VoxelTreeTest, RefuseWhatTheyAreNotMadeOf) {
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR((void)build_octree(context(), Bricks{}), invalid, "never made");
  const VoxelTree octree = build_octree(context(), bricks_of(generate_cube(), 10));
  const VoxelTree dag = build_dag(context(), octree);
  EXPECT_COPSE_ERROR((void)build_dag(context(), dag), invalid, "the tree is a DAG");
}

COPSE_ON_EACH_BACKEND(VoxelTreeTest);

TEST(VoxelTreesOnBoth, AreEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_sphere(5), generate_hairball(50, 20), generate_random(3000, 0.3f)}) {
    const DeviceMesh a(cpu, mesh), b(cuda, mesh);
    const VoxelTree on_cpu = build_octree(cpu, build_bricks(cpu, a.view(), {.resolution = 700}));
    const VoxelTree on_cuda = build_octree(cuda, build_bricks(cuda, b.view(), {.resolution = 700}));
    const VoxelTree dag_cpu = build_dag(cpu, on_cpu), dag_cuda = build_dag(cuda, on_cuda);
    for (const auto& [x, y] : {std::pair(&on_cpu, &on_cuda), std::pair(&dag_cpu, &dag_cuda)}) {
      EXPECT_TRUE(test::same_bytes(x->nodes.download(), y->nodes.download()));
      EXPECT_TRUE(test::same_bytes(x->links.download(), y->links.download()));
      EXPECT_TRUE(test::same_bytes(x->leaves.download(), y->leaves.download()));
    }
  }
}

}  // namespace
}  // namespace copse
