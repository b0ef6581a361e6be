// The checks of trees with splits: builders/bvh/measure/repeat_checks.h. They find what is not covered, and rounding alone
// is no fault.

#include <gtest/gtest.h>

#include <cmath>

#include "builders/bvh/build.h"
#include "builders/bvh/measure/triangle_part.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse {
namespace {

using test::BvhCopy;
using test::DeviceMesh;

class SplitChecks : public test::OnEachBackend {
 protected:
  /// Returns how many triangles are not covered after nodes and links of a tree were changed.
  u64 uncovered_after(const Mesh& mesh, void (*spoil_node)(BvhNode&), void (*spoil_place)(RepeatedPlace&)) {
    const DeviceMesh device(context(), mesh);
    Bvh bvh = build(context(), device.view(), HplocOptions{.max_leaf_size = 1, .splits = 4});
    EXPECT_TRUE(bvh.has_repeats());
    std::vector<BvhNode> nodes = BvhCopy(bvh).nodes;
    for (BvhNode& node : nodes) spoil_node(node);
    bvh.nodes.upload(nodes);
    std::vector<RepeatedPlace> repeats = bvh.repeats.download();
    for (RepeatedPlace& place : repeats) spoil_place(place);
    bvh.repeats.upload(repeats);
    return validate(context(), bvh, device.view()).count("uncovered_primitives");
  }
};
COPSE_ON_EACH_BACKEND(SplitChecks);

void keep_node(BvhNode&) {}
void keep_place(RepeatedPlace&) {}
void forget_link(RepeatedPlace& place) {
  place.previous = invalid_id;
}
void halve_leaf(BvhNode& node) {
  if (node.is_leaf()) node.hi.x = node.lo.x + 0.5f * (node.hi.x - node.lo.x);
}
void shrink_leaf_without_corner(BvhNode& node) {
  const vec3 lo = node.lo, hi = node.hi;
  bool has_corner = true;  // of the cube from -1 to 1
  for (int axis = 0; axis < 3; ++axis) has_corner &= lo[axis] == -1 || hi[axis] == 1;
  if (node.is_leaf() && !has_corner) node.hi = node.lo;
}

/// The four long diagonals of a cube. Each triangle has no width, or next to none.
Mesh diagonals(float width) {
  Mesh mesh;
  for (int i = 0; i < 4; ++i) {
    const vec3 end(1, i % 2 == 0 ? 1 : -1, i < 2 ? 1 : -1);
    const u32 first = u32(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {-end, end, end * (1 - width)});
    mesh.triangles.emplace_back(first, first + 1, first + 2);
  }
  return mesh;
}

TEST_P(SplitChecks, FindTrianglesThatAreNotCovered) {
  const Mesh mesh = generate_hairball(30, 12);
  EXPECT_EQ(uncovered_after(mesh, keep_node, keep_place), 0u);
  EXPECT_GT(uncovered_after(mesh, halve_leaf, keep_place), 0u);
  EXPECT_GT(uncovered_after(mesh, keep_node, forget_link), 0u);
}

TEST_P(SplitChecks, FindTheMissingMiddleOfATriangleWithoutArea) {
  for (const float width : {0.0f, 0.25f}) {
    const Mesh mesh = diagonals(width);
    EXPECT_EQ(uncovered_after(mesh, keep_node, keep_place), 0u) << width;
    EXPECT_EQ(uncovered_after(mesh, shrink_leaf_without_corner, keep_place), 4u) << width;
  }
}

// Its area is that of the rounding of its corners, many times less than that of the products that it is computed from.
TEST_P(SplitChecks, RoundingIsNoFaultOfHugeTrianglesThatAreAlmostLines) {
  u64 split_count = 0;
  for (u32 seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Mesh mesh;
    for (u32 i = 0; i < 24; ++i) {
      const u32 bits = (seed * 24 + i) * 2654435761u;
      const vec3 along(1e38f, 3e37f * float(i % 5), -2e37f * float(i % 7));
      const vec3 from = float(bits >> 8 & 15) * 0.01f * along;
      const float part = float(bits >> 12 & 255) / 256;
      const u32 first = u32(mesh.positions.size());
      mesh.positions.insert(mesh.positions.end(), {from, from + along, from + part * along});
      mesh.triangles.emplace_back(first, first + 1, first + 2);
    }
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), HplocOptions{.splits = 1.5f});
    split_count += bvh.counts.download()[0].primitive_count - mesh.triangles.size();
    const ValidationReport report = validate(context(), bvh, device.view());
    ASSERT_TRUE(report.is_valid()) << report.message();
  }
  EXPECT_GT(split_count, 0u);
}

TEST(TriangleParts, AreasErrByLessThanTheirBound) {
  constexpr float length = 0x1p100f;  // a power of two, so that the corners are on a line
  const Triangle triangle{vec3(1, -2, 3) * length, vec3(2, -4, 6) * length, vec3(3, -6, 9) * length};
  const double error = detail::area_error(triangle);
  EXPECT_LE(detail::area(detail::whole(triangle)), error);
  EXPECT_LE(detail::area_in_box(triangle, {vec3(-1e30f), vec3(2.5e30f)}), error);
  EXPECT_LT(error, 1e-12 * 1e31 * 4e31);
  const Triangle unit{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_NEAR(detail::area_in_box(unit, {vec3(0), vec3(0.5f)}), 0.25, detail::area_error(unit));
  EXPECT_LT(detail::area_error(unit), 1e-12);
}

TEST(TriangleParts, SharesOfAnEdgeAreThoseInTheBox) {
  const Aabb box{vec3(0), vec3(1)};
  EXPECT_EQ(detail::share_in_box(vec3(-1, 0.5f, 0.5f), vec3(3, 0.5f, 0.5f), box), 0.25);
  EXPECT_EQ(detail::share_in_box(vec3(3, 0.5f, 0.5f), vec3(-1, 0.5f, 0.5f), box), 0.25);
  EXPECT_EQ(detail::share_in_box(vec3(0, 0, 0), vec3(1, 1, 1), box), 1);
  EXPECT_EQ(detail::share_in_box(vec3(0, 1, 0), vec3(1, 1, 0), box), 1) << "on an edge of the box";
  EXPECT_EQ(detail::share_in_box(vec3(0, 2, 0), vec3(1, 2, 0), box), 0);
  EXPECT_EQ(detail::share_in_box(vec3(-1, 0, 0), vec3(-3, 0, 0), box), 0);
  EXPECT_EQ(detail::share_in_box(vec3(1), vec3(1), box), 1) << "a point";
  EXPECT_EQ(detail::share_in_box(vec3(-1e38f), vec3(1e38f), {vec3(0), vec3(infinity)}), 0.5);
}

}  // namespace
}  // namespace copse
