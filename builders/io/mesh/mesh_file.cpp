#include "builders/io/mesh_file.h"

#include <filesystem>
#include <new>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/gunzip.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

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

void check_mesh_options(const char* function, const LoadMeshOptions& options) {
  constexpr u32 max_workers = 4096;
  if (options.workers <= max_workers) return;
  refuse(function,
         std::to_string(options.workers) + " workers; at most " + std::to_string(max_workers) + " are possible");
}

}  // namespace detail

namespace {

/// Reads the bytes of a file by the reader of its format.
///   format: not automatic
Mesh read(const std::filesystem::path& path, std::string_view bytes, MeshFormat format,
          const LoadMeshOptions& options, MeshReport& report) {
  switch (format) {
    case MeshFormat::ply: return detail::read_ply(path, bytes, options, report);
    case MeshFormat::stl: return detail::read_stl(path, bytes, options, report);
    case MeshFormat::off: return detail::read_off(path, bytes, options, report);
    default: return detail::read_obj(path, bytes, options, report);
  }
}

/// Reads the bytes of a file that is not packed.
Mesh read(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
          MeshReport* report) {
  if (bytes.empty()) detail::throw_bad_file(path, "is empty; at least 1 face is needed");
  const bool is_known = options.format != MeshFormat::automatic;
  MeshReport found;
  Mesh mesh = read(path, bytes, is_known ? options.format : detail::mesh_format_of_bytes(bytes), options, found);
  if (mesh.triangles.empty()) detail::throw_no_faces(path, found);
  if (report != nullptr) *report = std::move(found);
  return mesh;
}

[[noreturn]] void throw_no_memory(const std::filesystem::path& path) {
  throw Error(ErrorCode::out_of_memory, path.string() + ": no memory for the mesh");
}

}  // namespace

Mesh load_mesh(const FilePath& file_path, const LoadMeshOptions& options, MeshReport* report) {
  detail::check_mesh_options("load_mesh", options);
  const std::filesystem::path path = file_path.text();
  LoadMeshOptions known = options;
  if (known.format == MeshFormat::automatic) {
    const std::optional<MeshFormat> format = detail::mesh_format_of_name(path);
    if (!format) {
      detail::throw_bad_file(path, "the ending " + detail::in_quotes(path.extension().string()) +
                                       " is none of a mesh: " + mesh_endings + ", with or without .gz");
    }
    known.format = *format;
  }
  try {
    detail::FileBytes bytes = detail::read_whole_file(path, options.cancel);
    if (!detail::is_gzip(bytes.text())) return read(path, bytes.text(), known, report);
    const std::string unpacked = detail::gunzip(path, bytes.text(), options.max_unpacked_bytes, options.cancel);
    bytes = detail::FileBytes(0);
    return read(path, unpacked, known, report);
  } catch (const std::bad_alloc&) {
    throw_no_memory(path);
  }
}

Mesh parse_mesh(std::string_view bytes, const LoadMeshOptions& options, MeshReport* report,
                const std::string& name) {
  detail::check_mesh_options("parse_mesh", options);
  try {
    if (!detail::is_gzip(bytes)) return read(name, bytes, options, report);
    return read(name, detail::gunzip(name, bytes, options.max_unpacked_bytes, options.cancel), options, report);
  } catch (const std::bad_alloc&) {
    throw_no_memory(name);
  }
}

}  // namespace copse
