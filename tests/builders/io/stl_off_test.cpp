// STL, as text and binary, and OFF.

#include <array>
#include <cctype>
#include <cmath>

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/builders/io/ply_text.h"

namespace copse::test {
namespace {

Mesh parse(MeshFormat format, const std::string& bytes, MeshReport* report = nullptr) {
  return parse_mesh(bytes, {.format = format}, report);
}

void expect_fault(MeshFormat format, const std::string& bytes, const std::string& part) {
  SCOPED_TRACE(bytes.substr(0, 400));
  EXPECT_COPSE_ERROR(parse(format, bytes), ErrorCode::bad_file, "mesh: " + part);
}

void expect_square_in(MeshFormat format, const std::string& bytes) {
  SCOPED_TRACE(bytes.substr(0, 400));
  const Mesh mesh = parse(format, bytes);
  EXPECT_EQ(mesh.positions, square_positions);
  EXPECT_EQ(mesh.triangles, square_triangles);
  const Mesh guessed = parse_mesh(bytes);
  EXPECT_EQ(guessed.triangles, square_triangles) << "by the first bytes";
}

std::string facet(const std::string& a, const std::string& b, const std::string& c) {
  return "facet normal nan 0 1e999\n outer loop\n  vertex " + a + "\n  vertex " + b + "\n  vertex " + c +
         "\n endloop\nendfacet\n";
}

const std::string square_solid =
    "solid a name\n" + facet("0 0 0", "1 0 0", "1 1 0") + facet("0 -0 0", "1 1 0", "0 1 .5") + "endsolid a name\n";

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A binary STL file.
///   promised: the number of triangles in its header
std::string binary_stl(const std::string& header, const std::vector<std::array<vec3, 3>>& triangles,
                       u32 promised) {
  std::string bytes = header;
  bytes.resize(80);
  append(bytes, promised);
  for (const auto& corners : triangles) {
    append(bytes, vec3(NAN));
    append(bytes, corners);
    append(bytes, u16{0xffff});
  }
  return bytes;
}

const std::vector<std::array<vec3, 3>> square_corners = {
    {square_positions[0], square_positions[1], square_positions[2]},
    {vec3(-0.0f, 0, -0.0f), square_positions[2], square_positions[3]}};

TEST(Stl, ReadsTextOfAnySpacingAndSolids) {
  expect_square_in(MeshFormat::stl, square_solid);
  std::string text = square_solid;
  for (char& c : text) c = char(std::toupper(c));
  expect_square_in(MeshFormat::stl, text);
  std::string lines;
  for (const char c : square_solid) lines += c == '\n' ? "\r\n\t" : c == ' ' ? "  \t" : std::string(1, c);
  expect_square_in(MeshFormat::stl, lines);
  const size_t second = square_solid.rfind("facet normal");
  expect_square_in(MeshFormat::stl,
                   "\n" + std::string(square_solid).insert(second, "endsolid\r\rsolid \xC3\xA4 facet\n"));
}

TEST(Stl, ReadsBinaryWhateverItsHeaderSays) {
  expect_square_in(MeshFormat::stl, binary_stl("a program", square_corners, 2));
  expect_square_in(MeshFormat::stl, binary_stl("solid as some programs write", square_corners, 2));
  expect_square_in(MeshFormat::stl, binary_stl("", square_corners, 2));
}

TEST(Stl, RefusesCountsThatLieAndFilesThatAreCut) {
  const std::string whole = binary_stl("solid", square_corners, 2);
  expect_fault(MeshFormat::stl, binary_stl("solid", square_corners, 3),
               "promises 3 triangles, in all 234 bytes; it has 184");
  expect_fault(MeshFormat::stl, binary_stl("", square_corners, 0xffffffff),
               "promises 4294967295 triangles, in all 214748364834 bytes; it has 184");
  expect_fault(MeshFormat::stl, binary_stl("", square_corners, 1), "promises 1 triangle, in all 134 bytes");
  expect_fault(MeshFormat::stl, whole + "x", "promises 2 triangles, in all 184 bytes; it has 185");
  expect_fault(MeshFormat::stl, whole.substr(0, 83), "has 83 bytes; a binary STL file has at least 84");
  for (const MeshFormat format : {MeshFormat::stl, MeshFormat::off}) {
    expect_fault(format, "", "is empty; at least 1 face is needed");
  }
  expect_fault(MeshFormat::stl, binary_stl("", {}, 0), "has 0 faces; at least 1 is needed");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_COPSE_ERROR(parse(MeshFormat::stl, whole.substr(0, size)), ErrorCode::bad_file, "mesh: ");
  }
  for (size_t size = 0; size < square_solid.size() - sizeof " a name\n"; ++size) {
    EXPECT_COPSE_ERROR(parse(MeshFormat::stl, square_solid.substr(0, size)), ErrorCode::bad_file, "mesh: ");
  }
}

TEST(Stl, NamesTheLineOfAFault) {
  const auto fault = [](const std::string& from, const std::string& to, const std::string& part) {
    const size_t at = square_solid.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    expect_fault(MeshFormat::stl, std::string(square_solid).replace(at, from.size(), to), part);
  };
  fault("vertex 1 0 0", "vertex 1 0", "line 5: z is missing");
  fault("vertex 1 0 0", "vertex 1 x 0", "line 5: y is 'x', not a number");
  fault("vertex 1 0 0", "vertex 1 0 0 0", "line 5: '0' stands after the 3 coordinates of a vertex");
  fault("vertex 1 0 0", "vertices", "line 5: unknown keyword 'vertices'");
  fault("vertex 1 0 0\n", "\n", "line 8: a facet with 2 vertices; it takes 3");
  fault("endloop", "vertex 1 2 3", "line 7: a facet with more than 3 vertices");
  fault("endfacet", "", "line 9: 'facet' before the 'endfacet' of the facet before it");
  fault("facet", "solid", "line 2: 'solid' before the 'endsolid' of the solid before it");
  fault("facet", "endsolid", "line 3: 'outer' stands where a solid should begin");
  fault("facet", "endfacet", "line 2: 'endfacet' without a facet");
  fault("facet", "vertex 0 0 0\nfacet", "line 2: a vertex outside of a facet");
  fault("endfacet\nendsolid a name", "endsolid", "line 15: 'endsolid' before the 'endfacet' of a facet");
  fault("endsolid a name\n", "", "line 15: the file ends before 'endsolid'");
  expect_fault(MeshFormat::stl, "solid\nendsolid\n", "has 0 faces; at least 1 is needed");
  expect_fault(MeshFormat::stl, "solid\n" + std::string(1 << 20, 'x') + "\nendsolid\n",
               "line 2: unknown keyword 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'");
}

TEST(Stl, LeavesOutVerticesThatAreNotFinite) {
  const std::string bad = facet("0 0 0", "nan 0 1e99", "inf 0 0");
  MeshReport report;
  Mesh mesh = parse(MeshFormat::stl, std::string(square_solid).insert(13, bad), &report);
  EXPECT_EQ(mesh.positions, square_positions);
  EXPECT_EQ(
      report.message(),
      "2 vertices that are not finite (the first: line 5), 1 face with such a vertex (line 4) were left out");
  mesh = parse(MeshFormat::stl,
               binary_stl("", {square_corners[0], {vec3(0), vec3(NAN), vec3(1)}, square_corners[1]}, 3), &report);
  EXPECT_EQ(mesh.triangles, square_triangles);
  EXPECT_EQ(report.message(),
            "1 vertex that is not finite (face 1), 1 face with such a vertex (face 1) were left out");
  expect_fault(MeshFormat::stl, "solid\n" + bad + "endsolid\n",
               "has 0 faces left; at least 1 is needed: 2 vertices");
}

/// A mesh with far more vertices than the first table of the merger has slots.
TEST(Stl, NumbersManyVerticesInTheirOrder) {
  const Mesh sphere = generate_sphere(5);
  const Mesh again = parse(MeshFormat::stl, mesh_bytes(sphere, MeshFormat::stl));
  ASSERT_EQ(again.positions.size(), sphere.positions.size());
  ASSERT_EQ(again.triangles.size(), sphere.triangles.size());
  u32 next = 0;
  for (size_t i = 0; i < again.triangles.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_LE(again.triangles[i][k], next);
      next = std::max(next, again.triangles[i][k] + 1);
      EXPECT_EQ(again.positions[again.triangles[i][k]], sphere.positions[sphere.triangles[i][k]]);
    }
  }
}

