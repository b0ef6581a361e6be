// Every structure of the viewer: hits of rays, counts, tints, and copies on the host, which must traverse as the
// device does.

#include "viewer/model/structures/structure.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <map>
#include <set>

#include "tests/support/backends.h"
#include "tests/viewer/look.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/picture/film.h"

namespace copse::test {
namespace {

using namespace viewer;

class Structures : public OnEachBackend {
 protected:
  std::vector<StructureOptions> trees() const {
    std::vector<StructureOptions> all;
    for (u32 builder = 0; builder < names<Builder>().size(); ++builder) {
      for (u32 layout = 0; layout < names<Layout>().size(); ++layout) {
        if (quality_of(Builder(builder)) && layout > 0) continue;  // an Accel has one layout
        StructureOptions options = tree_on(GetParam());
        options.builder = Builder(builder);
        options.layout = Layout(layout);
        all.push_back(options);
      }
    }
    return all;
  }
  /// The kinds that take any ray: all but frustum.
  std::vector<StructureOptions> everything() const {
    std::vector<StructureOptions> all = trees();
    for (const StructureKind kind :
         {StructureKind::grid, StructureKind::voxels, StructureKind::bricks, StructureKind::points,
          StructureKind::kdtree, StructureKind::octree, StructureKind::dag}) {
      StructureOptions options = tree_on(GetParam());
      options.kind = kind;
      options.voxel_resolution = options.brick_resolution = 60;
      options.ball_radius = 0.05f;  // so large that there are no holes
      all.push_back(options);
    }
    return all;
  }
};
COPSE_ON_EACH_BACKEND(Structures);

bool is_of_voxels(StructureKind kind) {
  return kind == StructureKind::voxels || kind == StructureKind::bricks || kind == StructureKind::octree ||
         kind == StructureKind::dag;
}

/// Rays from around the unit sphere. Most hit it, some do not.
std::vector<Ray> some_rays() {
  std::vector<Ray> rays;
  for (int i = 0; i < 100; ++i) {
    const float a = 0.7f * float(i), b = 0.31f * float(i);
    const vec3 origin = 3.0f * vec3(std::sin(a) * std::cos(b), std::sin(b), std::cos(a) * std::cos(b));
    const vec3 target =
        0.9f * vec3(std::cos(3 * b), std::sin(2 * a), std::cos(a + b)) * (i % 9 == 0 ? 3.0f : 1.0f);
    rays.push_back({origin, 0, glm::normalize(target - origin), infinity});
  }
  return rays;
}

TEST_P(Structures, PickedRaysHitWhatTheDeviceSees) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    u64 hit_count = 0;
    for (u64 i = 0; i < rays.size(); ++i) {
      const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
      EXPECT_EQ(pick.hit.primitive, seen.surfaces[i].id) << in_words(options) << ", ray " << i;
      EXPECT_EQ(pick.hit.t, seen.surfaces[i].t) << in_words(options);
      hit_count += is_hit(pick.hit);
    }
    EXPECT_GT(hit_count, 40u);
    EXPECT_LT(hit_count, 90u);
  }
}

TEST_P(Structures, AllTreesAndGridsSeeTheSame) {
  const std::vector<Ray> rays = some_rays();
  LiveStructure first = live_over(sphere(), tree_on(GetParam()));
  const Seen expected = look(first, rays);
  for (const StructureOptions& options : everything()) {
    if (is_of_voxels(options.kind) || options.kind == StructureKind::points) continue;
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    for (u64 i = 0; i < rays.size(); ++i) {
      EXPECT_EQ(seen.surfaces[i].t, expected.surfaces[i].t) << in_words(options);
      EXPECT_EQ(seen.occluded[i], expected.surfaces[i].id != invalid_id) << in_words(options);
    }
  }
}

TEST_P(Structures, VoxelsStandWhereTheSurfaceIs) {
  const std::vector<Ray> rays = some_rays();
  LiveStructure tree = live_over(sphere(), tree_on(GetParam()));
  const Seen expected = look(tree, rays);
  for (const StructureKind kind :
       {StructureKind::voxels, StructureKind::bricks, StructureKind::octree, StructureKind::dag}) {
    StructureOptions options = tree_on(GetParam());
    options.kind = kind;
    options.voxel_resolution = options.brick_resolution = 200;
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    for (u64 i = 0; i < rays.size(); ++i) {
      if (expected.surfaces[i].id == invalid_id) continue;
      EXPECT_LE(seen.surfaces[i].t, expected.surfaces[i].t + 1e-3f);
      EXPECT_GE(glm::dot(seen.surfaces[i].normal, -rays[i].direction), 0) << "the face that it came through";
      EXPECT_EQ(glm::length(seen.surfaces[i].normal), 1);
      EXPECT_EQ(seen.occluded[i], 1);
    }
  }
}

