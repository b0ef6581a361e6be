#include "cli/doctor/self_test.h"

#include <fmt/format.h>

#include "accel/accel.h"
#include "accel/accel_rays.h"
#include "builders/bvh/checksum.h"
#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "cli/options/scene.h"

namespace copse::cli {

namespace {

/// Rays through a square around the unit sphere, all from one eye. Their numbers have few bits, so they are exact.
std::vector<Ray> test_rays() {
  constexpr int side = 128;
  std::vector<Ray> rays;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const vec3 direction(float(2 * x + 1 - side) / side, float(2 * y + 1 - side) / side, -2);
      rays.push_back({.origin = vec3(0, 0, 4), .t_min = 0, .direction = direction, .t_max = 100});
    }
  }
  return rays;
}

void add_difference(std::string& text, const char* what, u64 found, u64 expected) {
  if (found == expected) return;
  text += fmt::format("{}{} {:#018x}, not {:#018x}", text.empty() ? "" : "; ", what, found, expected);
}

}  // namespace

// Take these from the output of copse doctor, if trees or hits are meant to change.
const SelfTest expected_self_test{
    .tree = 0xd7809519d529a560, .accel = 0xb87694182a419913, .hits = 0x0d63d433e5d984dd};

SelfTest run_self_test(Context& context) {
  const Mesh mesh = generate_sphere(5);
  const DeviceMesh device_mesh(context, mesh);
  const Bvh tree = build(context, device_mesh.view(), LbvhOptions{});
  const Accel accel = build(context, device_mesh.view());
  const Buffer<Ray> rays(context, test_rays());
  Buffer<Hit> hits(context, rays.size());
  closest_hits(context, accel, rays.span(), hits.span());

  const std::vector<Hit> found = hits.download();
  return {.tree = checksum(context, tree),
          .accel = checksum(context, accel.tree()),
          .hits = Fnv1a().add(std::span(found)).value()};
}

std::string difference(const SelfTest& found, const SelfTest& expected) {
  std::string text;
  add_difference(text, "the LBVH has the checksum", found.tree, expected.tree);
  add_difference(text, "the tree of the Accel has the checksum", found.accel, expected.accel);
  add_difference(text, "the hits have the checksum", found.hits, expected.hits);
  return text;
}

}  // namespace copse::cli
