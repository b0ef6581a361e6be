#include <cmath>
#include <limits>

#include "tests/builders/io/ply_text.h"

namespace copse::test {
namespace {

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
