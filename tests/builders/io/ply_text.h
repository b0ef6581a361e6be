#pragma once

// PLY files of a square in every format, for the tests of the reader.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "builders/io/mesh_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"

namespace copse::test {

inline const std::vector<vec3> square_positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5f}};
inline const std::vector<uvec3> square_triangles = {{0, 1, 2}, {0, 2, 3}};

inline Mesh load(const std::string& bytes, MeshReport* report = nullptr) {
  static const TemporaryFolder folder;
  return load_mesh(folder.write("mesh.ply", bytes), {}, report);
}

inline void expect_square(const std::string& bytes, MeshReport* report = nullptr) {
  const Mesh mesh = load(bytes, report);
  EXPECT_EQ(mesh.positions, square_positions);
  EXPECT_EQ(mesh.triangles, square_triangles);
}

inline void expect_error(const std::string& bytes, const std::string& part) {
  SCOPED_TRACE(bytes);
  EXPECT_COPSE_ERROR(load(bytes), ErrorCode::bad_file, "mesh.ply: " + part);
}

/// Writes a file with the same values in any of the three formats.
class PlyText {
 public:
  enum Format { ascii, little, big };

  explicit PlyText(Format format) : format_(format) {
    const char* names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    bytes_ = std::string("ply\nformat ") + names[format] + " 1.0\n";
  }
  PlyText& line(const std::string& text) {
    bytes_ += text + "\n";
    return *this;
  }
  template <class T, class... Values>
  PlyText& put(Values... values) {
    (put_one(T(values)), ...);
    return *this;
  }
  std::string bytes() const { return bytes_; }

 private:
  template <class T>
  void put_one(T value) {
    if (format_ == ascii) {
      bytes_ += std::to_string(value) + " ";
      return;
    }
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    if (format_ == big) std::reverse(raw, raw + sizeof value);
    bytes_.append(raw, sizeof value);
  }

  Format format_;
  std::string bytes_;
};

inline const PlyText::Format formats[] = {PlyText::ascii, PlyText::little, PlyText::big};

inline PlyText begin_square(PlyText::Format format, const std::string& vertices = "4",
                            const std::string& faces = "2") {
  return PlyText(format)
      .line("element vertex " + vertices)
      .line("property float x\nproperty float y\nproperty float z")
      .line("element face " + faces)
      .line("property list uchar int vertex_indices\nend_header");
}

inline PlyText& put_square_vertices(PlyText& ply) {
  for (const vec3& p : square_positions) ply.put<float>(p.x, p.y, p.z);
  return ply;
}

inline PlyText square(PlyText::Format format) {
  PlyText ply = begin_square(format);
  put_square_vertices(ply).put<u8>(3).put<i32>(0, 1, 2).put<u8>(3).put<i32>(0, 2, 3);
  return ply;
}

/// Returns a file with all kinds of content that readers must skip, in every place.
inline PlyText crowded_square(PlyText::Format format) {
  PlyText ply(format);
  ply.line("comment a comment").line("obj_info anything at all").line("element camera 1");
  ply.line("property list uint8 float64 matrix").line("property uchar kind").line("element vertex 4");
  ply.line("property uchar red").line("property double z").line("property list ushort short weights");
  ply.line("property float x").line("comment between").line("property float y").line("element nothing 7");
  ply.line("element face 1").line("property short flags").line("property list uint ushort vertex_index");
  ply.line("property list char float texcoord").line("element edge 2").line("property int32 vertex1");
  ply.line("end_header");
  ply.put<u8>(2).put<double>(1, 2).put<u8>(9);
  for (size_t i = 0; i < 4; ++i) {
    const vec3& p = square_positions[i];
    ply.put<u8>(200).put<double>(p.z).put<u16>(i);
    for (size_t k = 0; k < i; ++k) ply.put<std::int16_t>(-5);
    ply.put<float>(p.x, p.y);
  }
  ply.put<std::int16_t>(-1).put<u32>(4).put<u16>(0, 1, 2, 3).put<std::int8_t>(2).put<float>(0.5f, 0.25f);
  ply.put<i32>(11, 12);
  return ply;
}

inline PlyText begin_strips(PlyText::Format format, const std::string& before, const std::string& strips = "1") {
  return PlyText(format)
      .line("element vertex 4\nproperty float x\nproperty float y\nproperty float z\n" + before +
            "element tristrips " + strips)
      .line("property list int int vertex_indices\nend_header");
}

}  // namespace copse::test
