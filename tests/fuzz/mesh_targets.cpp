// The readers of mesh files. Any bytes give an error of the file, or a mesh that is valid and survives a round trip.

#include <cmath>
#include <cstring>
#include <vector>

#include "builders/io/mesh/gunzip.h"
#include "builders/io/mesh/gzip_writer.h"
#include "builders/io/mesh_file.h"
#include "primitives/core/error.h"
#include "tests/fuzz/targets.h"

namespace copse::fuzz {

namespace {

bool is_finite(const vec3& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

void expect_valid(const Mesh& mesh) {
  require(!mesh.triangles.empty(), "a mesh that is read has a triangle");
  for (const vec3& p : mesh.positions) require(is_finite(p), "vertices are finite");
  for (const uvec3& t : mesh.triangles) {
    require(std::max({t.x, t.y, t.z}) < mesh.positions.size(), "indices are below the number of vertices");
  }
}

/// Equal bits, but that -0 may have become 0 in text.
bool same_mesh(const Mesh& a, const Mesh& b) {
  return a.positions == b.positions && a.triangles == b.triangles;
}

void expect_same_again(const Mesh& mesh, MeshFormat format) {
  const Mesh again = parse_mesh(mesh_bytes(mesh, format), {.workers = 1, .format = format});
  if (format != MeshFormat::stl)
    return require(same_mesh(mesh, again), "a mesh that was written is read the same");
  require(again.triangles.size() == mesh.triangles.size(), "an STL file has all triangles");
}

template <MeshFormat format>
void read_mesh(std::string_view bytes) {
  Mesh mesh;
  try {
    mesh = parse_mesh(bytes, {.workers = 1, .format = format, .max_unpacked_bytes = u64{1} << 22});
  } catch (const Error& error) {
    require(error.code() == ErrorCode::bad_file, "the error is one of the file");
    require(std::strlen(error.what()) > 0, "the error has a text");
    return;
  }
  expect_valid(mesh);
  expect_same_again(mesh, format == MeshFormat::automatic ? MeshFormat::ply : format);
}

/// Any bytes, packed in pieces, unpack to themselves; taken as packed, they are refused or give a mesh.
void run_gzip(std::string_view bytes) {
  std::string packed;
  detail::GzipWriter writer([&](std::string_view piece) { packed += piece; });
  const size_t middle = bytes.size() / 3;
  writer.write(bytes.substr(0, middle));
  writer.write(bytes.substr(middle));
  writer.finish();
  require(detail::gunzip("packed", packed, bytes.size(), {}) == bytes, "packed bytes unpack to themselves");
  read_mesh<MeshFormat::automatic>(bytes);
}

}  // namespace

std::span<const Target> mesh_targets() {
  static constexpr Target targets[] = {{"obj", read_mesh<MeshFormat::obj>},
                                       {"ply", read_mesh<MeshFormat::ply>},
                                       {"stl", read_mesh<MeshFormat::stl>},
                                       {"off", read_mesh<MeshFormat::off>},
                                       {"gzip", run_gzip}};
  // Without zlib nothing can be packed.
  return std::span<const Target>(targets).first(std::size(targets) - (COPSE_FUZZES_GZIP ? 0 : 1));
}

}  // namespace copse::fuzz
