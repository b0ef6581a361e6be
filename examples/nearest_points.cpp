// The nearest neighbours of stars in a cluster, whose density differs by many orders of magnitude: a grid would need
// to know a radius, trees of points do not.

#include <copse/copse.h>
#include <copse/grids.h>
#include <copse/queries.h>
#include <glm/geometric.hpp>

#include "example_support.h"

namespace {

constexpr copse::u32 star_count = 100000, nearest_count = 8;

/// Points around the origin, many of them close to it, that look random.
std::vector<glm::vec3> cluster(copse::u32 n, copse::u32 state) {
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return float(state >> 8) / float(1 << 23) - 1;
  };
  std::vector<glm::vec3> points;
  while (points.size() < n) {
    const glm::vec3 p(next(), next(), next());
    const float length = glm::length(p);
    if (length > 0.01f && length <= 1) points.push_back(p * length * length * length);
  }
  return points;
}

bool run() {
  copse::Context context;
  const copse::Buffer<glm::vec3> stars(context, cluster(star_count, 1));
  copse::Buffer<copse::PointNeighbour> from_bvh(context, nearest_count * stars.size());
  copse::Buffer<copse::PointNeighbour> from_tree(context, nearest_count * stars.size());

  // snippet begins
  const copse::PointBvh bvh = copse::build_point_bvh(context, stars.span());
  const copse::KdTree tree = copse::build_kd_tree(context, stars.span());
  copse::nearest_neighbours(context, bvh.view(), stars.span(), from_bvh.span());
  copse::nearest_neighbours(context, tree.view(), stars.span(), from_tree.span());
  // snippet ends

  const std::vector<copse::PointNeighbour> a = from_bvh.download(), b = from_tree.download();
  copse::u64 same = 0;
  double farthest = 0;
  for (copse::u64 i = 0; i < a.size(); ++i) {
    same += a[i].point == b[i].point;
    farthest += i % nearest_count == nearest_count - 1 ? a[i].distance : 0;
  }
  std::printf("%u stars, neighbour %u at %.2g on average; both trees name the same for %s\n", star_count,
              nearest_count, farthest / star_count, same == a.size() ? "all of them" : "some of them");
  return same == a.size();
}

}  // namespace

int main() {
  return example::run("nearest_points", run);
}
