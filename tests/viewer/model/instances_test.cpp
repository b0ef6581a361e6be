// Scenes of instances: files, both levels, instances that are moved, the pile.

#include "viewer/model/scene/pile.h"
#include "viewer/model/scene/scene_file.h"

#include <algorithm>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

const std::filesystem::path grove = "assets/grove.glb";

/// The number of pixels that differ. Where an edge is rounded another way, a ray may pass by it.
u32 differing(const Image& a, const Image& b) {
  u32 count = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    const Rgba8 p = a.pixels[i], q = b.pixels[i];
    count += std::abs(p.r - q.r) + std::abs(p.g - q.g) + std::abs(p.b - q.b) > 6;
  }
  return count;
}

void open_grove(Session& session) {
  session.view().smooth_samples = 1;
  session.open({grove});
  session.finish();
}

u64 boxes_of_level(Session& session, u32 level) {
  session.overlay() = {.boxes = true, .level = level};
  session.finish();
  return session.lines(0).size() / 24;
}

class Instances : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda) COPSE_SKIP_WITHOUT_GPU();
    s.session.wanted(0).backend = GetParam();
  }
  SmallSession s;
};

COPSE_ON_EACH_BACKEND(Instances);

TEST_P(Instances, OfAFileAreShownThroughBothLevels) {
  open_grove(s.session);
  EXPECT_EQ(s.session.messages().first_error(), nullptr);
  EXPECT_EQ(s.session.built(0).kind, StructureKind::file);
  EXPECT_EQ(s.session.geometry()->parts.size(), 340u);
  EXPECT_EQ(s.session.geometry()->mesh.triangles.size(), 38404u);
  EXPECT_EQ(s.session.geometry()->parts[64].name, "panel");
  EXPECT_EQ(s.session.statistics(0).primitive_count, 38404u);
  EXPECT_EQ(s.session.statistics(0).leaf_count, 340u);
  EXPECT_EQ(s.session.statistics(0).origin, "340 instances of 5 meshes, balanced");
  for (const View view : {View::normals, View::distance, View::ambient_occlusion, View::leaves}) {
    s.session.view().view = view;
    s.session.wanted(0).kind = StructureKind::file;
    s.session.build(0);
    s.session.finish();
    const Image through_both = s.session.picture(0).image;
    if (view == View::leaves) continue;  // of instances, not of triangles
    s.session.wanted(0).kind = StructureKind::bvh;
    s.session.build(0);
    s.session.finish();
    EXPECT_LT(differing(through_both, s.session.picture(0).image), 30u) << u32(view);
  }
}

TEST_P(Instances, ShowHeatAndBoxesOfBothLevels) {
  open_grove(s.session);
  s.session.view().view = View::heat;
  s.session.finish();
  EXPECT_GT(s.session.picture(0).image.pixels.size(), 0u);
  const TreeNodes& tree = *s.session.tree(0);
  u32 instances = 0, leaves = 0;
  std::vector<u32> ids = tree.primitive_ids;
  for (const TreeNode& node : tree.nodes) {
    leaves += node.is_leaf();
    instances += node.parent != invalid_id && tree.nodes[node.parent].child_count == 1;
  }
  EXPECT_EQ(instances, 340u) << "a root of a mesh below each leaf";
  EXPECT_GT(leaves, 1000u);
  std::sort(ids.begin(), ids.end());
  ASSERT_EQ(ids.size(), 38404u);
  for (u32 i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i) << "each triangle is in one leaf";
  EXPECT_EQ(boxes_of_level(s.session, 0), 1u);
  EXPECT_GT(boxes_of_level(s.session, 8), 340u);
}

TEST_P(Instances, ArePickedByTheirTriangles) {
  open_grove(s.session);
  u32 hits = 0;
  for (const float x : {0.3f, 0.5f, 0.7f}) {
    s.session.pick(x, 0.6f);
    ASSERT_TRUE(s.session.picked().has_value());
    if (!is_hit(s.session.picked()->hit)) continue;
    ++hits;
    EXPECT_GT(s.session.picked()->visited.size(), 2u);
    EXPECT_NE(s.session.picked()->leaf, invalid_id);
    EXPECT_FALSE(s.session.picked()->part.empty());
  }
  EXPECT_GT(hits, 0u);
}

