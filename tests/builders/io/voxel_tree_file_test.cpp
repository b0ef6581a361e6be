#include "builders/io/voxel_tree_file.h"

#include <cstring>
#include <functional>

#include "builders/geometry/generate.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "trace/voxel_march.h"

namespace copse::test {
namespace {

bool same(const HostVoxelTree& a, const HostVoxelTree& b) {
  return a.shape.lo == b.shape.lo && a.shape.resolution == b.shape.resolution && a.is_dag == b.is_dag &&
         a.level_count == b.level_count && a.level_nodes == b.level_nodes && same_bytes(a.nodes, b.nodes) &&
         same_bytes(a.links, b.links) && same_bytes(a.leaves, b.leaves);
}

class VoxelTreeFiles : public OnEachBackend {
 protected:
  struct Built {
    HostVoxels voxels;
    HostVoxelTree octree, dag;
  };
  Built build(const Mesh& mesh, u32 resolution) {
    const DeviceMesh device(context(), mesh);
    const Bricks bricks = build_bricks(context(), device.view(), {.resolution = resolution});
    const VoxelTree octree = build_octree(context(), bricks);
    return {download(bricks), download(octree), download(build_dag(context(), octree))};
  }
  TemporaryFolder folder_;
};

TEST_P(VoxelTreeFiles, AreReadAsTheyWereWritten) {
  for (const Mesh& mesh : {generate_sphere(3), generate_cube(), generate_random(30, 0.2f), generate_grid(3)}) {
    for (const u32 resolution : {1u, 8u, 9u, 70u, 300u}) {
      const Built built = build(mesh, resolution);
      for (const HostVoxelTree& tree : {built.octree, built.dag}) {
        save_voxel_tree(folder_ / "a.voxels", tree);
        EXPECT_TRUE(holds_voxel_tree(folder_ / "a.voxels"));
        const HostVoxelTree loaded = load_voxel_tree(folder_ / "a.voxels");
        EXPECT_TRUE(same(loaded, tree)) << resolution;
        const HostVoxels voxels = load_voxels(folder_ / "a.voxels");
        EXPECT_EQ(voxels.keys, built.voxels.keys) << resolution;
        EXPECT_EQ(voxels.words, built.voxels.words) << resolution;
        const VoxelTreeSizes sizes = sizes_of(loaded);
        EXPECT_EQ(sizes.voxel_count, count_voxels(built.voxels));
        EXPECT_EQ(sizes.brick_count, built.voxels.keys.size());
        EXPECT_EQ(sizes.octree_node_count, built.octree.nodes.size());
        EXPECT_EQ(sizes.octree_leaf_count, built.octree.leaves.size());
      }
    }
  }
}

TEST_P(VoxelTreeFiles, AreUsedOnTheDevice) {
  const Built built = build(generate_sphere(3), 100);
  for (const HostVoxelTree& tree : {built.octree, built.dag}) {
    const VoxelTree on_device = upload(context(), tree);
    EXPECT_EQ(count_voxels(context(), on_device), count_voxels(built.voxels));
    EXPECT_EQ(on_device.octree_node_count, built.octree.nodes.size());
    EXPECT_TRUE(same(download(on_device), tree));
  }
  const Ray ray{vec3(0.1f, 0.1f, 9), 0, vec3(0, 0, -1), infinity};
  const VoxelHit first = first_voxel(built.octree.view(), ray), second = first_voxel(built.dag.view(), ray);
  EXPECT_TRUE(is_hit(first));
  EXPECT_EQ(first.voxel, second.voxel);
  EXPECT_EQ(first.t, second.t);
}

TEST_P(VoxelTreeFiles, OfNothingAreFiles) {
  const DeviceMesh device(context(), Mesh{});
  const VoxelTree octree = build_octree(context(), build_bricks(context(), device.view(), {.resolution = 9}));
  save_voxel_tree(folder_ / "a.voxels", download(octree));
  EXPECT_EQ(load_voxel_tree(folder_ / "a.voxels").nodes.size(), 0u);
  EXPECT_EQ(load_voxels(folder_ / "a.voxels").keys.size(), 0u);
}

COPSE_ON_EACH_BACKEND(VoxelTreeFiles);

/// An octree and its DAG, and files of them.
class VoxelTreeFault : public testing::Test {
 protected:
  void SetUp() override {
    Context context({.backend = Backend::cpu});
    const DeviceMesh device(context, generate_sphere(2));
    const VoxelTree octree = build_octree(context, build_bricks(context, device.view(), {.resolution = 60}));
    octree_ = download(octree);
    dag_ = download(build_dag(context, octree));
  }

  void expect_refused(HostVoxelTree tree, const std::function<void(HostVoxelTree&)>& spoil,
                      const std::string& part) {
    spoil(tree);
    EXPECT_COPSE_ERROR(save_voxel_tree(folder_ / "a.voxels", tree), ErrorCode::invalid_argument, part);
    EXPECT_EQ(folder_.file_count(), 0u);
  }

