#pragma once

// The answers of all queries of points and regions through a tree, to be compared with those through another tree.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "queries/overlap_queries.h"
#include "queries/point_queries.h"
#include "tests/queries/query_oracle.h"
#include "tests/support/device_mesh.h"
#include "trace/camera.h"

namespace copse::test {

/// The results of a tree.
struct Answers {
  std::vector<NearestPoint> nearest;
  std::vector<Neighbour> neighbours;
  std::vector<u8> inside;
  std::vector<u32> counts;
  std::vector<std::vector<u32>> lists;  // sorted, since their order depends on the tree
};

template <class Region>
void add_overlaps(Context& context, const TreeView& tree, const TriangleViews& triangles,
                  const std::vector<Region>& regions, Answers& answers) {
  const Buffer<Region> queries(context, regions);
  Buffer<u32> counts(context, regions.size());
  count_overlaps<Region>(context, tree, triangles, queries.span(), counts.span());
  const std::vector<u32> got = counts.download();
  answers.counts.insert(answers.counts.end(), got.begin(), got.end());
  const OverlapLists lists = all_overlaps<Region>(context, tree, triangles, queries.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<u32> ids = lists.primitives.download();
  for (size_t i = 0; i < regions.size(); ++i) {
    answers.lists.emplace_back(ids.begin() + i64(offsets[i]), ids.begin() + i64(offsets[i + 1]));
    std::sort(answers.lists.back().begin(), answers.lists.back().end());
  }
  Buffer<u64> again(context, offsets.size());
  Buffer<u32> some(context, ids.size() / 2);
  find_overlaps<Region>(context, tree, triangles, queries.span(), again.span(), some.span());
  EXPECT_EQ(again.download(), offsets);
  EXPECT_EQ(some.download(), std::vector<u32>(ids.begin(), ids.begin() + i64(ids.size() / 2)));
}

inline Answers ask(Context& context, const TreeView& tree, const TriangleViews& triangles,
                   const std::vector<vec3>& points) {
  constexpr u32 k = 4;
  const Buffer<vec3> queries(context, points);
  Buffer<NearestPoint> nearest(context, points.size());
  Buffer<Neighbour> neighbours(context, k * points.size());
  Buffer<u8> inside(context, points.size());
  nearest_points(context, tree, triangles, queries.span(), nearest.span(), 0.6f);
  nearest_primitives(context, tree, triangles, queries.span(), neighbours.span());
  points_inside(context, tree, triangles, queries.span(), inside.span());
  Answers answers{nearest.download(), neighbours.download(), inside.download(), {}, {}};

  std::vector<Sphere> spheres;
  std::vector<Aabb> boxes;
  std::vector<Frustum> frusta;
  for (size_t i = 0; i < std::min<size_t>(points.size(), 100); ++i) {
    spheres.push_back({points[i], 0.2f});
    boxes.push_back({points[i] - 0.1f, points[i] + 0.1f});
    frusta.push_back(frustum_of(look_at(points[i], vec3(0.01f, 0.02f, 0), {0, 1, 0}, 20, 1), 0.1f, 3));
  }
  add_overlaps(context, tree, triangles, spheres, answers);
  add_overlaps(context, tree, triangles, boxes, answers);
  add_overlaps(context, tree, triangles, frusta, answers);
  return answers;
}

/// For a mesh that is not closed, points_inside means nothing, and depends on the box of the tree.
inline void expect_same(const Answers& got, const Answers& expected, bool is_closed) {
  EXPECT_TRUE(same_bytes(got.nearest, expected.nearest));
  EXPECT_TRUE(same_bytes(got.neighbours, expected.neighbours));
  if (is_closed) {
    EXPECT_EQ(got.inside, expected.inside);
  }
  EXPECT_EQ(got.counts, expected.counts);
  EXPECT_EQ(got.lists, expected.lists);
}

}  // namespace copse::test
