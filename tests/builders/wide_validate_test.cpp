#include <functional>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/wide_bvh.h"

namespace copse::test {

class WideValidate : public OnEachBackend {
 protected:
  /// The report on a tree over a sphere after `damage` was done to it.
  template <class Tree>
  ValidationReport after(const std::function<void(WideCopy<typename Tree::Node>&)>& damage) {
    const DeviceMesh mesh(context(), generate_sphere(2));
    Tree tree = compact_copy(context(), collapse<Tree>(context(), build(context(), mesh.view(), HplocOptions{})));
    WideCopy<typename Tree::Node> host(tree);
    damage(host);
    tree.counts.upload(std::vector<WideBvhCounts>{host.counts});
    tree.nodes.upload(host.nodes);
    tree.parents.upload(host.parents);
    tree.primitive_ids.upload(host.primitive_ids);
    return validate(context(), tree, mesh.view());
  }

  template <class Tree>
  void expect_whole_range_of_meshes() {
    for (const NamedMesh& hard : hard_meshes()) {
      DeviceMesh mesh(context(), hard.mesh);
      Tree tree = collapse<Tree>(context(), build(context(), mesh.view(), LbvhOptions{.max_leaf_size = 2}));
      const ValidationReport report = validate(context(), tree, mesh.view());
      EXPECT_TRUE(report.is_valid()) << hard.name << ": " << report.message();
      if (hard.invalid_count > 0) continue;
      Mesh moved = hard.mesh;
      for (vec3& p : moved.positions) p = vec3(p.z - p.y * 0.5f, p.x * 0.5f, p.y);
      mesh.positions.upload(moved.positions);
      refit(context(), tree, mesh.view());
      const ValidationReport refitted = validate(context(), tree, mesh.view(), true);
      EXPECT_TRUE(refitted.is_valid()) << hard.name << " refitted: " << refitted.message();
    }
  }

  template <class Node>
  static u32 slot_of(const Node& node, bool leaf) {
    for (u32 slot = 0; slot < Node::width; ++slot) {
      if (leaf ? node.child(slot).is_leaf() : node.child(slot).is_inner()) return slot;
    }
    return Node::width;
  }
  /// A node with a leaf, or with an inner child, and the slot.
  template <class Node>
  static std::pair<u32, u32> find_slot(const WideCopy<Node>& tree, bool leaf) {
    for (u32 node = 0; node < tree.nodes.size(); ++node) {
      const u32 slot = slot_of(tree.nodes[node], leaf);
      if (slot < Node::width) return {node, slot};
    }
    ADD_FAILURE() << "no such slot";
    return {0, 0};
  }
};
COPSE_ON_EACH_BACKEND(WideValidate);

using Cut8 = WideCopy<CompressedBvh8Node>;
using Cut4 = WideCopy<CompressedBvh4Node>;
using Full4 = WideCopy<Bvh4Node>;

TEST_P(WideValidate, AcceptsEveryLayoutOfHardMeshesAndTheirRefits) {
  expect_whole_range_of_meshes<Bvh4>();
  expect_whole_range_of_meshes<CompressedBvh4>();
  expect_whole_range_of_meshes<CompressedBvh8>();
}

TEST_P(WideValidate, FindsCountsThatDoNotFit) {
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.counts.node_count += 1; }).count("bad_counts"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.counts.node_count = 0; }).count("bad_counts"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.counts.primitive_count = 0xffffffff; }).count("bad_counts"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.counts.invalid_count = 1; }).count("bad_counts"), 0u);
  EXPECT_GT(after<Bvh4>([](Full4& t) { t.counts.node_count = 0xffffffff; }).count("bad_counts"), 0u);
}

TEST_P(WideValidate, FindsIndicesOutOfRange) {
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.nodes[0].first_child = 0x7ffffff1; }).count("bad_indices"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) {
              t.nodes[find_slot(t, true).first].first_primitive = t.counts.primitive_count;
            }).count("bad_indices"),
            0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.parents[1] = t.counts.node_count; }).count("bad_indices"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.parents[0] = 0; }).count("bad_indices"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) {
              t.primitive_ids[5] = u32(t.primitive_ids.size());
            }).count("bad_indices"),
            0u);
  EXPECT_GT(after<Bvh4>([](Full4& t) {
              const auto [node, slot] = find_slot(t, true);
              t.nodes[node].count[slot] = 0xffffffff;
            }).count("bad_indices"),
            0u);
  EXPECT_GT(after<CompressedBvh4>([](Cut4& t) {
              const auto [node, slot] = find_slot(t, true);
              t.nodes[node].first[slot] = invalid_id;
            }).count("bad_indices"),
            0u);
}

