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
  const copse::Ray ray{{0, 0, 5}, 0, {0, 0, -1}, copse::infinity};
  const copse::Buffer<copse::Ray> rays(context, std::vector{ray});
  copse::Buffer<copse::Hit> hits(context, 1);

  // snippet begins
  const copse::Accel accel = copse::build(context, device_mesh.view(), {.quality = copse::Quality::best});
  copse::save_accel(file, context, mesh, accel);

  const copse::AccelFile loaded = copse::load_accel(file, context);
  copse::closest_hits(context, loaded.accel, rays.span(), hits.span());

  const copse::MappedAccel mapped = copse::map_accel(file);  // on the CPU: without a copy
  const copse::Hit hit = copse::closest_hit(mapped.accel.view(), ray);
  // snippet ends
  std::printf("%zu triangles in %ju bytes; the ray hits triangle %u\n", loaded.mesh.triangles.size(),
              std::uintmax_t(std::filesystem::file_size(file)), hit.primitive);
  return hit.primitive == hits.download()[0].primitive && hit.primitive != copse::invalid_id;
}

}  // namespace

int main() {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "copse-example.copse";
  const int exit_code = example::run("saved_accel", [&] { return save_and_load(file); });
  std::filesystem::remove(file);
  return exit_code;
}
