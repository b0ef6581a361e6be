// Photons in a hash grid. An estimate gathers the photons around a point anywhere in space. Nothing is stored for
// empty cells, so space may be as large as needed. There are two estimates: all photons within a radius, and the
// nearest few.

#include <copse/copse.h>
#include <copse/grids.h>
#include <copse/queries.h>
#include <glm/geometric.hpp>

#include "example_support.h"

namespace {

constexpr copse::u32 photon_count = 100000, estimate_count = 64, nearest_count = 20;
constexpr float radius = 0.05f;

/// Points on a sphere that look random: most cells around it stay empty.
std::vector<glm::vec3> photons_on_sphere(copse::u32 n, copse::u32 state) {
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return float(state >> 8) / float(1 << 23) - 1;
  };
  std::vector<glm::vec3> points;
  while (points.size() < n) {
    const glm::vec3 p(next(), next(), next());
    const float length = glm::length(p);
    if (length > 0.1f && length <= 1) points.push_back(p / length);
  }
  return points;
}

/// The photons around each point.
struct Estimates {
  std::vector<copse::u32> counts;              // photons within the radius
  std::vector<copse::PointNeighbour> nearest;  // nearest_count of each point
};

Estimates estimate(copse::Context& context, const std::vector<glm::vec3>& host_photons,
                   const std::vector<glm::vec3>& host_points) {
  const copse::Buffer<glm::vec3> photons(context, host_photons), points(context, host_points);
  copse::Buffer<copse::u32> counts(context, points.size());
  copse::Buffer<copse::PointNeighbour> nearest(context, nearest_count * points.size());

  // snippet begins
  const copse::HashGrid grid = copse::build_hash_grid(context, photons.span(), {.cell_size = radius});
  copse::count_neighbours(context, grid.view(), points.span(), radius, counts.span());
  copse::nearest_neighbours(context, grid.view(), points.span(), nearest.span());
  // snippet ends
  return {counts.download(), nearest.download()};
}

/// Checks that all photons nearer to a point than the farthest of its neighbours are among these neighbours.
bool agrees_with_all_photons(const Estimates& estimates, const std::vector<glm::vec3>& photons,
                             const std::vector<glm::vec3>& points) {
  for (copse::u64 i = 0; i < points.size(); ++i) {
    const float farthest = estimates.nearest[(i + 1) * nearest_count - 1].distance;
    copse::u32 within = 0, nearer = 0;
    for (const glm::vec3& p : photons) {
      within += glm::distance(p, points[i]) <= radius;
      nearer += glm::distance(p, points[i]) < farthest;
    }
    if (within != estimates.counts[i] || nearer >= nearest_count) return false;
  }
  return true;
}

bool gather() {
  copse::Context context;
  const auto photons = photons_on_sphere(photon_count, 1), points = photons_on_sphere(estimate_count, 2);
  const Estimates estimates = estimate(context, photons, points);
  copse::u64 total = 0;
  for (const copse::u32 count : estimates.counts) total += count;
  const bool agrees = agrees_with_all_photons(estimates, photons, points);
  std::printf("%u photons; %llu around %u points, %s\n", photon_count, static_cast<unsigned long long>(total),
              estimate_count, agrees ? "all of them" : "not all of them");
  return agrees;
}

}  // namespace

int main() {
  return example::run("photon_hash", gather);
}
