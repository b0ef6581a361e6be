#include "scene/file/gltf_meshes.h"

#include <map>
#include <numeric>

#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"
#include "scene/file/gltf_accessors.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

/// Builds a mesh from its primitives.
class MeshReader {
 public:
  MeshReader(const fs::path& path, const GltfModel& model, MeshBytes& bytes)
      : path_(path), model_(model), bytes_(bytes), accessors_(path, model) {}

  void add(const tinygltf::Primitive& primitive, const std::string& name);

  SceneMesh result;

 private:
  /// Vertices of the mesh.
  struct Range {
    u64 begin, count;
  };

  Range vertices_of(int accessor, const std::string& name);
  std::vector<u32> corners_of(const tinygltf::Primitive& primitive, const std::string& name, u64 vertex_count);
  void add_triangles(int mode, const std::vector<u32>& corners, const std::string& name, u32 first_vertex);
  void check_room(u64 count, const char* what) const;

  const fs::path& path_;
  const GltfModel& model_;
  MeshBytes& bytes_;
  GltfAccessors accessors_;
  std::map<int, Range> read_;  // by accessor
  Mesh& mesh_ = result.mesh;
};

void MeshReader::check_room(u64 count, const char* what) const {
  constexpr u64 max_count = u64{1} << 31;
  if (count <= max_count) return;
  throw Error(ErrorCode::capacity, path_.string() + ": a mesh has " + std::to_string(count) + " " + what +
                                       "; at most 2147483648 are possible");
}

MeshReader::Range MeshReader::vertices_of(int accessor, const std::string& name) {
  const auto found = read_.find(accessor);
  if (found != read_.end()) return found->second;
  const std::vector<vec3> points = accessors_.points(accessor, name);
  const Range range{mesh_.positions.size(), points.size()};
  check_room(range.begin + range.count, "vertices");
  bytes_.take(range.count * sizeof(vec3));
  mesh_.positions.insert(mesh_.positions.end(), points.begin(), points.end());
  read_[accessor] = range;
  return range;
}

std::vector<u32> MeshReader::corners_of(const tinygltf::Primitive& primitive, const std::string& name,
                                        u64 vertex_count) {
  if (primitive.indices >= 0) return accessors_.indices(primitive.indices, name, vertex_count);
  std::vector<u32> corners(vertex_count);
  std::iota(corners.begin(), corners.end(), 0u);
  return corners;
}

/// The corners of triangles are in the order of glTF 2.0, section 3.7.2.1, so that all have the same winding.
void MeshReader::add_triangles(int mode, const std::vector<u32>& corners, const std::string& name,
                               u32 first_vertex) {
  const u64 n = corners.size();
  const bool is_list = mode == TINYGLTF_MODE_TRIANGLES;
  if (is_list ? n % 3 != 0 : n < 3) {
    throw_bad_file(path_, name + " has " + counted(n, "corners") + "; " +
                              (is_list ? "triangles take a multiple of 3" : "a strip or fan takes at least 3"));
  }
  const u64 count = is_list ? n / 3 : n - 2;
  check_room(mesh_.triangles.size() + count, "triangles");
  bytes_.take(count * sizeof(uvec3));
  for (u64 i = 0; i < count; ++i) {
    uvec3 at;
    switch (mode) {
      case TINYGLTF_MODE_TRIANGLE_STRIP: at = uvec3(i, i + (1 + i % 2), i + (2 - i % 2)); break;
      case TINYGLTF_MODE_TRIANGLE_FAN: at = uvec3(i + 1, i + 2, 0); break;
      default: at = uvec3(3 * i, 3 * i + 1, 3 * i + 2); break;
    }
    mesh_.triangles.push_back(uvec3(corners[at.x], corners[at.y], corners[at.z]) + first_vertex);
  }
}

void MeshReader::add(const tinygltf::Primitive& primitive, const std::string& name) {
  if (!primitive.targets.empty()) throw_bad_file(path_, name + " has morph targets, which Copse does not read");
  const auto position = primitive.attributes.find("POSITION");
  if (position == primitive.attributes.end()) throw_bad_file(path_, name + " has no attribute POSITION");
  const bool has_material = primitive.material >= 0;
  if (has_material && size_t(primitive.material) >= model_.materials.size()) {
    throw_bad_file(path_, name + " names material " + std::to_string(primitive.material) + ", but there are " +
                              std::to_string(model_.materials.size()));
  }
  const Range vertices = vertices_of(position->second, name);
  const std::vector<u32> corners = corners_of(primitive, name, vertices.count);
  const u64 triangles_before = mesh_.triangles.size();
  add_triangles(primitive.mode, corners, name, u32(vertices.begin));
  result.parts.push_back(
      {.triangle_count = mesh_.triangles.size() - triangles_before, .geometry = u32(result.parts.size())});
  result.materials.push_back(has_material ? u32(primitive.material) : u32(model_.materials.size()));
}

}  // namespace

void MeshBytes::take(u64 bytes) {
  taken_ += bytes;
  if (taken_ <= limit_) return;
  throw_bad_file(path_, "the meshes have at least " + std::to_string(taken_) + " bytes together; at most " +
                            std::to_string(limit_) + " are read (LoadSceneOptions::max_bytes)");
}

SceneMesh mesh_of(const fs::path& path, const GltfModel& model, u32 number, MeshBytes& bytes,
                  SceneReport& report) {
  const tinygltf::Mesh& source = model.meshes[number];
  MeshReader reader(path, model, bytes);
  for (size_t i = 0; i < source.primitives.size(); ++i) {
    const tinygltf::Primitive& primitive = source.primitives[i];
    const std::string name = "meshes[" + std::to_string(number) + "].primitives[" + std::to_string(i) + "]";
    if (primitive.mode > TINYGLTF_MODE_TRIANGLE_FAN) {
      throw_bad_file(path, name + ".mode is " + std::to_string(primitive.mode) + "; it can be 0 to 6");
    }
    if (primitive.mode < TINYGLTF_MODE_TRIANGLES) {
      ++report.drawings;
    } else {
      reader.add(primitive, name);
    }
  }
  reader.result.name = source.name;
  return std::move(reader.result);
}

}  // namespace copse::detail
