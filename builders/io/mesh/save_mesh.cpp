#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <glm/geometric.hpp>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/gzip_writer.h"
#include "builders/io/mesh/stl_size.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

/// Collects bytes, and hands them on in pieces.
class MeshWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit MeshWriter(const Sink& sink) : sink_(sink) {}

  MeshWriter& text(std::string_view text) {
    pending_ += text;
    return handed_on();
  }
  /// Writes a number in as many digits as it needs to be read back.
  template <class T>
  MeshWriter& number(T value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    pending_.append(digits, size_t(end - digits));
    return *this;
  }
  MeshWriter& point(const vec3& p) { return number(p.x).text(" ").number(p.y).text(" ").number(p.z).text("\n"); }
  /// Writes a value as it is in memory.
  template <class T>
  MeshWriter& raw(const T& value) {
    return text({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void finish() { sink_(pending_); }

 private:
  MeshWriter& handed_on() {
    constexpr size_t piece_bytes = 1 << 16;
    if (pending_.size() < piece_bytes) return *this;
    sink_(pending_);
    pending_.clear();
    return *this;
  }

  const Sink& sink_;
  std::string pending_;
};

void write_ply(MeshWriter& out, const Mesh& mesh) {
  out.text("ply\nformat binary_little_endian 1.0\nelement vertex ").number(mesh.positions.size());
  out.text("\nproperty float x\nproperty float y\nproperty float z\nelement face ").number(mesh.triangles.size());
  out.text("\nproperty list uchar uint vertex_indices\nend_header\n");
  for (const vec3& p : mesh.positions) out.raw(p);
  for (const uvec3& t : mesh.triangles) out.raw(u8{3}).raw(t);
}

void write_obj(MeshWriter& out, const Mesh& mesh) {
  for (const vec3& p : mesh.positions) out.text("v ").point(p);
  for (const uvec3& t : mesh.triangles) {
    out.text("f ").number(u64{t.x} + 1).text(" ").number(u64{t.y} + 1).text(" ").number(u64{t.z} + 1).text("\n");
  }
}

void write_off(MeshWriter& out, const Mesh& mesh) {
  out.text("OFF\n").number(mesh.positions.size()).text(" ").number(mesh.triangles.size()).text(" 0\n");
  for (const vec3& p : mesh.positions) out.point(p);
  for (const uvec3& t : mesh.triangles) {
    out.text("3 ").number(t.x).text(" ").number(t.y).text(" ").number(t.z).text("\n");
  }
}

/// Returns the normal of a triangle, of length 1; 0 for a triangle without area.
vec3 normal_of(const vec3& a, const vec3& b, const vec3& c) {
  const glm::dvec3 u = glm::dvec3(b) - glm::dvec3(a), v = glm::dvec3(c) - glm::dvec3(a);
  const glm::dvec3 normal = glm::cross(u, v);
  const double length = std::sqrt(glm::dot(normal, normal));
  return length > 0 ? vec3(normal / length) : vec3(0);
}

void write_stl(MeshWriter& out, const Mesh& mesh) {
  // Readers take a file that begins with 'solid' for text.
  std::string header = "Binary STL, written by Copse";
  header.resize(detail::stl_count_at);
  out.text(header).raw(u32(mesh.triangles.size()));
  for (const uvec3& t : mesh.triangles) {
    const vec3 &a = mesh.positions[t.x], &b = mesh.positions[t.y], &c = mesh.positions[t.z];
    out.raw(normal_of(a, b, c)).raw(a).raw(b).raw(c).raw(u16{0});
  }
}

void check(const char* function, const Mesh& mesh, MeshFormat format) {
  constexpr u64 max_stl_triangles = 0xffffffff;
  if (format == MeshFormat::automatic) detail::refuse(function, "the format is automatic; it must be named");
  if (format == MeshFormat::stl && mesh.triangles.size() > max_stl_triangles) {
    detail::refuse(function, std::to_string(mesh.triangles.size()) + " triangles; an STL file holds at most " +
                                 std::to_string(max_stl_triangles));
  }
  for (size_t i = 0; i < mesh.triangles.size(); ++i) {
    const uvec3& t = mesh.triangles[i];
    const u32 largest = std::max({t.x, t.y, t.z});
    if (largest < mesh.positions.size()) continue;
    detail::refuse(function, "triangle " + std::to_string(i) + " has the index " + std::to_string(largest) +
                                 ", past the last of " + detail::counted(mesh.positions.size(), "vertices"));
  }
}

void write(const MeshWriter::Sink& sink, const Mesh& mesh, MeshFormat format) {
  MeshWriter out(sink);
  switch (format) {
    case MeshFormat::ply: write_ply(out, mesh); break;
    case MeshFormat::stl: write_stl(out, mesh); break;
    case MeshFormat::off: write_off(out, mesh); break;
    default: write_obj(out, mesh); break;
  }
  out.finish();
}

void save_as(const char* function, const std::filesystem::path& path, const Mesh& mesh, MeshFormat format,
             bool is_packed, const CancelToken& cancel) {
  check(function, mesh, format);
  detail::FileReplacement file(path, cancel);
  const MeshWriter::Sink to_file = [&](std::string_view bytes) { file.write(bytes.data(), bytes.size()); };
  if (is_packed) {
    detail::GzipWriter gzip(to_file);
    write([&](std::string_view bytes) { gzip.write(bytes); }, mesh, format);
    gzip.finish();
  } else {
    write(to_file, mesh, format);
  }
  file.commit();
}

}  // namespace

void save_mesh(const FilePath& file_path, const Mesh& mesh, const CancelToken& cancel) {
  const std::filesystem::path path = file_path.text();
  const std::optional<MeshFormat> format = detail::mesh_format_of_name(path);
  if (!format) {
    detail::throw_bad_file(path, "the ending " + detail::in_quotes(path.extension().string()) +
                                     " is none of a mesh that save_mesh writes: " + mesh_endings +
                                     ", with or without .gz");
  }
  save_as("save_mesh", path, mesh, *format, detail::has_gzip_ending(path), cancel);
}

void save_ply(const FilePath& file_path, const Mesh& mesh, const CancelToken& cancel) {
  save_as("save_ply", file_path.text(), mesh, MeshFormat::ply, false, cancel);
}

std::string mesh_bytes(const Mesh& mesh, MeshFormat format, const CancelToken& cancel) {
  check("mesh_bytes", mesh, format);
  std::string bytes;
  write(
      [&](std::string_view piece) {
        detail::throw_if_cancelled("mesh_bytes", cancel, "writing");
        bytes += piece;
      },
      mesh, format);
  return bytes;
}

}  // namespace copse
