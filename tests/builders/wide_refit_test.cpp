#include <algorithm>
#include <numeric>
#include <random>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/refit.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/two_contexts.h"
#include "tests/support/wide_bvh.h"

namespace copse::test {

/// A fixture of one layout on one backend.
template <class Tree>
struct RefitsOf {
  Context& context;

  Tree build(const DeviceMesh& mesh) const {
    return collapse<Tree>(context, copse::build(context, mesh.view(), HplocOptions{.max_leaf_size = 2}));
  }

  void change_nothing_where_nothing_moved(const NamedMesh& hard) const {
    const DeviceMesh mesh(context, hard.mesh);
    Tree tree = build(mesh);
    const WideCopy before(tree);
    refit(context, tree, mesh.view());
    EXPECT_TRUE(same_bytes(before, WideCopy(tree))) << hard.name;
  }

  /// Boxes four times as large make the same choices.
  void equal_a_fresh_encoding_of_the_moved_boxes() const {
    const Mesh host = generate_random(5000, 0.05f);
    Mesh moved = host;
    for (vec3& p : moved.positions) p = vec3(p.x * 4, p.y * 4, p.z * 4);
    DeviceMesh mesh(context, host);
    Bvh bvh = copse::build(context, mesh.view(), HplocOptions{});
    Tree tree = collapse<Tree>(context, bvh);
    mesh.positions.upload(moved.positions);
    refit(context, tree, mesh.view());
    refit(context, bvh, mesh.view());
    EXPECT_TRUE(same_bytes(WideCopy(collapse<Tree>(context, bvh)), WideCopy(tree)));
  }

  void track_boxes_as_triangles() const {
    const Mesh host = generate_random(3000, 0.05f);
    Mesh moved = host;
    for (vec3& p : moved.positions) p = vec3(p.x + p.y * p.z, p.y * 1.5f - p.x, p.z);
    DeviceMesh mesh(context, host);
    Tree by_triangles = build(mesh), by_boxes = build(mesh);
    mesh.positions.upload(moved.positions);
    const Buffer<Aabb> boxes(context, triangle_boxes(moved));
    refit(context, by_triangles, mesh.view());
    refit(context, by_boxes, BoxView{boxes.span()});
    EXPECT_TRUE(same_bytes(WideCopy(by_triangles), WideCopy(by_boxes)));
  }

  void bring_back_what_had_no_box() const {
    const Mesh host = generate_random(500, 0.05f);
    Mesh lost = host;
    for (u32 i = 0; i < lost.positions.size(); i += 2)
      lost.positions[i].x = std::numeric_limits<float>::quiet_NaN();
    DeviceMesh mesh(context, host);
    Tree tree = build(mesh);
    const WideCopy before(tree);
    mesh.positions.upload(lost.positions);
    refit(context, tree, mesh.view());
    EXPECT_FALSE(same_bytes(before, WideCopy(tree)));
    for (vec3& p : lost.positions) p.x = std::numeric_limits<float>::quiet_NaN();
    mesh.positions.upload(lost.positions);
    refit(context, tree, mesh.view());
    for (u32 slot = 0; slot < Tree::Node::width; ++slot) {
      EXPECT_TRUE(is_empty(WideCopy(tree).nodes[0].child_box(slot)));
    }
    mesh.positions.upload(host.positions);
    refit(context, tree, mesh.view());
    EXPECT_TRUE(same_bytes(before, WideCopy(tree)));
  }

  /// Nodes far from their children, as files may have them.
  void fit_nodes_in_any_order() const {
    const Mesh host = generate_random(60000, 0.02f);
    DeviceMesh mesh(context, host);
    Tree tree = build(mesh);
    const std::vector<u32> places = shuffled_places(tree.counts.download()[0].node_count);
    Tree scattered = build(mesh);
    scatter(scattered, places);
    Mesh moved = host;
    for (vec3& p : moved.positions) p = vec3(p.y, p.z - p.x, p.x * 2);
    mesh.positions.upload(moved.positions);
    refit(context, tree, mesh.view());
    refit(context, scattered, mesh.view());
    scatter(tree, places);
    EXPECT_TRUE(same_bytes(WideCopy(tree), WideCopy(scattered)));
  }

