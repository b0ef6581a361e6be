#include "builders/io/mesh_file.h"

#include <filesystem>
#include <new>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/whole_file.h"

namespace copse {

namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

Mesh load_mesh(const FilePath& file_path, const LoadMeshOptions& options) {
  const std::filesystem::path path = file_path.text();
  const std::string ending = lower_case(path.extension().string());
  try {
    if (ending == ".obj") return detail::load_obj(path, options.cancel);
    if (ending == ".ply") return detail::load_ply(path, options.cancel);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, path.string() + ": no memory for the mesh");
  }
  detail::throw_bad_file(path, "the ending " + detail::in_quotes(ending) + " is neither '.obj' nor '.ply'");
}

void save_ply(const FilePath& file_path, const Mesh& mesh) {
  const std::filesystem::path path = file_path.text();
  detail::FileReplacement file(path);
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(mesh.positions.size()) +
      "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
      std::to_string(mesh.triangles.size()) + "\nproperty list uchar uint vertex_indices\nend_header\n";
  file.write(header.data(), header.size());
  for (const vec3& p : mesh.positions) file.write(&p, sizeof p);
  for (const uvec3& t : mesh.triangles) {
    const u8 corner_count = 3;
    file.write(&corner_count, 1);
    file.write(&t, sizeof t);
  }
  file.commit();
}

}  // namespace copse
