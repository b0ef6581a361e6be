// How far the t of a hit in a scene may be from that of the exact ray and triangle, and from the t of the same triangles
// in one mesh.
//
// With u = 2^-24, n the unit normal of the triangle in its mesh, E its greatest extent along an axis, and W the inverse of
// the instance, which is rounded once:
//
//   - The origin in the mesh is off by 6 u of the sum of |W| |origin - translation| over each row, and the direction by
//     4 u of the sum of |W| |direction|: three products, their sums, and W itself. Over the way t, the plane is met later
//     or earlier by as much along n, divided by |n . direction|.
//   - The test of a triangle sees its corners moved by up to 12 u E (trace/spawn_offset.h), so its plane by
//     12 sqrt(3) u E along n, and t is off by 20 u of the time to the farthest corner. Then t is rounded.
//
// In one mesh of placed triangles the corners are rounded once, by u of each coordinate.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/scene/scenes.h"

namespace copse {
namespace {

using glm::dvec3;
using test::Flattened;
using test::Models;

constexpr double unit_roundoff = 0x1p-24, roundings_of_doubles = 1 + 1e-6;

struct ExactTriangle {
  dvec3 a, b, c;

  dvec3 normal() const { return glm::normalize(glm::cross(b - a, c - a)); }
  double extent() const {
    double most = 0;
    for (const dvec3& edge : {b - a, c - a, c - b}) {
      for (int i = 0; i < 3; ++i) most = std::max(most, std::abs(edge[i]));
    }
    return most;
  }
};

/// Where a ray meets the plane of a triangle, and how far off the test of the triangle may be.
struct PlaneHit {
  double t, error;

  PlaneHit(const ExactTriangle& triangle, const dvec3& origin, const dvec3& direction) {
    const dvec3 n = triangle.normal();
    const double along = glm::dot(n, direction);
    t = glm::dot(n, triangle.a - origin) / along;
    int main = 0;
    for (int i = 1; i < 3; ++i) main = std::abs(direction[i]) > std::abs(direction[main]) ? i : main;
    double farthest = 0;
    for (const dvec3& corner : {triangle.a, triangle.b, triangle.c}) {
      farthest = std::max(farthest, std::abs((corner[main] - origin[main]) / direction[main]));
    }
    error = 12 * std::sqrt(3.0) * unit_roundoff * triangle.extent() / std::abs(along) +
            20 * unit_roundoff * farthest + unit_roundoff * std::abs(t);
  }
};

dvec3 magnitudes(const dvec3& v) {
  return {std::abs(v.x), std::abs(v.y), std::abs(v.z)};
}

/// The linear part of an instance, and its inverse, as GLM has them: by columns.
glm::dmat3 linear_part(const Instance& instance) {
  glm::dmat3 matrix;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) matrix[column][row] = double(instance.rows[row][column]);
  }
  return matrix;
}

ExactTriangle triangle_of(const Mesh& mesh, u32 primitive) {
  const uvec3 corners = mesh.triangles[primitive];
  return {dvec3(mesh.positions[corners.x]), dvec3(mesh.positions[corners.y]), dvec3(mesh.positions[corners.z])};
}

/// The exact t of a hit, and how far off the t of the scene may be.
PlaneHit hit_in_scene(const Models& models, const Instance& instance, const Ray& ray, u32 primitive) {
  const glm::dmat3 inverse = glm::inverse(linear_part(instance));
  glm::dmat3 size;
  for (int column = 0; column < 3; ++column) size[column] = magnitudes(inverse[column]);
  const dvec3 translation(instance.rows[0][3], instance.rows[1][3], instance.rows[2][3]);
  const dvec3 from = dvec3(ray.origin) - translation, direction = inverse * dvec3(ray.direction);
  const ExactTriangle triangle = triangle_of(models.meshes[instance.accel], primitive);
  PlaneHit hit(triangle, inverse * from, direction);
  const dvec3 n = magnitudes(triangle.normal());
  const double off = 6 * unit_roundoff * glm::dot(n, size * magnitudes(from)) +
                     4 * unit_roundoff * std::abs(hit.t) * glm::dot(n, size * magnitudes(dvec3(ray.direction)));
  hit.error += off / std::abs(glm::dot(triangle.normal(), direction));
  return hit;
}