  void are_captured() const {
    const Mesh host = generate_random(2000, 0.05f);
    DeviceMesh mesh(context, host);
    Tree tree = build(mesh);
    Tree expected = build(mesh);
    refit(context, tree, mesh.view());
    Graph graph = context.capture([&] { refit(context, tree, mesh.view()); });
    Mesh moved = host;
    for (vec3& p : moved.positions) p = vec3(p.z, p.x * 3, p.y);
    mesh.positions.upload(moved.positions);
    refit(context, expected, mesh.view());
    graph.launch();
    EXPECT_TRUE(same_bytes(WideCopy(expected), WideCopy(tree)));
  }

  void refuse_other_counts() const {
    const DeviceMesh mesh(context, generate_sphere(2)), other(context, generate_cube());
    Tree tree = build(mesh), nothing;
    EXPECT_COPSE_ERROR(refit(context, tree, other.view()), ErrorCode::invalid_argument, "12 primitives, but");
    EXPECT_COPSE_ERROR(refit(context, nothing, BoxView{}), ErrorCode::invalid_argument, "never made");
  }

 private:
  static std::vector<u32> shuffled_places(u32 node_count) {
    std::vector<u32> places(node_count);
    std::iota(places.begin(), places.end(), 0u);
    std::mt19937 random(5);
    std::shuffle(places.begin() + 1, places.end(), random);
    return places;
  }
  static void scatter(Tree& tree, const std::vector<u32>& places) {
    const auto nodes = tree.nodes.download();
    const auto parents = tree.parents.download();
    auto new_nodes = nodes;
    auto new_parents = parents;
    for (u32 i = 0; i < places.size(); ++i) {
      auto& node = new_nodes[places[i]];
      node = nodes[i];
      for (u32 slot = 0; slot < Tree::Node::width; ++slot) {
        if (node.child(slot).is_inner()) node.first[slot] = places[node.first[slot]];
      }
      new_parents[places[i]] = i == 0 ? invalid_id : places[parents[i]];
    }
    tree.nodes.upload(new_nodes);
    tree.parents.upload(new_parents);
  }
};

class WideRefit : public OnEachBackend {
 protected:
  template <class F>
  void of_each_layout(const F& f) {
    f(RefitsOf<Bvh4>{context()});
    f(RefitsOf<CompressedBvh4>{context()});
    f(RefitsOf<CompressedBvh8>{context()});
  }
};
COPSE_ON_EACH_BACKEND(WideRefit);

TEST_P(WideRefit, ChangesNothingWhereNothingMoved) {
  for (const NamedMesh& hard : hard_meshes()) {
    of_each_layout([&](const auto& refits) { refits.change_nothing_where_nothing_moved(hard); });
  }
}

TEST_P(WideRefit, EqualsAFreshEncodingOfTheMovedBoxes) {
  of_each_layout([](const auto& refits) { refits.equal_a_fresh_encoding_of_the_moved_boxes(); });
}

TEST_P(WideRefit, FollowsBoxesAsItFollowsTriangles) {
  of_each_layout([](const auto& refits) { refits.track_boxes_as_triangles(); });
}

TEST_P(WideRefit, BringsBackWhatHadNoBox) {
  of_each_layout([](const auto& refits) { refits.bring_back_what_had_no_box(); });
}

TEST_P(WideRefit, FitsNodesInAnyOrder) {
  RefitsOf<Bvh4>{context()}.fit_nodes_in_any_order();
  RefitsOf<CompressedBvh4>{context()}.fit_nodes_in_any_order();
}

TEST_P(WideRefit, IsCaptured) {
  of_each_layout([](const auto& refits) { refits.are_captured(); });
}

TEST_P(WideRefit, RefusesOtherCounts) {
  of_each_layout([](const auto& refits) { refits.refuse_other_counts(); });
}

TEST_P(WideRefit, TwoContextsWorkAtOnce) {
  const Mesh host = generate_random(20000, 0.02f);
  on_two_contexts(GetParam(), [&](Context& own) {
    const DeviceMesh mesh(own, host);
    const Bvh bvh = build(own, mesh.view(), HplocOptions{});
    CompressedBvh8 tree = collapse<CompressedBvh8>(own, bvh);
    const WideCopy before(tree);
    for (int repeat = 0; repeat < 5; ++repeat) {
      collapse(own, tree, bvh);
      refit(own, tree, mesh.view());
    }
    EXPECT_TRUE(same_bytes(before, WideCopy(tree)));
  });
}

}  // namespace copse::test
