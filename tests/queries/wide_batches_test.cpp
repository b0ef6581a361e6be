// Batches of queries through trees of every layout give the results of the binary tree.

#include <gtest/gtest.h>

#include <algorithm>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/geometry/generate.h"
#include "tests/queries/query_answers.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse {
namespace {

using test::DeviceMesh;

using test::Answers;
using test::ask;
using test::expect_same;

class WideBatches : public test::OnEachBackend {
 protected:
  template <class Tree>
  void expect_same_answers(const Bvh& bvh, const TriangleViews& triangles, const std::vector<vec3>& points,
                           const Answers& expected, bool is_closed) {
    const Tree wide = collapse<Tree>(context(), bvh);
    expect_same(ask(context(), wide.view(), triangles, points), expected, is_closed);
  }

  void expect_same_answers(const Mesh& mesh, u32 point_count, bool is_closed) {
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), HplocOptions{});
    const std::vector<vec3> points = test::difficult_points(mesh, point_count, 1);
    const Answers expected = ask(context(), bvh.view(), device.view(), points);
    expect_same_answers<Bvh4>(bvh, device.view(), points, expected, is_closed);
    expect_same_answers<CompressedBvh4>(bvh, device.view(), points, expected, is_closed);
    expect_same_answers<CompressedBvh8>(bvh, device.view(), points, expected, is_closed);
  }
};

TEST_P(WideBatches, FindWhatTheBinaryTreeFinds) {
  expect_same_answers(generate_random(300, 0.1f), 300, false);
  for (const Mesh& mesh : {generate_sphere(3), generate_cube(), Mesh{}}) expect_same_answers(mesh, 300, true);
}

/// From 2^14 on, points are processed in another order than theirs.
TEST_P(WideBatches, ManyPointsGetTheirOwnAnswers) {
  expect_same_answers(generate_sphere(2), 17000, true);
}

TEST_P(WideBatches, RefuseTreesThatWereNotMade) {
  Buffer<vec3> points(context(), 3);
  Buffer<NearestPoint> nearest(context(), 3);
  Buffer<Sphere> spheres(context(), 3);
  Buffer<u32> counts(context(), 3);
  const TriangleView none;
  EXPECT_COPSE_ERROR(nearest_points(context(), Bvh4View{}, none, points.span(), nearest.span()),
                     ErrorCode::invalid_argument, "0 nodes");
  EXPECT_COPSE_ERROR(count_overlaps<Sphere>(context(), CompressedBvh8View{}, none, spheres.span(), counts.span()),
                     ErrorCode::invalid_argument, "0 nodes");
}

COPSE_ON_EACH_BACKEND(WideBatches);

}  // namespace
}  // namespace copse
