// A tree over a mesh that stays in its PLY file, and a structure file of both. No memory of the host holds the mesh.

#include <copse/copse.h>
#include <copse/scale.h>

#include <cstdio>
#include <filesystem>

#include "example_support.h"

namespace {

bool build_from_file(const std::filesystem::path& ply_file, const std::filesystem::path& structure_file) {
  // snippet begins
  copse::Context host({.backend = copse::Backend::cpu});
  copse::Context device;  // a GPU, if one answers
  const copse::MappedMesh mesh(ply_file);
  const copse::Bvh tree =
      copse::build_in_slices(host, device, mesh.records(), {.memory_bytes = copse::u64{16} << 20});
  copse::save_structure(structure_file, host, mesh.records(), tree, "lbvh", 63, 1);
  // snippet ends

  const copse::StructureFile loaded = copse::load_structure(structure_file, host);
  const copse::Mesh read = copse::load_mesh(ply_file);
  const bool equal = loaded.mesh.positions == read.positions && loaded.mesh.triangles == read.triangles;
  std::printf("%llu triangles of a mapped file; those of the structure file are %s\n",
              static_cast<unsigned long long>(mesh.records().triangle_count), equal ? "the same" : "others");
  return equal && loaded.bvh.source_count == read.triangles.size();
}

}  // namespace

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::filesystem::path ply_file = folder / "copse-example-mapped.ply";
  const std::filesystem::path structure_file = folder / "copse-example-mapped.copse";
  const int exit_code = example::run("mapped_mesh", [&] {
    copse::save_mesh(ply_file, copse::generate_random(300000, 0.01f));
    return build_from_file(ply_file, structure_file);
  });
  std::filesystem::remove(ply_file);
  std::filesystem::remove(structure_file);
  return exit_code;
}
