#include "builders/bvh/validate.h"

#include <functional>

#include "builders/bvh/lbvh.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class Validate : public OnEachBackend {
 protected:
  /// The report on a tree over a sphere after `damage` was done to it.
  ValidationReport after(const std::function<void(BvhCopy&)>& damage) {
    const DeviceMesh mesh(context(), generate_sphere(2));
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = 2});
    BvhCopy host(bvh);
    damage(host);
    bvh.counts.upload(std::vector<BvhCounts>{host.counts});
    bvh.nodes.upload(host.nodes);
    bvh.parents.upload(host.parents);
    bvh.primitive_ids.upload(host.primitive_ids);
    return validate(context(), bvh, mesh.view());
  }

  static u32 some_leaf(const BvhCopy& tree, u32 count) {
    for (u32 i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].count == count) return i;
    }
    ADD_FAILURE() << "no leaf of " << count;
    return 0;
  }
};
COPSE_ON_EACH_BACKEND(Validate);

TEST_P(Validate, AcceptsATreeAsBuilt) {
  const ValidationReport report = after([](BvhCopy&) {});
  EXPECT_TRUE(report.is_valid());
  EXPECT_EQ(report.message(), "valid");
}

TEST_P(Validate, FindsCountsThatDoNotFit) {
  EXPECT_GT(after([](BvhCopy& t) { t.counts.node_count += 2; }).count("bad_counts"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.counts.leaf_count = 0; }).count("bad_counts"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.counts.primitive_count = 0xffffffff; }).count("bad_counts"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.counts.invalid_count = 1; }).count("bad_counts"), 0u);
}

TEST_P(Validate, FindsIndicesOutOfRange) {
  EXPECT_GT(after([](BvhCopy& t) { t.nodes[0].first = 0x7ffffff1; }).count("bad_indices"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.nodes[0].first += 1; }).count("bad_indices"), 0u);
  EXPECT_GT(after([](BvhCopy& t) {
              t.nodes[some_leaf(t, 2)].first = t.counts.primitive_count - 1;
            }).count("bad_indices"),
            0u);
  EXPECT_GT(after([](BvhCopy& t) { t.nodes[some_leaf(t, 1)].count = 0xffffffff; }).count("bad_indices"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.parents[3] = t.counts.node_count; }).count("bad_indices"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.primitive_ids[5] = u32(t.primitive_ids.size()); }).count("bad_indices"), 0u);
}

TEST_P(Validate, FindsNodesThatAreNotReachedOnce) {
  const auto share_children = [](BvhCopy& t) {
    const u32 other = t.nodes[t.nodes[0].first].is_leaf() ? t.nodes[0].first + 1 : t.nodes[0].first;
    t.nodes[other].first = t.nodes[0].first;
  };
  EXPECT_FALSE(after(share_children).is_valid());
}

TEST_P(Validate, FindsALoopApartFromTheRoot) {
  // Nodes 1 and 2 are the root's children, both leaves; 3 and 4 are their own parents.
  Bvh bvh = make_bvh(context(), 3);
  const Aabb box{vec3(0), vec3(1)};
  bvh.counts.upload(std::vector<BvhCounts>{{5, 3, 3, 0}});
  bvh.nodes.upload(std::vector<BvhNode>{BvhNode::inner(box, 1), BvhNode::leaf(box, 0, 1), BvhNode::leaf(box, 1, 2),
                                        BvhNode::inner(box, 3), BvhNode::leaf(box, 2, 1)});
  bvh.parents.upload(std::vector<u32>{0, 3});
  bvh.primitive_ids.upload(std::vector<u32>{0, 1, 2});
  const Buffer<Aabb> boxes(context(), std::vector<Aabb>(3, box));
  EXPECT_GT(validate(context(), bvh, BoxView{boxes.span()}).count("unreached_nodes"), 0u);
}

TEST_P(Validate, FindsMissingAndRepeatedPrimitives) {
  const ValidationReport report = after([](BvhCopy& t) { t.primitive_ids[4] = t.primitive_ids[9]; });
  EXPECT_EQ(report.count("missing_primitives"), 1u);
  EXPECT_EQ(report.count("repeated_primitives"), 1u);
  EXPECT_NE(report.message().find("1 primitives in no leaf"), std::string::npos) << report.message();
}

TEST_P(Validate, FindsBoxesThatAreLooseOrTight) {
  EXPECT_GT(after([](BvhCopy& t) { t.nodes[7].hi.x += 0.5f; }).count("loose_boxes"), 0u);
  EXPECT_GT(after([](BvhCopy& t) { t.nodes[0].lo.y += 0.5f; }).count("loose_boxes"), 0u);
  EXPECT_GT(
      after([](BvhCopy& t) { t.nodes[0].lo.z = std::numeric_limits<float>::quiet_NaN(); }).count("loose_boxes"),
      0u);
}

TEST_P(Validate, RefusesMorePrimitivesThanThereIsRoom) {
  const DeviceMesh mesh(context(), generate_cube());
  const Bvh bvh = build(context(), BoxView{}, LbvhOptions{});
  EXPECT_COPSE_ERROR(validate(context(), bvh, mesh.view()), ErrorCode::invalid_argument, "12");
}

}  // namespace copse::test