/// The exact t of the triangle that is placed in double, and how far off the t of the rounded one may be.
PlaneHit hit_in_one_mesh(const Models& models, const Instance& instance, const Ray& ray, u32 primitive) {
  const uvec3 corners = models.meshes[instance.accel].triangles[primitive];
  const auto at = [&](u32 vertex) {
    return test::placed(instance, models.meshes[instance.accel].positions[vertex]);
  };
  const ExactTriangle triangle{at(corners.x), at(corners.y), at(corners.z)};
  PlaneHit hit(triangle, dvec3(ray.origin), dvec3(ray.direction));
  dvec3 most(0);
  for (const dvec3& corner : {triangle.a, triangle.b, triangle.c}) most = glm::max(most, magnitudes(corner));
  const dvec3 n = triangle.normal();
  hit.error += unit_roundoff * glm::dot(magnitudes(n), most) / std::abs(glm::dot(n, dvec3(ray.direction)));
  return hit;
}

class SceneRayLengths : public test::OnEachBackend {};

/// The same ids as in one mesh of all triangles, but for rays that pass within the bounds of an edge or of another
/// triangle, and t within the bounds.
TEST_P(SceneRayLengths, AreWithinTheProvenBoundsOfTheExactOnesAndOfOneMesh) {
  const Models models(context(), test::some_meshes());
  for (const float size : {1.0f, 1e-6f, 1e6f}) {
    std::vector<Instance> instances = test::random_instances(60, 3, 11);
    for (Instance& instance : instances) {
      for (auto& row : instance.rows) {
        for (float& number : row) number *= size;
      }
    }
    const Flattened all(models, instances);
    std::vector<Ray> rays;
    test::RayMaker random(5);
    for (u32 i = 0; i < 2000; ++i) rays.push_back({random.point(-9, 9) * size, 0, random.point(-1, 1), infinity});
    const std::vector<Hit> flat = test::brute_force_hits(all.views(), rays);
    const std::vector<SceneHit> hits = test::trace(context(), build(context(), models.accels, instances), rays);
    u32 hit_count = 0, different = 0;
    double worst = 0;
    for (size_t i = 0; i < rays.size(); ++i) {
      if (is_hit(hits[i])) {
        const PlaneHit exact = hit_in_scene(models, instances[hits[i].instance], rays[i], hits[i].primitive);
        ASSERT_LE(std::abs(double(hits[i].t) - exact.t), exact.error * roundings_of_doubles)
            << test::text(rays[i]);
        worst = std::max(worst, std::abs(double(hits[i].t) - exact.t) / exact.error);
        ++hit_count;
      }
      if (hits[i].instance != flat[i].geometry || hits[i].primitive != flat[i].primitive) {
        ++different;
      } else if (is_hit(hits[i])) {
        const Instance& instance = instances[hits[i].instance];
        const PlaneHit one = hit_in_scene(models, instance, rays[i], hits[i].primitive);
        const PlaneHit other = hit_in_one_mesh(models, instance, rays[i], hits[i].primitive);
        ASSERT_LE(std::abs(double(hits[i].t) - double(flat[i].t)),
                  (one.error + other.error) * roundings_of_doubles)
            << test::text(rays[i]);
      }
    }
    EXPECT_GT(hit_count, 200u);
    EXPECT_LE(different, 2u);  // rays that pass an edge within rounding
    EXPECT_GT(worst, 0.005) << "a bound that no hit comes near proves nothing";
  }
}

COPSE_ON_EACH_BACKEND(SceneRayLengths);

}  // namespace
}  // namespace copse
