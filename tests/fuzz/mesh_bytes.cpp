#include "tests/fuzz/mesh_bytes.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "tests/fuzz/targets.h"
#include "tests/trace/oracle.h"

namespace copse::fuzz {

namespace {

/// A coordinate of one of four kinds: on a coarse grid, so that planes and corners coincide; on a fine one; large or
/// small; or any bits, also infinite and NaN.
float coordinate(Bytes& bytes, u32 kind) {
  switch (kind & 3) {
    case 0: return float(bytes.take<std::int8_t>() % 4);
    case 1: return float(bytes.take<std::int16_t>()) / 1024;
    case 2: {  // in this order, whatever the compiler
      const float mantissa = bytes.take<std::int8_t>();
      return std::ldexp(mantissa, bytes.take<std::int8_t>());
    }
  }
  return bytes.take<float>();
}

vec3 point(Bytes& bytes, u32 kind) {
  const float x = coordinate(bytes, kind), y = coordinate(bytes, kind), z = coordinate(bytes, kind);
  return {x, y, z};
}

}  // namespace

Mesh mesh_of(Bytes& bytes) {
  Mesh mesh;
  const u32 kind = bytes.take<u8>(), vertex_count = 1 + bytes.take<u8>() % 96,
            triangle_count = bytes.take<u8>() % 97;
  for (u32 i = 0; i < vertex_count; ++i) mesh.positions.push_back(point(bytes, kind >> (i % 4 * 2)));
  // The triangles end with the bytes, so that a short input is a small mesh.
  for (u32 i = 0; i < triangle_count && !bytes.is_empty(); ++i) {
    const u32 a = bytes.take<u8>(), b = bytes.take<u8>(), c = bytes.take<u8>();
    mesh.triangles.push_back({a % vertex_count, b % vertex_count, c % vertex_count});
  }
  return mesh;
}

std::vector<Ray> rays_of(Bytes& bytes, const Mesh& mesh) {
  std::vector<Ray> rays;
  while (!bytes.is_empty() && rays.size() < 16) {
    const u32 kind = bytes.take<u8>();
    const vec3 from = point(bytes, kind), to = mesh.positions[bytes.take<u8>() % mesh.positions.size()];
    const bool is_aimed = (kind & 16) != 0;  // at a vertex
    const vec3 direction = is_aimed ? to - from : point(bytes, kind >> 2);
    rays.push_back({from, 0, direction, (kind & 32) != 0 ? 1.5f : infinity});
  }
  return rays;
}

Context& one_worker() {
  static Context context({.backend = Backend::cpu, .workers = 1});
  return context;
}

void expect_valid(const ValidationReport& report) {
  if (!report.is_valid()) std::fprintf(stderr, "copse-fuzz: %s\n", report.message().c_str());
  require(report.is_valid(), "the structure is valid");
}

std::vector<Hit> hits_of_all(const Mesh& mesh, const std::vector<Ray>& rays) {
  return test::brute_force_hits({test::host_view(mesh)}, rays);
}

void expect_hit(const Ray& ray, const Hit& found, const Hit& expected, const char* what) {
  const bool is_equal = found.primitive == expected.primitive &&
                        (!is_hit(found) || std::memcmp(&found.t, &expected.t, sizeof(float)) == 0);
  if (is_equal) return;
  std::fprintf(
      stderr,
      "copse-fuzz: the ray from %.9g %.9g %.9g along %.9g %.9g %.9g up to %.9g hits triangle %u at %.9g, and by "
      "a test of all %u at %.9g\n",
      ray.origin.x, ray.origin.y, ray.origin.z, ray.direction.x, ray.direction.y, ray.direction.z, ray.t_max,
      found.primitive, found.t, expected.primitive, expected.t);
  require(false, what);
}

}  // namespace copse::fuzz
