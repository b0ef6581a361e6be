#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "builders/io/mesh_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

const std::vector<vec3> square_positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5f}};
const std::vector<uvec3> square_triangles = {{0, 1, 2}, {0, 2, 3}};

Mesh load(const std::string& bytes, MeshReport* report = nullptr) {
  static const TemporaryFolder folder;
  return load_mesh(folder.write("mesh.ply", bytes), {}, report);
}

void expect_square(const std::string& bytes, MeshReport* report = nullptr) {
  const Mesh mesh = load(bytes, report);
  EXPECT_EQ(mesh.positions, square_positions);
  EXPECT_EQ(mesh.triangles, square_triangles);
}

void expect_error(const std::string& bytes, const std::string& part) {
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

const PlyText::Format formats[] = {PlyText::ascii, PlyText::little, PlyText::big};

PlyText begin_square(PlyText::Format format, const std::string& vertices = "4", const std::string& faces = "2") {
  return PlyText(format)
      .line("element vertex " + vertices)
      .line("property float x\nproperty float y\nproperty float z")
      .line("element face " + faces)
      .line("property list uchar int vertex_indices\nend_header");
}

PlyText& put_square_vertices(PlyText& ply) {
  for (const vec3& p : square_positions) ply.put<float>(p.x, p.y, p.z);
  return ply;
}

PlyText square(PlyText::Format format) {
  PlyText ply = begin_square(format);
  put_square_vertices(ply).put<u8>(3).put<i32>(0, 1, 2).put<u8>(3).put<i32>(0, 2, 3);
  return ply;
}

/// Returns a file with all kinds of content that readers must skip, in every place.
PlyText crowded_square(PlyText::Format format) {
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

template <class T>
PlyText square_of_types(PlyText::Format format, const std::string& type) {
  PlyText ply(format);
  ply.line("element vertex 4").line("property " + type + " x\nproperty " + type + " y\nproperty " + type + " z");
  ply.line("element face 2").line("property list " + type + " " + type + " vertex_indices").line("end_header");
  for (const vec3& p : square_positions) ply.put<T>(p.x, p.y, p.z * 2);
  ply.put<T>(3, 0, 1, 2, 3, 0, 2, 3);
  return ply;
}

TEST(Ply, ReadsEveryFormat) {
  for (const auto format : formats) expect_square(square(format).bytes());
}

TEST(Ply, SkipsEverythingElse) {
  for (const auto format : formats) expect_square(crowded_square(format).bytes());
}

TEST(Ply, ReadsEveryIntegerType) {
  std::vector<vec3> expected = square_positions;
  expected[3].z = 1;
  for (const auto format : formats) {
    for (const std::string& bytes :
         {square_of_types<std::int8_t>(format, "char").bytes(), square_of_types<u8>(format, "uint8").bytes(),
          square_of_types<std::int16_t>(format, "int16").bytes(), square_of_types<u16>(format, "ushort").bytes(),
          square_of_types<i32>(format, "int").bytes(), square_of_types<u32>(format, "uint32").bytes()}) {
      const Mesh mesh = load(bytes);
      EXPECT_EQ(mesh.positions, expected);
      EXPECT_EQ(mesh.triangles, square_triangles);
    }
  }
}

TEST(Ply, ReadsFacesBeforeVertices) {
  for (const auto format : formats) {
    PlyText ply(format);
    ply.line("element face 2").line("property list uchar uint vertex_indices").line("element vertex 4");
    ply.line("property float x\nproperty float y\nproperty float z\nend_header");
    ply.put<u8>(3).put<u32>(0, 1, 2).put<u8>(3).put<u32>(0, 2, 3);
    expect_square(put_square_vertices(ply).bytes());
  }
}

TEST(Ply, ReadsAnyLineEnds) {
  for (const std::string line_end : {"\r\n", "\r"}) {
    std::string bytes;
    for (const char c : square(PlyText::ascii).bytes()) bytes += c == '\n' ? line_end : std::string(1, c);
    expect_square(bytes);
  }
  // Data that begin with the byte of a line feed, after a header with lone carriage returns.
  std::string header =
      PlyText(PlyText::little).line("element vertex 3").line("property char y\nproperty char x").bytes();
  header += "property char z\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
  std::replace(header.begin(), header.end(), '\n', '\r');
  const Mesh mesh = load(header + "\n" + std::string("\0\0\1\0\0\0\1\0\3\0\1\2", 12));
  EXPECT_EQ(mesh.positions[0], vec3(0, 10, 0));
}

TEST(Ply, ReadsAsciiNumbersOfAllKinds) {
  const std::string header = begin_square(PlyText::ascii, "3", "1").bytes();
  const Mesh mesh = load(header + "1e-60 +1.5E2 .5\n\n  -0 1. 3.4028235e38\t0.1 1 1 3 +0 1 2");
  EXPECT_EQ(mesh.positions, (std::vector<vec3>{{0, 150, 0.5f}, {0, 1, 3.4028235e38f}, {0.1f, 1, 1}}));
}

TEST(Ply, CutsPolygonsIntoTriangles) {
  PlyText ply = begin_square(PlyText::little, "4", "2");
  put_square_vertices(ply).put<u8>(4).put<i32>(0, 1, 2, 3).put<u8>(3).put<i32>(3, 2, 1);
  EXPECT_EQ(load(ply.bytes()).triangles, (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}, {3, 2, 1}}));
}