const std::string square_off = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 .5\n3 0 1 2\n3 0 2 3\n";

TEST(Off, ReadsEveryVariant) {
  const std::string faces = "3 0 1 2\n3 0 2 3\n";
  expect_square_in(MeshFormat::off, square_off);
  expect_square_in(MeshFormat::off, "# a comment\n\nOFF # another\n # third\n4 2\r\n0 0 0 # v\n\n1 0 0\n1 1 0\n" +
                                        ("0 1 .5\n" + faces) + "\n# the end\n");
  expect_square_in(MeshFormat::off, "OFF4 2 0\r0 0 0\r1 0 0\r1 1 0\r0 1 5e-1\r3 0 1 2\r3 0 2 3");
  expect_square_in(MeshFormat::off,
                   "COFF\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 0.5 0 0\n1 1 0 7\n0 1 .5\n"
                   "3 0 1 2 255 128 0\n3 0 2 3 1\n");
  expect_square_in(MeshFormat::off,
                   "NOFF\n4 2 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 .5 nan 0 1\n" + faces);
  expect_square_in(MeshFormat::off, "STCNOFF 4 2 0\n0 0 0 0 0 1 9 9 9 9 0 0\n1 0 0\n1 1 0\n0 1 .5\n" + faces);
  EXPECT_EQ(parse(MeshFormat::off, "OFF 4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n").triangles,
            square_triangles);
}