TEST_P(WideValidate, FindsSlotsThatContradictThemselves) {
  const auto damage = [&](const std::function<void(CompressedBvh8Node&, u32)>& harm, bool leaf) {
    return after<CompressedBvh8>([&](Cut8& t) {
             const auto [node, slot] = find_slot(t, leaf);
             harm(t.nodes[node], slot);
           })
        .count("bad_indices");
  };
  EXPECT_GT(
      damage([](CompressedBvh8Node& n, u32 slot) { n.meta[slot] = u8(5u << 5 | (n.meta[slot] & 31u)); }, true),
      0u);
  EXPECT_GT(damage([](CompressedBvh8Node& n, u32 slot) { n.meta[slot] = 7; }, true), 0u);
  EXPECT_GT(damage([](CompressedBvh8Node& n, u32 slot) { n.meta[slot] ^= 1; }, false), 0u);
  EXPECT_GT(damage([](CompressedBvh8Node& n, u32 slot) { n.meta[slot] = 0; }, false), 0u);
}

TEST_P(WideValidate, FindsLeavesLargerThanWalksCanTell) {
  const auto with_leaf_of = [&](u8 count) {
    return after<CompressedBvh4>([&](Cut4& t) {
             const auto [node, slot] = find_slot(t, true);
             t.nodes[node].first[slot] = 0;
             t.nodes[node].count[slot] = count;
           })
        .count("bad_indices");
  };
  EXPECT_EQ(with_leaf_of(61), 0u);
  EXPECT_GT(with_leaf_of(62), 0u);
}

TEST_P(WideValidate, FindsNodesThatAreNotReachedOnce) {
  EXPECT_FALSE(after<CompressedBvh8>([](Cut8& t) { t.nodes[0].inner_mask = 0; }).is_valid());
  EXPECT_FALSE(after<Bvh4>([](Full4& t) {
                 const auto [node, slot] = find_slot(t, false);
                 t.nodes[node].first[slot] = node;
               }).is_valid());
}

TEST_P(WideValidate, FindsALoopApartFromTheRoot) {
  // The root has one leaf; node 1 is its own child.
  const Aabb box{vec3(0), vec3(1)};
  Bvh4 tree = collapse<Bvh4>(
      context(),
      build(context(), BoxView{Buffer<Aabb>(context(), std::vector<Aabb>(1, box)).span()}, LbvhOptions{}));
  Full4 host(tree);
  host.nodes.resize(2, host.nodes[0]);
  host.nodes[1].first[0] = 1;
  host.nodes[1].count[0] = 0;
  host.nodes[1].first[1] = 1;
  host.nodes[1].count[1] = 2;
  tree.nodes = Buffer<Bvh4Node>(context(), host.nodes);
  tree.parents = Buffer<u32>(context(), std::vector<u32>{invalid_id, 1});
  tree.primitive_ids = Buffer<u32>(context(), std::vector<u32>{0, 1, 2});
  tree.counts.upload(std::vector<WideBvhCounts>{{2, 3, 0}});
  const Buffer<Aabb> boxes(context(), std::vector<Aabb>(3, box));
  EXPECT_GT(validate(context(), tree, BoxView{boxes.span()}).count("unreached_nodes"), 0u);
}

TEST_P(WideValidate, FindsMissingAndRepeatedPrimitives) {
  const ValidationReport report = after<CompressedBvh8>([](Cut8& t) { t.primitive_ids[4] = t.primitive_ids[9]; });
  EXPECT_EQ(report.count("missing_primitives"), 1u);
  EXPECT_EQ(report.count("repeated_primitives"), 1u);
}

TEST_P(WideValidate, FindsBoxesThatAreLooseOrTooTight) {
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { ++t.nodes[0].exponents[1]; }).count("loose_boxes"), 0u);
  EXPECT_GT(after<CompressedBvh8>([](Cut8& t) { t.nodes[0].origin.y = std::nanf(""); }).count("loose_boxes"), 0u);
  EXPECT_GT(after<CompressedBvh4>([](Cut4& t) { t.nodes[1].hi_x[0] -= 1; }).count("loose_boxes"), 0u);
  EXPECT_GT(after<CompressedBvh4>([](Cut4& t) { t.nodes[1].hi_z[1] ^= 128; }).count("loose_boxes"), 0u);
  EXPECT_GT(after<Bvh4>([](Full4& t) { t.nodes[1].lo_z[1] -= 0.5f; }).count("loose_boxes"), 0u);
}

TEST_P(WideValidate, RefusesMorePrimitivesThanThereIsRoom) {
  const DeviceMesh mesh(context(), generate_cube());
  const Bvh4 tree = collapse<Bvh4>(context(), build(context(), BoxView{}, LbvhOptions{}));
  EXPECT_COPSE_ERROR(validate(context(), tree, mesh.view()), ErrorCode::invalid_argument, "12");
}

}  // namespace copse::test