TEST(Ply, RejectsIndexPastEnd) {
  for (const auto format : formats) {
    for (const i32 index : {4, -1, 2147483647}) {
      PlyText ply = begin_square(format);
      put_square_vertices(ply).put<u8>(3).put<i32>(0, 1, 2).put<u8>(3).put<i32>(0, index, 3);
      expect_error(ply.bytes(), "face 1: index " + std::to_string(index) + " is not among the 4 vertices, 0 to 3");
    }
  }
}

TEST(Ply, LeavesOutFacesOfFewerThanThreeCorners) {
  for (const auto format : formats) {
    for (const int count : {0, 1, 2}) {
      PlyText ply = begin_square(format, "4", "4");
      put_square_vertices(ply).put<u8>(3).put<i32>(0, 1, 2);
      for (int face = 0; face < 2; ++face) {
        ply.put<u8>(count);
        for (int k = 0; k < count; ++k) ply.put<i32>(k);
      }
      ply.put<u8>(3).put<i32>(0, 2, 3);
      MeshReport report;
      expect_square(ply.bytes(), &report);
      EXPECT_EQ(report.message(), "2 faces of fewer than 3 corners (the first: face 1) were left out");
    }
    PlyText none = begin_square(format, "4", "1");
    expect_error(put_square_vertices(none).put<u8>(2).put<i32>(0, 1).bytes(),
                 "has 0 faces left; at least 1 is needed: 1 face of fewer than 3 corners (face 0) was left out");
    PlyText bad = begin_square(format, "4", "1");
    expect_error(put_square_vertices(bad).put<u8>(2).put<i32>(0, 4).bytes(), "face 0: index 4 is not among");
  }
}

TEST(Ply, LeavesOutVerticesThatAreNotFinite) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY};
  for (const auto format : formats) {
    for (const float value : bad) {
      PlyText ply = begin_square(format, "6", "5");
      ply.put<float>(0, value, 0);
      put_square_vertices(ply).put<float>(value, 0, 0);
      for (const uvec3& t : {uvec3(1, 2, 3), uvec3(3, 0, 1), uvec3(5, 3, 2), uvec3(1, 3, 4)}) {
        ply.put<u8>(3).put<i32>(t.x, t.y, t.z);
      }
      MeshReport report;
      expect_square(ply.put<u8>(4).put<i32>(0, 1, 2, 3).bytes(), &report);
      EXPECT_EQ(
          report.message(),
          "2 vertices that are not finite (the first: vertex 0), 3 faces with such a vertex (the first: face "
          "1) were left out");
    }
  }
}

TEST(Ply, LeavesOutVerticesPastTheLargestFloat) {
  for (const auto format : {PlyText::little, PlyText::big}) {
    PlyText ply(format);
    ply.line("element vertex 5\nproperty double x\nproperty double y\nproperty double z\nelement face 1");
    ply.line("property list uchar uchar vertex_index\nend_header");
    for (const vec3& p : square_positions) ply.put<double>(p.x, p.y, p.z);
    MeshReport report;
    expect_square(ply.put<double>(1, 2, -1e300).put<u8>(4, 0, 1, 2, 3).bytes(), &report);
    EXPECT_EQ(report.message(), "1 vertex that is not finite (vertex 4) was left out");
  }
  const std::string header = begin_square(PlyText::ascii, "4", "1").bytes();
  EXPECT_EQ(load(header + "0 0 0 1 1 1 1 1e39 1 2 2 2 3 0 1 3").positions,
            (std::vector<vec3>{{}, vec3(1), vec3(2)}));
  EXPECT_EQ(load(header + "0 0 0 1 1 1 1 1e-5000 1 2 2 2 3 0 1 3").positions.at(2), vec3(1, 0, 1));
}

