#include <tiny_obj_loader.h>

#include <istream>
#include <streambuf>
#include <string>

#include "builders/io/mesh/formats.h"
#include "builders/io/mesh/polygon.h"

namespace copse::detail {

namespace {

/// Lets a stream read bytes that are in memory already.
struct MemoryStreamBuffer : std::streambuf {
  explicit MemoryStreamBuffer(FileBytes& bytes) { setg(bytes.data(), bytes.data(), bytes.data() + bytes.size()); }
};

/// The vertices and faces between two looks at the cancel token.
constexpr size_t lines_per_poll = 4096;

struct Faces {
  const std::filesystem::path& path;
  const CancelToken& cancel;
  std::vector<vec3> positions;
  std::vector<u32> corners;        // of all faces
  std::vector<u32> corner_counts;  // of each face
};

void add_vertex(void* user_data, float x, float y, float z, float) {
  Faces& faces = *static_cast<Faces*>(user_data);
  if (faces.positions.size() % lines_per_poll == 0) throw_if_cancelled(faces.path, faces.cancel);
  faces.positions.push_back({x, y, z});
}

void add_face(void* user_data, tinyobj::index_t* indices, int count) {
  Faces& faces = *static_cast<Faces*>(user_data);
  if (faces.corner_counts.size() % lines_per_poll == 0) throw_if_cancelled(faces.path, faces.cancel);
  for (int k = 0; k < count; ++k) {
    // Indices count from 1 up, or from the latest vertex, -1, down.
    const i64 index = indices[k].vertex_index;
    faces.corners.push_back(u32(index > 0 ? index - 1 : i64(faces.positions.size()) + index));
  }
  faces.corner_counts.push_back(u32(count));
}

Faces parse(const std::filesystem::path& path, FileBytes& bytes, const CancelToken& cancel) {
  MemoryStreamBuffer buffer(bytes);
  std::istream stream(&buffer);
  tinyobj::callback_t callbacks;
  callbacks.vertex_cb = add_vertex;
  callbacks.index_cb = add_face;
  Faces faces{path, cancel, {}, {}, {}};
  std::string warning, error;
  // Without a material reader, no .mtl file is opened.
  if (!tinyobj::LoadObjWithCallback(stream, callbacks, &faces, nullptr, &warning, &error)) {
    throw_bad_file(path, error);
  }
  return faces;
}

/// The text was checked, but the arithmetic of tinyobjloader may overflow, for example for 0e999.
void check_finite(const std::filesystem::path& path, const std::vector<vec3>& positions) {
  for (size_t i = 0; i < positions.size(); ++i) {
    if (!is_finite(positions[i])) {
      throw_bad_file(path, "vertex " + std::to_string(i + 1) + ": a coordinate cannot be read as a finite number");
    }
  }
}

}  // namespace

Mesh load_obj(const std::filesystem::path& path, const CancelToken& cancel) {
  FileBytes bytes = read_whole_file(path, cancel);
  check_obj(path, bytes, cancel);
  Faces faces = parse(path, bytes, cancel);
  check_finite(path, faces.positions);

  Mesh mesh;
  mesh.triangles.resize(faces.corners.size() - 2 * faces.corner_counts.size());
  uvec3* triangles = mesh.triangles.data();
  PolygonCutter cutter;
  const u32* corner = faces.corners.data();
  for (const u32 count : faces.corner_counts) {
    throw_if_cancelled(path, cancel);
    triangles = cutter.cut(faces.positions, {corner, count}, triangles);
    corner += count;
  }
  mesh.positions = std::move(faces.positions);
  return mesh;
}

}  // namespace copse::detail
