#include "tests/trace/oracle.h"

namespace copse::test {

Hit brute_force_hit(const std::vector<TriangleView>& views, const Ray& ray) {
  Hit best{ray.t_max, invalid_id, invalid_id, 0, 0};
  if (!is_traceable(ray)) return best;
  const RayShear shear = make_shear(ray);
  for (const TriangleView& view : views) {
    for (u32 i = 0; i < view.triangle_count(); ++i) {
      TriangleHit hit;
      // In order of ids, so that a later one must be nearer.
      if (intersect_triangle(shear, load_triangle(view, i), ray.t_min, ray.t_max, hit) &&
          (!is_hit(best) || hit.t < best.t)) {
        best = {hit.t, i, view.geometry, hit.u, hit.v};
      }
    }
  }
  return best;
}

std::vector<Hit> brute_force_hits(const std::vector<TriangleView>& views, const std::vector<Ray>& rays) {
  std::vector<Hit> hits;
  for (const Ray& ray : rays) hits.push_back(brute_force_hit(views, ray));
  return hits;
}

}  // namespace copse::test
