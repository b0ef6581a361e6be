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

/// Appends "3 faces with such a vertex (the first: line 7)" to a list.
void add_item(std::string& list, const MeshReport::LeftOut& left_out, const char* one, const char* many) {
  if (left_out.count == 0) return;
  if (!list.empty()) list += ", ";
  list += left_out.count == 1 ? std::string("1 ") + one : std::to_string(left_out.count) + " " + many;
  list += (left_out.count == 1 ? " (" : " (the first: ") + left_out.first + ")";
}

}  // namespace

std::string MeshReport::message() const {
  std::string list;
  add_item(list, vertices, "vertex that is not finite", "vertices that are not finite");
  add_item(list, faces, "face with such a vertex", "faces with such a vertex");
  add_item(list, short_faces, "face of fewer than 3 corners", "faces of fewer than 3 corners");
  if (list.empty()) return list;
  return list + (vertices.count + faces.count + short_faces.count == 1 ? " was left out" : " were left out");
}

namespace detail {

void throw_no_faces(const std::filesystem::path& path, const MeshReport& report) {
  if (report.is_complete()) throw_bad_file(path, "has 0 faces; at least 1 is needed");
  throw_bad_file(path, "has 0 faces left; at least 1 is needed: " + report.message());
}

}  // namespace detail

Mesh load_mesh(const FilePath& file_path, const LoadMeshOptions& options, MeshReport* report) {
  constexpr u32 max_workers = 4096;
  if (options.workers > max_workers) {
    throw Error(ErrorCode::invalid_argument, "load_mesh: " + std::to_string(options.workers) +
                                                 " workers; at most " + std::to_string(max_workers) +
                                                 " are possible");
  }
  const std::filesystem::path path = file_path.text();
  const std::string ending = lower_case(path.extension().string());
  if (ending != ".obj" && ending != ".ply") {
    detail::throw_bad_file(path, "the ending " + detail::in_quotes(ending) + " is neither '.obj' nor '.ply'");
  }
  try {
    MeshReport found;
    Mesh mesh = ending == ".obj" ? detail::load_obj(path, options, found) : detail::load_ply(path, options, found);
    if (mesh.triangles.empty()) detail::throw_no_faces(path, found);
    if (report != nullptr) *report = std::move(found);
    return mesh;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, path.string() + ": no memory for the mesh");
  }
}

void save_ply(const FilePath& file_path, const Mesh& mesh, const CancelToken& cancel) {
  const std::filesystem::path path = file_path.text();
  detail::FileReplacement file(path, cancel);
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
