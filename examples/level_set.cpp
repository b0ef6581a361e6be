// A level set of a sphere: distances near its surface, in sparse bricks. A ray meets its surface, and a file for
// programs that read NanoVDB holds it.
//
//   level_set [OUT.nvdb]

#include <copse/copse.h>
#include <copse/grids.h>

#include <cmath>

#include "example_support.h"

namespace {

bool build_field(const char* path) {
  copse::Context context({.backend = copse::Backend::cpu});
  const copse::Mesh mesh = copse::generate_sphere(5);
  example::DeviceMesh device_mesh(context, mesh);
  const copse::TriangleView triangles = device_mesh.view();

  // snippet begins
  const copse::DistanceField field =
      copse::build_distance_field(context, triangles, {.resolution = 200, .band = 3});
  const copse::NanoGrid grid = copse::build_nano_grid(context, field);
  copse::save_nano_grid(path, copse::download(grid), copse::NanoCodec::zip);
  // snippet ends

  std::printf("%llu bricks, %llu bytes as NanoVDB\n", static_cast<unsigned long long>(field.brick_count()),
              static_cast<unsigned long long>(grid.size_bytes()));

  // Views of the CPU backend can be used on the host.
  const copse::Ray ray{{0.1f, 0.1f, 9}, 0, {0, 0, -1}, copse::infinity};
  const copse::FieldHit hit = copse::first_surface(field.view(), ray);
  const float expected = 9 - std::sqrt(1 - 0.02f);
  std::printf("the surface at %.3f, of an exact sphere at %.3f\n", double(hit.t), double(expected));
  const copse::HostNanoGrid loaded = copse::load_nano_grid(path);
  return copse::is_hit(hit) && std::fabs(hit.t - expected) < 0.002f && copse::value_at(loaded, 104, 104, 104) < 0;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("level_set", [&] { return build_field(argc == 2 ? argv[1] : "level_set.nvdb"); });
}
