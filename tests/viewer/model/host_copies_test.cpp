// The copies of structures on the host: their nodes, cells and walks.

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <set>

#include "tests/viewer/model/look.h"
#include "tests/viewer/model/structures.h"
#include "viewer/model/inspect/host_copy.h"

namespace copse::test {
namespace {

using namespace viewer;

class HostCopies : public Structures {};
COPSE_ON_EACH_BACKEND(HostCopies);

TEST_P(HostCopies, CopiesHoldTheWholeTree) {
  for (const StructureOptions& options : trees()) {
    LiveStructure live = live_over(sphere(), options);
    const TreeNodes& tree = *live.host_copy().tree();
    std::vector<u32> seen(1280, 0);
    u32 deepest = 0;
    u64 leaf_count = 0;
    for (const TreeNode& node : tree.nodes) {
      for (u32 k = 0; k < node.primitive_count; ++k) ++seen[tree.primitive_ids[node.first_primitive + k]];
      leaf_count += node.is_leaf();
      deepest = std::max(deepest, node.depth);
      for (u32 k = 0; k < node.child_count; ++k) {
        EXPECT_EQ(&tree.nodes[tree.nodes[tree.children[node.first_child + k]].parent], &node);
      }
    }
    EXPECT_EQ(seen, std::vector<u32>(1280, 1)) << in_words(options);
    EXPECT_EQ(leaf_count, live.statistics().leaf_count) << in_words(options);
    EXPECT_EQ(deepest, live.statistics().depth) << in_words(options);
  }
}

double volume_of(const Aabb& box) {
  const dvec3 size = dvec3(box.hi) - dvec3(box.lo);
  return size.x * size.y * size.z;
}

TEST_P(HostCopies, CellsOfAKdTreeFillTheScene) {
  StructureOptions options = tree_on(GetParam());
  options.kind = StructureKind::kdtree;
  LiveStructure live = live_over(sphere(), options);
  const TreeNodes& tree = *live.host_copy().tree();
  EXPECT_EQ(tree.nodes.size(), live.statistics().node_count);
  EXPECT_EQ(tree.depth, live.statistics().depth);
  double volume = 0;
  u64 reference_count = 0;
  for (const TreeNode& node : tree.nodes) {
    if (node.child_count == 0) volume += volume_of(node.box);
    reference_count += node.primitive_count;
  }
  EXPECT_NEAR(volume, volume_of(tree.nodes[0].box), 1e-4 * volume);
  EXPECT_EQ(reference_count, live.statistics().reference_count);

  const std::vector<Ray> rays = some_rays();
  const Seen seen = look(live, rays);
  for (u64 i = 0; i < rays.size(); ++i) {
    if (seen.surfaces[i].id == invalid_id) continue;
    const TreeNode& cell = tree.nodes[seen.labels[i]];
    const vec3 p = rays[i].origin + seen.surfaces[i].t * rays[i].direction;
    EXPECT_EQ(cell.child_count, 0u);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_GE(p[axis], cell.box.lo[axis] - 1e-5f) << i;
      EXPECT_LE(p[axis], cell.box.hi[axis] + 1e-5f) << i;
    }
  }
}

TEST_P(HostCopies, CellsOfAVoxelGridAreThoseThatAreSet) {
  for (const StructureKind kind : {StructureKind::voxels, StructureKind::bricks, StructureKind::grid}) {
    StructureOptions options = tree_on(GetParam());
    options.kind = kind;
    options.voxel_resolution = options.brick_resolution = 21;
    LiveStructure live = live_over(sphere(), options);
    u64 count = 0;
    const std::vector<CellCorners> some = live.host_copy().cells(5, count);
    EXPECT_EQ(some.size(), 5u);
    EXPECT_EQ(count, live.statistics().occupied_count) << name_of(kind);
    for (const CellCorners& corners : live.host_copy().cells(~u64{0}, count)) {
      const Aabb box{corners[0], corners[7]};
      const vec3 nearest = glm::clamp(vec3(0), box.lo, box.hi);
      const float farthest = glm::length(glm::max(glm::abs(box.lo), glm::abs(box.hi)));
      EXPECT_LE(glm::length(nearest), 1.02f);
      EXPECT_GE(farthest, 0.97f) << "none inside of the sphere";
    }
  }
}

TEST_P(HostCopies, CellsOfAVoxelTreeAreThoseOfItsLevels) {
  for (const StructureKind kind : {StructureKind::octree, StructureKind::dag}) {
    StructureOptions options = tree_on(GetParam());
    options.kind = kind;
    options.brick_resolution = 60;
    LiveStructure live = live_over(sphere(), options);
    const Statistics statistics = live.statistics();
    const TreeNodes& tree = *live.host_copy().tree();
    ASSERT_EQ(tree.depth, *statistics.depth);
    u64 voxel_count = 0, leaf_count = 0;
    for (const TreeNode& node : tree.nodes) {
      if (node.is_leaf()) {
        EXPECT_EQ(node.depth, tree.depth);
        EXPECT_EQ(node.first_primitive, voxel_count);
        voxel_count += node.primitive_count;
        ++leaf_count;
      }
      const float edge =
          4.0f * float(1u << (tree.depth - node.depth)) / 60 * 2;  // the sphere's box has edges of 2
      const vec3 extent = node.box.hi - node.box.lo;
      EXPECT_LE(glm::max(extent.x, glm::max(extent.y, extent.z)), edge * 1.02f);
      for (u32 k = 0; k < node.child_count; ++k) {
        const TreeNode& child = tree.nodes[tree.children[node.first_child + k]];
        EXPECT_EQ(child.depth, node.depth + 1);
        EXPECT_TRUE(merge(node.box, child.box) == node.box);
      }
    }
    EXPECT_EQ(voxel_count, *statistics.occupied_count);
    const bool is_dag = kind == StructureKind::dag;
    EXPECT_EQ(leaf_count > *statistics.leaf_count, is_dag) << "a DAG stores equal leaves once";
    EXPECT_EQ(tree.nodes.size() > *statistics.node_count + *statistics.leaf_count, is_dag);
  }
}

TEST_P(HostCopies, PicksInAVoxelTreeGoDownToTheLeafThatTheyHit) {
  const std::vector<Ray> rays = some_rays();
  StructureOptions options = tree_on(GetParam());
  options.kind = StructureKind::dag;
  options.brick_resolution = 60;
  LiveStructure live = live_over(sphere(), options);
  for (const Ray& ray : rays) {
    const Pick pick = live.host_copy().walk(live.host_triangles(), ray);
    if (!is_hit(pick.hit)) continue;
    const TreeNodes& tree = *live.host_copy().tree();
    ASSERT_LT(pick.leaf, tree.nodes.size());
    EXPECT_TRUE(tree.nodes[pick.leaf].is_leaf());
    ASSERT_FALSE(pick.visited.empty());
    EXPECT_EQ(pick.visited.front().node, 0u) << "the root";
    EXPECT_EQ(pick.visited.back().node, pick.leaf);
    std::set<u32> visited;
    for (const VisitedNode& node : pick.visited) {
      EXPECT_TRUE(visited.insert(node.node).second) << "twice";
      EXPECT_TRUE(node.depth == 0 || visited.contains(tree.nodes[node.node].parent));
    }
    const Aabb& box = tree.nodes[pick.leaf].box;
    const float slack = 2.0f / 60 / 32;  // rays may be off by 1/32 of a voxel along each axis
    EXPECT_LE(glm::length(pick.point - glm::clamp(pick.point, box.lo, box.hi)), 2 * slack);
  }
}

}  // namespace
}  // namespace copse::test