TEST_P(Structures, LabelsAreTheLeavesOfTheCopy) {
  const std::vector<Ray> rays = some_rays();
  for (const Layout layout : {Layout::bvh2, Layout::cbvh8}) {
    StructureOptions options = tree_on(GetParam());
    options.layout = layout;
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    std::map<u32, u32> leaf_of_label;
    for (u64 i = 0; i < rays.size(); ++i) {
      if (seen.surfaces[i].id == invalid_id) continue;
      const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
      EXPECT_TRUE(layout != Layout::bvh2 || seen.labels[i] == pick.leaf);
      const auto [at, fresh] = leaf_of_label.insert({seen.labels[i], pick.leaf});
      EXPECT_EQ(at->second, pick.leaf) << "one label, one leaf";
    }
    EXPECT_GT(leaf_of_label.size(), 10u);
  }
}

TEST_P(Structures, PicksListTheWayToTheLeafThatHoldsTheHit) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    LiveStructure live = live_over(sphere(), options);
    for (const Ray& ray : rays) {
      const Pick pick = live.host_copy().walk(live.host_triangles(), ray);
      if (!is_hit(pick.hit)) continue;
      if (options.kind == StructureKind::points) continue;  // balls reach beyond their cells
      ASSERT_FALSE(pick.visited.empty());
      if (live.host_copy().tree() == nullptr) continue;
      EXPECT_EQ(pick.visited.front().depth, 0u) << "from the root on";
      const auto leaf = std::find_if(pick.visited.begin(), pick.visited.end(),
                                     [&](const VisitedNode& node) { return node.node == pick.leaf; });
      ASSERT_NE(leaf, pick.visited.end());
      EXPECT_TRUE(leaf->is_leaf);
      if (is_of_voxels(options.kind)) continue;  // their rays may be off by 1/32 of a voxel, and test no triangles
      EXPECT_LE(leaf->entered, pick.hit.t * 1.0001f);
      EXPECT_GE(pick.primitive_tests, 1u);
    }
  }
}

TEST_P(Structures, VisitsOfATreeAreThoseOfThePick) {
  const std::vector<Ray> rays = some_rays();
  LiveStructure live = live_over(sphere(), tree_on(GetParam()));
  const Seen seen = look(live, rays);
  if (GetParam() != Backend::cpu) GTEST_SKIP() << "the GPU rounds boxes otherwise, and visits a few others";
  for (u64 i = 0; i < rays.size(); ++i) {
    const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
    EXPECT_EQ(seen.visits[i], pick.visited.size() + pick.primitive_tests);
  }
}

TEST_P(Structures, CopiesHoldTheWholeTree) {
  for (const StructureOptions& options : trees()) {
    LiveStructure live = live_over(sphere(), options);
    const HostTree& tree = *live.host_copy().tree();
    std::vector<u32> seen(1280, 0);
    u32 deepest = 0;
    u64 leaf_count = 0;
    for (const HostNode& node : tree.nodes) {
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

TEST_P(Structures, CellsOfAKdTreeFillTheScene) {
  StructureOptions options = tree_on(GetParam());
  options.kind = StructureKind::kdtree;
  LiveStructure live = live_over(sphere(), options);
  const HostTree& tree = *live.host_copy().tree();
  EXPECT_EQ(tree.nodes.size(), live.statistics().node_count);
  EXPECT_EQ(tree.depth, live.statistics().depth);
  double volume = 0;
  u64 reference_count = 0;
  for (const HostNode& node : tree.nodes) {
    if (node.child_count == 0) volume += volume_of(node.box);
    reference_count += node.primitive_count;
  }
  EXPECT_NEAR(volume, volume_of(tree.nodes[0].box), 1e-4 * volume);
  EXPECT_EQ(reference_count, live.statistics().reference_count);

  const std::vector<Ray> rays = some_rays();
  const Seen seen = look(live, rays);
  for (u64 i = 0; i < rays.size(); ++i) {
    if (seen.surfaces[i].id == invalid_id) continue;
    const HostNode& cell = tree.nodes[seen.labels[i]];
    const vec3 p = rays[i].origin + seen.surfaces[i].t * rays[i].direction;
    EXPECT_EQ(cell.child_count, 0u);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_GE(p[axis], cell.box.lo[axis] - 1e-5f) << i;
      EXPECT_LE(p[axis], cell.box.hi[axis] + 1e-5f) << i;
    }
  }
}

TEST_P(Structures, RefittedAndRebuiltSeeTheSameScene) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    for (const Deformation deformation : {Deformation::twist, Deformation::explode, Deformation::wave}) {
      const Pose pose{deformation, 0.5f, 0.4f};
      LiveStructure refitted = live_over(sphere(), options), built = live_over(sphere(), options, pose);
      refitted.move(pose, UpdateMode::refit, true);
      const Seen a = look(refitted, rays), b = look(built, rays);
      for (u64 i = 0; i < rays.size(); ++i) EXPECT_EQ(a.surfaces[i].t, b.surfaces[i].t) << in_words(options);
    }
  }
}