  HostVoxelTree octree_, dag_;
  TemporaryFolder folder_;
};

TEST_F(VoxelTreeFault, IsNamed) {
  using Tree = HostVoxelTree;
  expect_refused(
      octree_, [](Tree& t) { t.leaves[3] = 0; }, "leaf 3 has no voxel");
  expect_refused(
      octree_, [](Tree& t) { t.nodes[2].mask = 0; }, "node 2 has the mask 0; it can be 1 to 255");
  expect_refused(
      octree_, [](Tree& t) { t.nodes[2].mask |= 256; }, "node 2 has the mask");
  expect_refused(
      octree_, [](Tree& t) { ++t.nodes[1].first; }, "node 1 has its first child at");
  expect_refused(
      octree_, [](Tree& t) { t.leaves.push_back(1); }, "children below it");
  expect_refused(
      octree_, [](Tree& t) { t.links.push_back(0); }, "an octree has 1 link");
  expect_refused(
      octree_, [](Tree& t) { t.level_count = 3; }, "the tree has 3 levels; its resolution needs 4");
  expect_refused(
      octree_, [](Tree& t) { ++t.level_nodes[0]; }, "nodes together");
  expect_refused(
      octree_, [](Tree& t) { t.level_nodes[9] = 1; }, "level 10 has 1 node");
  expect_refused(
      octree_, [](Tree& t) { t.shape.resolution.y = 40; }, "on axis 1 of a grid of 40");
  expect_refused(
      dag_, [](Tree& t) { t.leaves[1] = t.leaves[0]; }, "two leaves of a DAG are equal");
  expect_refused(
      dag_, [](Tree& t) { t.links[0] = u32(t.leaves.size()); }, "the level below has 0 to");
  expect_refused(
      dag_, [](Tree& t) { t.links.back() = 0; }, "has the child 0");
  expect_refused(
      dag_, [](Tree& t) { t.links.push_back(0); }, "links; there are");
  expect_refused(
      dag_,
      [](Tree& t) {
        const u32 count = population_count(t.nodes[0].mask);
        t.nodes[1].mask = t.nodes[0].mask;
        std::copy_n(t.links.begin(), count, t.links.begin() + t.nodes[1].first);
      },
      "node");
}

/// Two equal subtrees in a tree that is right in all else: the octree with the links that its numbers stand for.
TEST_F(VoxelTreeFault, IsASubtreeThatIsTwiceInADag) {
  HostVoxelTree tree = octree_;
  tree.is_dag = true;
  std::sort(tree.leaves.begin(), tree.leaves.end());
  tree.leaves.erase(std::unique(tree.leaves.begin(), tree.leaves.end()), tree.leaves.end());
  for (u64 i = 0; i < tree.nodes.size(); ++i) {
    VoxelNode& node = tree.nodes[i];
    const u32 first = node.first;
    node.first = u32(tree.links.size());
    for (u32 k = 0; k < population_count(node.mask); ++k) {
      const auto found = std::lower_bound(tree.leaves.begin(), tree.leaves.end(), octree_.leaves[first + k]);
      tree.links.push_back(i < tree.level_nodes[0] ? u32(found - tree.leaves.begin()) : first + k);
    }
  }
  expect_refused(
      tree, [](HostVoxelTree&) {}, "of a DAG are equal");
}

/// A file with any word changed is refused, or it holds a tree without a fault; nothing reads outside of it.
TEST_F(VoxelTreeFault, OfAFileIsNeverTrusted) {
  for (const HostVoxelTree& tree : {octree_, dag_}) {
    save_voxel_tree(folder_ / "a.voxels", tree);
    const std::string good = read_bytes(folder_ / "a.voxels");
    u32 refused = 0;
    for (size_t at = 0; at + 4 <= good.size(); at += at < 300 ? 4 : 404) {
      for (const u32 value : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
        try {
          (void)to_voxels(load_voxel_tree(folder_.write("b.voxels", sealed_with_word(good, at, value))));
        } catch (const Error& error) {
          ++refused;
          EXPECT_EQ(error.code(), ErrorCode::bad_file) << error.what();
        }
      }
    }
    EXPECT_GT(refused, 100u);
    for (const size_t size : {size_t{0}, size_t{79}, size_t{100}, good.size() - 4}) {
      EXPECT_COPSE_ERROR(load_voxel_tree(folder_.write("b.voxels", good.substr(0, size))), ErrorCode::bad_file,
                         "");
    }
    std::filesystem::remove(folder_ / "a.voxels");
    std::filesystem::remove(folder_ / "b.voxels");
  }
}

/// A DAG of a few bytes that stands for 2^36 voxels and more.
TEST(VoxelTreeBombs, AreNotExpanded) {
  HostVoxelTree tree;
  tree.shape.resolution = uvec3(4096);
  tree.is_dag = true;
  tree.level_count = 10;
  tree.leaves = {~u64{0}};
  for (u32 level = 0; level < 10; ++level) {
    tree.nodes.push_back({8 * level, 0xff});
    for (int k = 0; k < 8; ++k) tree.links.push_back(level == 0 ? 0 : level - 1);
    tree.level_nodes[level] = 1;
  }
  EXPECT_EQ(sizes_of(tree).voxel_count, u64{1} << 36);
  EXPECT_COPSE_ERROR(to_voxels(tree), ErrorCode::capacity, "the tree has 134217728 bricks; at most 67108864");
}

}  // namespace
}  // namespace copse::test
