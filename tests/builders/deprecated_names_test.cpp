// A deprecated name does what the name that replaces it does.

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/ray_trees.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/wide_bvh.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace copse::test {

class DeprecatedNames : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(DeprecatedNames);

TEST_P(DeprecatedNames, WidenIsCollapse) {
  const DeviceMesh mesh(context(), generate_sphere(3));
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const WidenOptions options{.max_leaf_size = 2};
  const WideCopy expected(collapse<Bvh4>(context(), bvh, options));
  Bvh4 wide = widen<Bvh4>(context(), bvh, options);
  EXPECT_TRUE(same_bytes(WideCopy(wide), expected));
  wide.nodes.upload(std::vector<Bvh4Node>(wide.nodes.size()));
  rewiden(context(), wide, bvh, options);
  EXPECT_TRUE(same_bytes(WideCopy(wide), expected));
  EXPECT_EQ(widen_sizes<Bvh4>(context(), 100).result_bytes, collapse_sizes<Bvh4>(context(), 100).result_bytes);
}

TEST_P(DeprecatedNames, FollowingTheBinaryTreeIsCollapse) {
  const DeviceMesh mesh(context(), generate_sphere(3));
  RayTrees trees = make_ray_trees(context(), build(context(), mesh.view(), LbvhOptions{}), mesh.view());
  rebuild(context(), trees.binary, mesh.view(), HplocOptions{});
  follow_binary_tree(context(), trees, mesh.view());
  EXPECT_TRUE(same_bytes(WideCopy(trees.wide), WideCopy(collapse<CompressedBvh4>(context(), trees.binary))));
}

TEST_P(DeprecatedNames, BuildersAreOverloads) {
  const DeviceMesh mesh(context(), generate_sphere(3));
  const Bvh expected = build(context(), mesh.view(), HplocOptions{.radius = 3});
  Bvh bvh = build_hploc(context(), mesh.view(), {.radius = 3});
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(expected)));
  rebuild_lbvh(context(), bvh, mesh.view());
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_lbvh(context(), mesh.view()))));
  EXPECT_EQ(hploc_sizes(context(), 100).scratch_bytes, build_sizes(context(), 100, HplocOptions{}).scratch_bytes);
}

}  // namespace copse::test