TEST_P(Structures, StructureThatIsLeftBehindBreaksAndIsMended) {
  const std::vector<Ray> rays = some_rays();
  const Pose pose{Deformation::explode, 1, 0.5f};
  LiveStructure live = live_over(sphere(), tree_on(GetParam())),
                right = live_over(sphere(), tree_on(GetParam()), pose);
  const auto misses = [&] {
    const Seen a = look(live, rays), b = look(right, rays);
    u64 count = 0;
    for (u64 i = 0; i < rays.size(); ++i) count += a.surfaces[i].id != b.surfaces[i].id;
    return count;
  };
  live.move(pose, UpdateMode::nothing, true);
  EXPECT_GT(misses(), 0u);
  live.refit_now();
  EXPECT_EQ(misses(), 0u);
  EXPECT_GT(live.drift(), 1.05);
  live.build_now();
  EXPECT_EQ(misses(), 0u);
  EXPECT_EQ(live.drift(), 1.0);
}

TEST_P(Structures, AutomaticRebuildsWhereARefitWouldHaveGrownByAQuarter) {
  for (const float strength : {0.02f, 0.5f, 4.0f}) {
    const Pose pose{Deformation::explode, strength, 0.25f};
    LiveStructure refitted = live_over(sphere(), tree_on(GetParam())),
                  live = live_over(sphere(), tree_on(GetParam()));
    refitted.move(pose, UpdateMode::refit, true);
    live.move(pose, UpdateMode::automatic, true);
    const bool is_due = refitted.drift() > 1.25;
    EXPECT_EQ(live.times().is_refit, !is_due) << strength << ": " << refitted.drift();
    EXPECT_EQ(live.drift(), is_due ? 1 : refitted.drift()) << strength;
  }
}

TEST_P(Structures, SceneWithoutTrianglesHasThemAll) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    LiveStructure live = live_over(join_meshes({}), options);
    const Seen seen = look(live, rays);
    for (const SurfaceHit& surface : seen.surfaces) EXPECT_EQ(surface.id, invalid_id) << in_words(options);
    EXPECT_FALSE(is_hit(live.host_copy().walk(live.host_triangles(), rays[0]).hit));
    u64 count = 7;
    EXPECT_TRUE(live.host_copy().cells(10, count).empty());
    EXPECT_EQ(count, 0u);
    live.move({Deformation::explode, 1, 0.5f}, UpdateMode::refit, true);
    live.build_now();
  }
}

TEST_P(Structures, CellsOfAVoxelGridAreThoseThatAreSet) {
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

TEST_P(Structures, CellsOfAVoxelTreeAreThoseOfItsLevels) {
  for (const StructureKind kind : {StructureKind::octree, StructureKind::dag}) {
    StructureOptions options = tree_on(GetParam());
    options.kind = kind;
    options.brick_resolution = 60;
    LiveStructure live = live_over(sphere(), options);
    const Statistics statistics = live.statistics();
    const HostTree& tree = *live.host_copy().tree();
    ASSERT_EQ(tree.depth, *statistics.depth);
    u64 voxel_count = 0, leaf_count = 0;
    for (const HostNode& node : tree.nodes) {
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
        const HostNode& child = tree.nodes[tree.children[node.first_child + k]];
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

TEST_P(Structures, PicksInAVoxelTreeGoDownToTheLeafThatTheyHit) {
  const std::vector<Ray> rays = some_rays();
  StructureOptions options = tree_on(GetParam());
  options.kind = StructureKind::dag;
  options.brick_resolution = 60;
  LiveStructure live = live_over(sphere(), options);
  for (const Ray& ray : rays) {
    const Pick pick = live.host_copy().walk(live.host_triangles(), ray);
    if (!is_hit(pick.hit)) continue;
    const HostTree& tree = *live.host_copy().tree();
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

TEST_P(Structures, RefusesOptionsThatNoBuilderTakes) {
  StructureOptions options = tree_on(GetParam());
  options.max_leaf_size = 77;
  EXPECT_COPSE_ERROR(live_over(sphere(), options), ErrorCode::invalid_argument, "77");
}

TEST(StructuresWithoutGpu, BackendThatIsNotThereIsAnError) {
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers";
  EXPECT_COPSE_ERROR(live_over(sphere(), tree_on(Backend::cuda)), ErrorCode::no_device, "");
}

}  // namespace
}  // namespace copse::test