PlyText begin_strips(PlyText::Format format, const std::string& before, const std::string& strips = "1") {
  return PlyText(format)
      .line("element vertex 4\nproperty float x\nproperty float y\nproperty float z\n" + before +
            "element tristrips " + strips)
      .line("property list int int vertex_indices\nend_header");
}

TEST(Ply, ReadsTriangleStrips) {
  for (const auto format : formats) {
    // Every other triangle of a strip is mirrored, so that all turn the same way. A strip begins anew after -1.
    PlyText ply = begin_strips(format, "");
    put_square_vertices(ply).put<i32>(11, 1, 2, 0, 3, 1, -1, 3, 2, 1, 0, -1);
    EXPECT_EQ(load(ply.bytes()).triangles,
              (std::vector<uvec3>{{1, 2, 0}, {0, 2, 3}, {0, 3, 1}, {3, 2, 1}, {1, 2, 0}}));
    // A corner that stands twice turns the strip; it is no triangle.
    PlyText bend = begin_strips(format, "");
    MeshReport report;
    EXPECT_EQ(load(put_square_vertices(bend).put<i32>(7, -1, 0, 1, 2, 2, 3, 0).bytes(), &report).triangles,
              (std::vector<uvec3>{{0, 1, 2}, {3, 2, 0}}));
    EXPECT_TRUE(report.is_complete());
  }
}

TEST(Ply, ReadsFacesAndStripsInTheOrderOfTheFile) {
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\n";
  for (const auto format : formats) {
    PlyText ply = begin_strips(format, face, "2");
    put_square_vertices(ply).put<u8>(3).put<i32>(3, 2, 1).put<i32>(3, 0, 1, 2).put<i32>(3, 0, 2, 3);
    EXPECT_EQ(load(ply.bytes()).triangles, (std::vector<uvec3>{{3, 2, 1}, {0, 1, 2}, {0, 2, 3}}));
    expect_square(put_square_vertices(ply = begin_strips(format, "element face 0\nproperty int none\n"))
                      .put<i32>(7, 0, 1, 2, -1, 0, 2, 3)
                      .bytes());
    // Before the vertices and behind them.
    PlyText early(format);
    early.line("element tristrips 1\nproperty list int int vertex_indices\nelement vertex 4");
    early.line("property float x\nproperty float y\nproperty float z\n" + face + "end_header");
    early.put<i32>(3, 0, 1, 2);
    expect_square(put_square_vertices(early).put<u8>(3).put<i32>(0, 2, 3).bytes());
  }
}

