// Bytes say which triangles to build over, how, and which rays to trace. Trees must be valid, before and after a refit, and
// the hits those of a test of every triangle.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/validate.h"
#include "tests/fuzz/targets.h"
#include "tests/trace/oracle.h"

namespace copse::fuzz {

namespace {

/// Takes values off the front of the bytes; zeros once they have ended.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T take() {
    T value{};
    const size_t count = std::min(left_.size(), sizeof value);
    std::memcpy(&value, left_.data(), count);
    left_.remove_prefix(count);
    return value;
  }
  bool is_empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

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

AnyBuildOptions options_of(Bytes& bytes) {
  const u32 builder = bytes.take<u8>() % 3, leaf = 1 + bytes.take<u8>() % 32, extra = bytes.take<u8>();
  if (builder == 0) return LbvhOptions{.morton_bits = 30 + extra % 34, .max_leaf_size = leaf};
  if (builder == 1) return HplocOptions{.radius = 1 + extra % 8, .max_leaf_size = leaf};
  return SahOptions{.max_leaf_size = leaf};
}

/// A mesh in the memory of a context.
struct Placed {
  Placed(Context& context, const Mesh& mesh)
      : positions(context, mesh.positions), triangles(context, mesh.triangles) {}
  TriangleView view() const { return {.positions = positions.span(), .triangles = triangles.span()}; }

  Buffer<vec3> positions;
  Buffer<uvec3> triangles;
};

Context& one_worker() {
  static Context context({.backend = Backend::cpu, .workers = 1});
  return context;
}

void expect_valid(const ValidationReport& report) {
  if (!report.is_valid()) std::fprintf(stderr, "copse-fuzz: %s\n", report.message().c_str());
  require(report.is_valid(), "the tree is valid");
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

void print_difference(const Ray& ray, const Hit& found, const Hit& expected) {
  std::fprintf(
      stderr,
      "copse-fuzz: the ray from %.9g %.9g %.9g along %.9g %.9g %.9g up to %.9g hits triangle %u at %.9g, and by "
      "a test of all %u at %.9g\n",
      ray.origin.x, ray.origin.y, ray.origin.z, ray.direction.x, ray.direction.y, ray.direction.z, ray.t_max,
      found.primitive, found.t, expected.primitive, expected.t);
}

void expect_hits(Context& context, const Accel& accel, const Mesh& mesh, const std::vector<Ray>& rays) {
  const std::vector<Hit> expected = test::brute_force_hits({test::host_view(mesh)}, rays);
  const Buffer<Ray> all(context, rays);
  Buffer<Hit> hits(context, rays.size());
  closest_hits(context, accel, all.span(), hits.span());
  const std::vector<Hit> found = hits.download();
  for (size_t i = 0; i < rays.size(); ++i) {
    if (found[i].primitive != expected[i].primitive) print_difference(rays[i], found[i], expected[i]);
    require(found[i].primitive == expected[i].primitive, "the batch hits the triangle that a test of all gives");
    require(std::memcmp(&found[i].t, &expected[i].t, sizeof(float)) == 0 || !is_hit(found[i]), "at the same t");
    require(closest_hit(accel.view(), rays[i]).primitive == expected[i].primitive, "so does a single ray");
    require(any_hit(accel.view(), rays[i]) == is_hit(expected[i]), "and any_hit");
  }
}

void check_binary_tree(Context& context, const TriangleView& view, const AnyBuildOptions& options) {
  Bvh bvh = build(context, view, options);
  expect_valid(validate(context, bvh, view));
  reinsert(context, bvh, {.passes = 2});
  expect_valid(validate(context, bvh, view));
  expect_valid(validate(context, collapse<CompressedBvh4>(context, bvh), view));
}

void check_accel(Context& context, const Placed& placed, Mesh mesh, Quality quality,
                 const std::vector<Ray>& rays) {
  Accel accel = build(context, placed.view(), {.quality = quality});
  expect_valid(validate(context, accel.tree(), placed.view()));
  expect_hits(context, accel, mesh, rays);

  // The triangles that the build left out stay out, so only finite meshes are compared after the refit.
  bool is_finite_mesh = true;
  for (vec3& p : mesh.positions) {
    is_finite_mesh &= is_finite(p);
    p = vec3(p.y * 0.5f + 1, p.z, p.x - p.y);
    is_finite_mesh &= is_finite(p);
  }
  if (!is_finite_mesh) return;
  const Placed moved(context, mesh);
  refit(context, accel, moved.view());
  expect_valid(validate(context, accel.tree(), moved.view()));
  expect_hits(context, accel, mesh, rays);
}

/// The first byte chooses the quality, and whether to make a binary tree, an Accel, or both: an input that makes one of
/// them takes half of the time.
void run_build(std::string_view input) {
  Bytes bytes(input);
  Context& context = one_worker();
  const u32 choice = bytes.take<u8>(), made = choice / 3 % 3;
  const AnyBuildOptions options = options_of(bytes);
  const Mesh mesh = mesh_of(bytes);
  const std::vector<Ray> rays = rays_of(bytes, mesh);
  const Placed placed(context, mesh);
  if (made != 1) check_binary_tree(context, placed.view(), options);
  if (made != 2) check_accel(context, placed, mesh, Quality(choice % 3), rays);
}

}  // namespace

std::span<const Target> build_targets() {
  static constexpr Target targets[] = {{"build", run_build}};
  return targets;
}

}  // namespace copse::fuzz