TEST(Off, RefusesCountsThatLieAndFilesThatAreCut) {
  const auto with_counts = [](const std::string& counts) { return std::string(square_off).replace(4, 5, counts); };
  expect_fault(MeshFormat::off, with_counts("5 2 0"), "line 8: the file ends after 1 face; the header promises 2");
  expect_fault(MeshFormat::off, with_counts("4 1 0"),
               "line 8: '3 0 2 3' stands after the last face that the header promises");
  expect_fault(MeshFormat::off, with_counts("4 3 0"),
               "line 8: the file ends after 2 faces; the header promises 3");
  expect_fault(
      MeshFormat::off, with_counts("18446744073709551615 2 0"),
      "line 2: the header promises 18446744073709551615 vertices, the 41 bytes that are left hold at most 7");
  expect_fault(MeshFormat::off, with_counts("4 4294967296 0"),
               "line 2: the header promises 4294967296 faces, the 41 bytes that are left hold at most 21");
  expect_fault(MeshFormat::off, with_counts("18446744073709551616 2 0"),
               "line 2: the number of vertices is '18446744073709551616', not a number from 0 to 2^64 - 1");
  expect_fault(MeshFormat::off, with_counts("-4 2 0"), "line 2: the number of vertices is '-4'");
  expect_fault(MeshFormat::off, with_counts("4"), "line 2: the number of faces is ''");
  expect_fault(MeshFormat::off, with_counts("0 2 0"), "has 0 vertices; at least 1 is needed");
  expect_fault(MeshFormat::off, with_counts("4 0 0"), "has 0 faces; at least 1 is needed");
  for (size_t size = 0; size + 2 < square_off.size(); ++size) {
    EXPECT_COPSE_ERROR(parse(MeshFormat::off, square_off.substr(0, size)), ErrorCode::bad_file, "mesh: ");
  }
}

TEST(Off, NamesTheLineOfAFault) {
  const auto fault = [](const std::string& from, const std::string& to, const std::string& part) {
    const size_t at = square_off.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    expect_fault(MeshFormat::off, std::string(square_off).replace(at, from.size(), to), part);
  };
  fault("OFF", "off", "line 1: begins with 'off'; an OFF file begins with a line 'OFF'");
  fault("OFF", "4OFF", "line 1: the format is '4OFF'; it can be OFF, with ST, C and N before it");
  fault("OFF", "OFF BINARY", "line 1: the file is a binary OFF file; Copse reads text");
  fault("1 1 0", "1 1", "line 5: z is missing");
  fault("1 1 0", "1 q 0", "line 5: y is 'q', not a number");
  fault("3 0 2 3", "3 0 2", "line 8: the face has 2 indices; it promises 3");
  fault("3 0 2 3", "4000000000 0 2 3", "line 8: the face has 3 indices; it promises 4000000000");
  fault("3 0 2 3", "3 0 2 4", "line 8: index '4' is not among the 4 vertices, 0 to 3");
  fault("3 0 2 3", "3 0 2 -1", "line 8: index '-1' is not among the 4 vertices, 0 to 3");
  fault("3 0 2 3", "x", "line 8: the number of corners is 'x', not a number");
}

TEST(Off, LeavesOutWhatIsNoTriangle) {
  MeshReport report;
  const Mesh mesh = parse(MeshFormat::off,
                          "OFF\n6 5 0\nnan 0 0\n0 0 0\n1 0 0\n1 1 0\n0 1 .5\n0 1e39 0\n3 1 2 3\n2 1 2\n3 0 1 2\n"
                          "3 1 3 4\n0\n",
                          &report);
  EXPECT_EQ(mesh.positions, square_positions);
  EXPECT_EQ(mesh.triangles, square_triangles);
  EXPECT_EQ(report.message(),
            "2 vertices that are not finite (the first: line 3), 1 face with such a vertex (line 11), 2 faces of "
            "fewer than 3 corners (the first: line 10) were left out");
}

}  // namespace
}  // namespace copse::test
