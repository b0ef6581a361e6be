#include "builders/bvh/end_point_overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"

namespace copse::test {

using glm::dvec3;

class EndPointOverlap : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(EndPointOverlap);

double area_of(const dvec3& a, const dvec3& b, const dvec3& c) {
  return 0.5 * glm::length(glm::cross(b - a, c - a));
}

/// Area of a triangle in a box by cutting it into pieces along one plane after the other, and leaving out the
/// pieces outside.
double slow_area(const Triangle& triangle, const Aabb& box) {
  using Piece = std::array<dvec3, 3>;
  std::vector<Piece> pieces{{dvec3(triangle.a), dvec3(triangle.b), dvec3(triangle.c)}};
  for (int plane = 0; plane < 6; ++plane) {
    const int axis = plane / 2;
    const double sign = plane % 2 == 0 ? 1 : -1, bound = plane % 2 == 0 ? box.lo[axis] : box.hi[axis];
    const auto height = [&](const dvec3& p) { return sign * (p[axis] - bound); };
    std::vector<Piece> kept;
    for (Piece piece : pieces) {
      std::sort(piece.begin(), piece.end(), [&](const dvec3& p, const dvec3& q) { return height(p) > height(q); });
      const auto [a, b, c] = piece;  // from the highest to the lowest
      const auto cross = [&](const dvec3& p, const dvec3& q) {
        return p + (q - p) * (height(p) / (height(p) - height(q)));
      };
      if (height(c) >= 0) {
        kept.push_back(piece);
      } else if (height(b) >= 0) {
        kept.push_back({a, b, cross(b, c)});
        kept.push_back({a, cross(b, c), cross(a, c)});
      } else if (height(a) >= 0) {
        kept.push_back({a, cross(a, b), cross(a, c)});
      }
    }
    pieces = kept;
  }
  double sum = 0;
  for (const Piece& piece : pieces) sum += area_of(piece[0], piece[1], piece[2]);
  return sum;
}

/// The definition: every node against every triangle that is not below it.
double slow_overlap(const BvhCopy& tree, const std::vector<Triangle>& triangles, const SahCosts& costs) {
  double sum = 0, total = 0;
  std::vector<char> is_below(triangles.size());
  const std::function<void(u32, char)> mark = [&](u32 id, char value) {
    const BvhNode& node = tree.nodes[id];
    for (u32 k = 0; k < node.count; ++k) is_below[tree.primitive_ids[node.first + k]] = value;
    if (node.is_leaf()) return;
    mark(node.first, value);
    mark(node.first + 1, value);
  };
  for (u32 id = 0; id < tree.counts.node_count; ++id) {
    const BvhNode& node = tree.nodes[id];
    mark(id, 1);
    for (u32 i = 0; i < triangles.size(); ++i) {
      if (is_empty(bounds(triangles[i])) || is_below[i]) continue;
      sum += slow_area(triangles[i], node.box()) *
             (node.is_leaf() ? costs.intersection * node.count : costs.traversal);
    }
    mark(id, 0);
  }
  for (const Triangle& t : triangles) {
    if (!is_empty(bounds(t))) total += area_of(dvec3(t.a), dvec3(t.b), dvec3(t.c));
  }
  return total > 0 ? sum / total : 0;
}

std::vector<Triangle> triangles_of(const Mesh& mesh) {
  std::vector<Triangle> triangles;
  for (const uvec3& t : mesh.triangles) {
    triangles.push_back(load_triangle(host_view(mesh), u64(&t - mesh.triangles.data())));
  }
  return triangles;
}

TEST_P(EndPointOverlap, IsThatOfItsDefinition) {
  for (const NamedMesh& hard : hard_meshes()) {
    if (hard.mesh.triangles.size() > 600) continue;
    SCOPED_TRACE(hard.name);
    const DeviceMesh mesh(context(), hard.mesh);
    const std::vector<Triangle> triangles = triangles_of(hard.mesh);
    for (u32 leaf : {1, 4}) {
      const Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = leaf});
      for (const SahCosts& costs : {SahCosts{}, SahCosts{2, 3}}) {
        const double expected = slow_overlap(BvhCopy(bvh), triangles, costs);
        const double got = end_point_overlap(context(), bvh, mesh.view(), costs);
        EXPECT_NEAR(got, expected, 1e-6 * (1 + expected));
      }
    }
    const Bvh bvh = build(context(), mesh.view(), HplocOptions{});
    const double expected = slow_overlap(BvhCopy(bvh), triangles, {});
    EXPECT_NEAR(end_point_overlap(context(), bvh, mesh.view()), expected, 1e-6 * (1 + expected));
  }
}

TEST_P(EndPointOverlap, OfATreeThatIsKnown) {
  // A slanted triangle of area sqrt(2) / 2 in the unit cube, and a flat one that lies whole in its box at height
  // 0.5.
  const Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {0, 0, 0.5f}, {1, 0, 0.5f}, {1, 1, 0.5f}},
                  {{0, 1, 2}, {3, 4, 5}}};
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  // Of the first, nothing but a line is in the flat box of the second.
  EXPECT_NEAR(end_point_overlap(context(), bvh, device.view(), {1.2, 2}), 2 * 0.5 / (std::sqrt(0.5) + 0.5), 1e-12);
  const DeviceMesh alone(context(), {mesh.positions, {mesh.triangles[0]}});
  EXPECT_EQ(end_point_overlap(context(), build(context(), alone.view(), LbvhOptions{}), alone.view()), 0);
}

TEST_P(EndPointOverlap, FollowsARefittedTree) {
  Mesh mesh = generate_sphere(1);
  Bvh bvh = build(context(), DeviceMesh(context(), mesh).view(), LbvhOptions{.max_leaf_size = 2});
  for (vec3& p : mesh.positions) p = vec3(p.z * 2, p.x + p.y, p.y - p.z);
  const DeviceMesh moved(context(), mesh);
  refit(context(), bvh, moved.view());
  const double expected = slow_overlap(BvhCopy(bvh), triangles_of(mesh), {});
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(end_point_overlap(context(), bvh, moved.view()), expected, 1e-6 * expected);
}

TEST_P(EndPointOverlap, OfAllViewsOfATree) {
  const Mesh mesh = generate_sphere(1);
  Mesh other = mesh;
  for (vec3& p : other.positions) p += vec3(0.5f, 0, 0);
  const DeviceMesh a(context(), mesh), b(context(), other);
  const std::vector<TriangleView> views{a.view(), b.view()};
  const Bvh bvh = build(context(), views, LbvhOptions{});
  std::vector<Triangle> triangles = triangles_of(mesh);
  for (const Triangle& t : triangles_of(other)) triangles.push_back(t);
  const double expected = slow_overlap(BvhCopy(bvh), triangles, {});
  EXPECT_NEAR(end_point_overlap(context(), bvh, views), expected, 1e-6 * expected);
}

TEST_P(EndPointOverlap, RefusesAnotherNumberOfTriangles) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh), other(context(), generate_sphere(0));
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  EXPECT_COPSE_ERROR(end_point_overlap(context(), bvh, other.view()), ErrorCode::invalid_argument,
                     "20 triangles, but the tree was built over 12");
}

}  // namespace copse::test
