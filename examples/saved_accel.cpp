// A structure that is built once, saved, and loaded by later runs of the program.

#include <copse/copse.h>

#include <cstdint>
#include <filesystem>

#include "example_support.h"

namespace {

bool save_and_load(const std::filesystem::path& file) {
  copse::Context context;
  const copse::Mesh mesh = copse::generate_sphere(5);
  const example::DeviceMesh device_mesh(context, mesh);
  const copse::Buffer<copse::Ray> rays(context,
                                       std::vector<copse::Ray>{{{0, 0, 5}, 0, {0, 0, -1}, copse::infinity}});
  copse::Buffer<copse::Hit> hits(context, 1);

  // snippet begins
  const copse::Accel accel = copse::build(context, device_mesh.view(), {.quality = copse::Quality::best});
  copse::save_accel(file, context, mesh, accel);

  const copse::AccelFile loaded = copse::load_accel(file, context);
  copse::closest_hits(context, loaded.accel, rays.span(), hits.span());
  // snippet ends
  const copse::Hit hit = hits.download()[0];
  copse::closest_hits(context, accel, rays.span(), hits.span());
  std::printf("%zu triangles in %ju bytes; the ray hits triangle %u\n", loaded.mesh.triangles.size(),
              std::uintmax_t(std::filesystem::file_size(file)), hit.primitive);
  return hit.primitive == hits.download()[0].primitive;
}

}  // namespace

int main() {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "copse-example.copse";
  const int exit_code = example::run("saved_accel", [&] { return save_and_load(file); });
  std::filesystem::remove(file);
  return exit_code;
}