TEST_P(Instances, FollowTheHandByARefit) {
  open_grove(s.session);
  s.session.update_mode() = UpdateMode::refit;
  const Image before = s.session.picture(0).image;
  const Geometry at_rest = s.session.geometry();
  Instance up;
  up.rows[1][3] = 3;
  up.accel = 4;  // has no effect: an instance keeps its mesh
  s.session.place_instance(0, up);
  s.session.finish();
  EXPECT_TRUE(s.session.work_times(0).is_refit);
  EXPECT_GT(differing(before, s.session.picture(0).image), 500u) << "the ground hides the trees";
  s.session.place_instance(0, Instance{});
  s.session.place_instance(340, up);
  s.session.finish();
  EXPECT_EQ(differing(before, s.session.picture(0).image), 0u);
  EXPECT_TRUE(same_topology(*at_rest, *s.session.geometry()));
}

TEST_P(Instances, FallIntoAPileThatIsRebuiltInEveryFrame) {
  s.session.view().smooth_samples = 1;
  s.session.show_pile(60);
  s.session.update(0);
  EXPECT_EQ(s.session.geometry()->parts.size(), 61u);
  EXPECT_EQ(s.session.built(0).kind, StructureKind::file);
  EXPECT_TRUE(s.session.busy());
  const Image before = s.session.picture(0).image;
  for (int frame = 0; frame < 15; ++frame) s.session.update(1.0 / 10);
  EXPECT_FALSE(s.session.work_times(0).is_refit);
  EXPECT_GT(differing(before, s.session.picture(0).image), 50u);
  EXPECT_EQ(s.session.messages().first_error(), nullptr);
  s.session.open({grove});
  s.session.finish();
  EXPECT_EQ(s.session.geometry()->parts.size(), 340u) << "another scene ends the pile";
}

TEST(Pile, IsTheSameOnEveryRunAndComesToRest) {
  Pile one(200), other(200);
  one.go_to(90);
  other.go_to(120);
  other.go_to(90);
  const auto heights = [](const Pile& pile) {
    std::vector<float> all;
    for (const Instance& instance : pile.instances()) all.push_back(instance.rows[1][3]);
    return all;
  };
  EXPECT_EQ(heights(one), heights(other)) << "a step back begins anew";
  const auto highest = [&](const Pile& pile) {
    const std::vector<float> all = heights(pile);
    return *std::max_element(all.begin(), all.end());
  };
  const float falling = highest(one);
  one.go_to(Pile::seconds * Pile::steps_per_second);
  const std::vector<Instance> instances = one.instances();
  for (size_t i = 1; i < instances.size(); ++i) {
    EXPECT_GE(instances[i].rows[1][3], 0.499f) << "on the floor or above";
    for (size_t k = 1; k < i; ++k) {
      float square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const float d = instances[i].rows[axis][3] - instances[k].rows[axis][3];
        square += d * d;
      }
      EXPECT_GT(square, 0.55f) << "objects " << i << " and " << k << " lie in each other";
    }
  }
  EXPECT_LT(highest(one), falling);
  EXPECT_COPSE_ERROR(Pile(0), ErrorCode::invalid_argument, "0 objects; it can be 1 to 100000");
}

TEST(SceneFileOfInstances, BesideOtherFilesBecomesOneMesh) {
  SmallSession s;
  s.session.open({grove, "assets/testball.ply"});
  s.session.finish();
  EXPECT_EQ(s.session.built(0).kind, StructureKind::bvh);
  ASSERT_EQ(s.session.geometry()->parts.size(), 2u);
  EXPECT_EQ(s.session.geometry()->parts[0].triangle_count, 38404u);
  EXPECT_EQ(s.session.geometry()->placed, nullptr);
}

}  // namespace
}  // namespace copse::test