TEST(Ply, LeavesOutShortStripsAndTrianglesOfBadVertices) {
  for (const auto format : formats) {
    PlyText ply(format);
    ply.line("element vertex 5\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 2");
    ply.line("property list int int vertex_indices\nend_header");
    put_square_vertices(ply).put<float>(NAN, 0, 0).put<i32>(3, 0, 1, -1).put<i32>(8, 0, 1, 2, 4, 0, 2, 3, -1);
    MeshReport report;
    const Mesh mesh = load(ply.bytes(), &report);
    EXPECT_EQ(mesh.positions, square_positions);
    EXPECT_EQ(mesh.triangles, (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(
        report.message(),
        "1 vertex that is not finite (vertex 4), 3 faces with such a vertex (the first: tristrips 1), 1 face "
        "of fewer than 3 corners (tristrips 0) were left out");
  }
}

TEST(Ply, RejectsDamagedStrips) {
  for (const auto format : formats) {
    PlyText past = begin_strips(format, "");
    expect_error(put_square_vertices(past).put<i32>(4, 0, 1, 2, 4).bytes(),
                 "tristrips 0: index 4 is not among the 4 vertices, 0 to 3");
    PlyText below = begin_strips(format, "");
    expect_error(put_square_vertices(below).put<i32>(4, 0, 1, 2, -2).bytes(),
                 "tristrips 0: index -2 is not among");
    PlyText negative = begin_strips(format, "");
    expect_error(put_square_vertices(negative).put<i32>(-4, 0, 1, 2).bytes(),
                 "tristrips 0: has -4 corners; it needs at least 0");
    PlyText ended = begin_strips(format, "");
    expect_error(put_square_vertices(ended).put<i32>(4, 0, 1, 2).bytes(), "tristrips 0: the file ends inside it");
  }
  expect_error(
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\n"
      "element tristrips 1\nproperty int vertex_indices\nend_header\n0 0 0 0\n",
      "property 'vertex_indices' of element 'tristrips' is not a list");
}

TEST(Ply, RejectsAsciiWordsThatAreNoNumbers) {
  const std::string header = begin_square(PlyText::ascii, "3", "1").bytes();
  expect_error(header + "0 0 0 1 x 1 1 1 1 3 0 1 2", "vertex 1: 'x' is not a number");
  expect_error(header + "0 0 0 1 1 1 1 1 1 3 0 1.0 2", "face 0: '1.0' is not an integer");
  expect_error(header + "0 0 0 1 1 1 1 1 1 3 0 1 99999999999999999999",
               "face 0: '99999999999999999999' is not an integer");
}

TEST(Ply, RejectsNegativeListCounts) {
  PlyText ply(PlyText::little);
  ply.line("element vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty list char int more");
  ply.line("element face 1\nproperty list char int vertex_indices\nend_header");
  PlyText bad_vertex = ply;
  bad_vertex.put<float>(0, 0, 0).put<u8>(0xff).put<u8>(3).put<i32>(0, 0, 0);
  expect_error(bad_vertex.bytes(), "vertex 0: the list 'more' has -1 values");
  ply.put<float>(0, 0, 0).put<u8>(0).put<u8>(0x80).put<i32>(0, 0, 0);
  expect_error(ply.bytes(), "face 0: has -128 corners; it needs at least 3");
}

TEST(Ply, RejectsCountsThatTheFileCannotHold) {
  for (const auto format : formats) {
    for (const char* count : {"4000000000", "1000000", "18446744073709551615"}) {
      PlyText vertices = begin_square(format, count);
      expect_error(put_square_vertices(vertices).bytes(), std::string("the header promises ") + count);
      PlyText faces = begin_square(format, "4", count);
      expect_error(put_square_vertices(faces).bytes(), std::string("the header promises ") + count + " of 'face'");
    }
  }
  PlyText corners(PlyText::little);
  corners.line("element vertex 1\nproperty char x\nproperty char y\nproperty char z\nelement face 1");
  corners.line("property list uint int vertex_indices\nend_header")
      .put<u8>(0, 0, 0)
      .put<u32>(4294967295u, 0, 0, 0);
  expect_error(corners.bytes(), "face 0: the file ends inside it; the header promises 1 of 'face'");
  PlyText skipped(PlyText::little);
  skipped.line(
      "element junk 1\nproperty list uint double values\nelement vertex 1\nproperty char x\nproperty char y");
  skipped.line("property char z\nelement face 1\nproperty list uint int vertex_indices\nend_header");
  skipped.put<u32>(4294967295u).put<u8>(0, 0, 0).put<u32>(3, 0, 0, 0);
  expect_error(skipped.bytes(), "junk 0: the file ends inside it");
}

TEST(Ply, RejectsWhatIsLeftOver) {
  expect_square(square(PlyText::little).bytes() + "\n");
  expect_error(square(PlyText::little).bytes() + "12345", "5 bytes are left after the last 'face'");
  expect_error(square(PlyText::ascii).bytes() + "\n3 0 1 2\n", "");
}

TEST(Ply, RejectsMeshesWithoutFacesOrVertices) {
  expect_error(begin_square(PlyText::ascii, "0", "2").bytes(), "has 0 vertices");
  PlyText faceless = begin_square(PlyText::ascii, "4", "0");
  expect_error(put_square_vertices(faceless).bytes(), "has 0 faces");
  expect_error("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", "has 0 faces");
  expect_error("ply\nformat ascii 1.0\nend_header\n", "has 0 vertices");
}

TEST(Ply, RejectsHeadersThatLackSomething) {
  const std::string begin = "ply\nformat ascii 1.0\n";
  const std::string vertex = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string end = "end_header\n0 0 0 3 0 0 0\n";
  EXPECT_EQ(load(begin + vertex + face + end).triangles.size(), 1u);
  expect_error(begin + "element vertex 1\nproperty float x\nproperty float z\n" + face + end,
               "element 'vertex' has no property 'y'");
  expect_error(
      begin + "element vertex 1\nproperty float x\nproperty list uchar float y\nproperty float z\n" + face + end,
      "property 'y' of element 'vertex' is a list");
  expect_error(begin + vertex + "element face 1\nproperty list uchar int corners\n" + end,
               "element 'face' has no property");
  expect_error(begin + vertex + "element face 1\nproperty int vertex_indices\n" + end,
               "property 'vertex_indices' of element 'face' is not a list");
  expect_error(begin + vertex + "element face 1\nproperty list uchar float vertex_indices\n" + end,
               "property 'vertex_indices' of element 'face' is not");
}

TEST(Ply, RejectsMalformedHeaders) {
  expect_error("", "line 1: begins with ''");
  expect_error("solid\n", "line 1: begins with 'soli'");
  expect_error("ply\n", "line 2: the file ends before 'end_header'");
  expect_error("ply\nformat ascii 1.0\nend_header", "line 3: the file ends before");
  expect_error("ply\nend_header\n", "line 2: the header has no format");
  expect_error("ply\nformat utf8 1.0\n", "line 2: unknown format 'utf8'");
  expect_error("ply\nformat ascii 2.0\n", "line 2: version '2.0'");
  expect_error("ply\nformat ascii 1.0\nformat ascii 1.0\n", "line 3: a second format");
  const std::string begin = "ply\nformat ascii 1.0\n";
  expect_error(begin + "elephant 3\n", "line 3: unknown keyword 'elephant'");
  expect_error(begin + "element vertex -1\n", "line 3: element 'vertex' has the count '-1'");
  expect_error(begin + "element vertex 18446744073709551616\n",
               "line 3: element 'vertex' has the count '18446744073709551616'");
  expect_error(begin + "element vertex\n", "line 3: element 'vertex' has the count ''");
  expect_error(begin + "element vertex 1\nelement vertex 1\n", "line 4: a second element 'vertex'");
  expect_error(begin + "property float x\n", "line 3: a property before the first element");
  expect_error(begin + "element vertex 1\nproperty half x\n", "line 4: unknown type 'half'");
  expect_error(begin + "element vertex 1\nproperty float\n", "line 4: a property without a name");
  expect_error(begin + "element vertex 1\nproperty float x\nproperty int x\n", "line 5: a second property 'x'");
  expect_error(begin + "element vertex 1\nproperty list float int x\n", "line 4: list count of type 'float'");
  std::string many = begin + "element vertex 1\n";
  for (int i = 0; i < 5000; ++i) many += "property float p" + std::to_string(i) + "\n";
  EXPECT_COPSE_ERROR(load(many), ErrorCode::bad_file, "more than 4096 elements and properties");
}

/// Loads a file that may be damaged. It may throw bad_file only, and may not return a mesh with a bad index.
void load_damaged(const std::string& bytes) {
  try {
    const Mesh mesh = load(bytes);
    for (const uvec3& t : mesh.triangles) ASSERT_LT(std::max({t.x, t.y, t.z}), mesh.positions.size());
    for (const vec3& p : mesh.positions) ASSERT_TRUE(is_finite(p));
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), ErrorCode::bad_file) << error.what();
  }
}

