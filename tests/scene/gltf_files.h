#pragma once

// Makes glTF files for tests.

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::test {

/// The JSON and the bytes of a glTF file. Each `add` appends an element and returns its number.
class GltfMaker {
 public:
  template <class T>
  u32 add_accessor(const std::vector<T>& values, u32 component_type, const std::string& type, u32 stride = 0) {
    const u32 view = add_view(values, stride);
    return append(accessors, "{\"bufferView\":" + std::to_string(view) +
                                 ",\"componentType\":" + std::to_string(component_type) +
                                 ",\"count\":" + std::to_string(values.size()) + ",\"type\":\"" + type + "\"}");
  }
  u32 add_points(const std::vector<vec3>& points, u32 stride = 0) {
    return add_accessor(points, 5126, "VEC3", stride);
  }
  template <class T>
  u32 add_indices(const std::vector<T>& indices) {
    return add_accessor(indices, sizeof(T) == 1 ? 5121 : sizeof(T) == 2 ? 5123 : 5125, "SCALAR");
  }

  /// A buffer view of values that stand `stride` bytes apart; 0: one after another.
  template <class T>
  u32 add_view(const std::vector<T>& values, u32 stride = 0) {
    while (bytes.size() % 4 != 0) bytes += '\0';
    const size_t begin = bytes.size();
    for (const T& value : values) {
      char raw[sizeof(T)];
      std::memcpy(raw, &value, sizeof(T));
      bytes.append(raw, sizeof(T));
      if (stride > sizeof(T)) bytes.append(stride - sizeof(T), '\x7f');
    }
    return append(views, "{\"buffer\":0,\"byteOffset\":" + std::to_string(begin) +
                             ",\"byteLength\":" + std::to_string(bytes.size() - begin) +
                             (stride > 0 ? ",\"byteStride\":" + std::to_string(stride) : "") + "}");
  }

  u32 add_mesh(const std::string& primitives) { return append(meshes, "{\"primitives\":[" + primitives + "]}"); }
  u32 add_node(const std::string& members) { return append(nodes, "{" + members + "}"); }

  /// The JSON, without scenes if `scenes` is empty. All nodes without a parent then make the scene.
  std::string json(const std::string& buffer_members = "") const {
    std::string text = "{\"asset\":{\"version\":\"2.0\"}";
    const auto add = [&](const char* name, const std::string& list) {
      if (!list.empty()) text += std::string(",\"") + name + "\":[" + list + "]";
    };
    add("scenes", scenes);
    add("nodes", nodes);
    add("meshes", meshes);
    add("materials", materials);
    add("accessors", accessors);
    add("bufferViews", views);
    add("buffers", "{\"byteLength\":" + std::to_string(bytes.size()) + buffer_members + "}");
    return text + more + "}";
  }

  /// The same with the bytes in the JSON.
  std::string gltf() const {
    return json(",\"uri\":\"data:application/octet-stream;base64," + base64(bytes) + "\"");
  }

  std::string glb() const { return glb_of(json(), bytes); }

  static std::string glb_of(std::string json, std::string binary) {
    while (json.size() % 4 != 0) json += ' ';
    while (binary.size() % 4 != 0) binary += '\0';
    const std::string chunks =
        word(u32(json.size())) + "JSON" + json + word(u32(binary.size())) + std::string("BIN\0", 4) + binary;
    return "glTF" + word(2) + word(u32(12 + chunks.size())) + chunks;
  }

  static std::string word(u32 value) {
    std::string text(4, '\0');
    std::memcpy(text.data(), &value, 4);
    return text;
  }

  static std::string base64(const std::string& data) {
    const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (size_t i = 0; i < data.size(); i += 3) {
      u32 group = 0;
      for (size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < data.size() ? u8(data[i + k]) : 0u);
      for (size_t k = 0; k < 4; ++k) text += i + k > data.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    return text;
  }

  std::string scenes, nodes, meshes, materials, accessors, views;
  std::string more;  // further members of the JSON, each with a comma before it
  std::string bytes;

 private:
  u32 append(std::string& list, const std::string& element) {
    if (!list.empty()) list += ",";
    list += element;
    return number_of(list);
  }

  /// The number of the last element at the top of a list.
  static u32 number_of(const std::string& list) {
    u32 depth = 0, number = 0;
    for (const char c : list) {
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      number += c == ',' && depth == 0;
    }
    return number;
  }
};

/// The corners of a cube from -1 to 1, and its 12 triangles, which turn outwards.
inline const std::vector<vec3> cube_points = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                              {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
inline const std::vector<u16> cube_corners = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                              2, 3, 7, 2, 7, 6, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5};

/// A file with one mesh, a cube, which is mesh 0, and no node.
inline GltfMaker cube_maker() {
  GltfMaker maker;
  maker.add_points(cube_points);
  maker.add_indices(cube_corners);
  maker.add_mesh("{\"attributes\":{\"POSITION\":0},\"indices\":1}");
  return maker;
}

/// A node's extension with these attributes.
inline std::string instancing(const std::string& attributes) {
  return ",\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{" + attributes + "}}}";
}

/// A cube that a node places three times, by accessors 2 to 4.
inline GltfMaker three_cubes(const std::string& attributes) {
  GltfMaker maker = cube_maker();
  maker.add_points({{1, 0, 0}, {2, 0, 0}, {3, 0, 0}});
  maker.add_accessor(
      std::vector<std::array<float, 4>>{{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 0.70710678f, 0.70710678f}}, 5126,
      "VEC4");
  maker.add_points({{1, 1, 1}, {2, 1, 1}, {1, 3, -1}}, 16);
  maker.add_node("\"mesh\":0,\"name\":\"row\",\"translation\":[0,10,0]" + instancing(attributes));
  maker.more =
      ",\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"],\"extensionsRequired\":[\"EXT_mesh_gpu_instancing\"]";
  return maker;
}

inline const char* const all_instance_attributes = "\"TRANSLATION\":2,\"ROTATION\":3,\"SCALE\":4,\"_ID\":99";

}  // namespace copse::test