TEST(Ply, EveryTruncationIsRefused) {
  for (const auto format : formats) {
    for (std::string bytes : {square(format).bytes(), crowded_square(format).bytes()}) {
      bytes.erase(bytes.find_last_not_of(' ') + 1);
      const size_t last_word = bytes.find_last_of(' ');
      for (size_t size = 0; size < bytes.size(); ++size) {
        // In text, the last number may lack digits, which no reader can detect.
        if (format == PlyText::ascii && size > last_word) {
          load_damaged(bytes.substr(0, size));
        } else {
          EXPECT_COPSE_ERROR(load(bytes.substr(0, size)), ErrorCode::bad_file, "mesh.ply");
        }
      }
    }
  }
}

TEST(Ply, EveryFlippedByteLoadsOrIsRefused) {
  for (const auto format : formats) {
    for (const std::string& bytes : {square(format).bytes(), crowded_square(format).bytes()}) {
      for (size_t i = 0; i < bytes.size(); ++i) {
        for (const int mask : {0x01, 0x10, 0x80, 0xff}) {
          std::string damaged = bytes;
          damaged[i] = char(damaged[i] ^ mask);
          load_damaged(damaged);
        }
      }
    }
  }
}

TEST(SavePly, WritesWhatLoadMeshReads) {
  const TemporaryFolder folder;
  const Mesh mesh{square_positions, square_triangles};
  save_ply(folder / "mesh.ply", mesh);
  const Mesh again = load_mesh(folder / "mesh.ply");
  EXPECT_EQ(again.positions, mesh.positions);
  EXPECT_EQ(again.triangles, mesh.triangles);
  EXPECT_COPSE_ERROR(save_ply(folder / "none" / "mesh.ply", mesh), ErrorCode::bad_file, "No such file");
}

}  // namespace
}  // namespace copse::test
