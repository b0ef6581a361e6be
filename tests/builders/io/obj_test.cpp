#include <cmath>

#include "builders/io/mesh_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const std::vector<vec3> corner_positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
const std::vector<uvec3> one_triangle = {{0, 1, 2}};

Mesh load(const std::string& text) {
  static const TemporaryFolder folder;
  return load_mesh(folder.write("mesh.obj", text));
}

void expect_error(const std::string& text, const std::string& part) {
  SCOPED_TRACE(text);
  EXPECT_COPSE_ERROR(load(text), ErrorCode::bad_file, "mesh.obj: " + part);
}

void expect_one_triangle(const std::string& text) {
  SCOPED_TRACE(text);
  const Mesh mesh = load(text);
  EXPECT_EQ(mesh.positions, corner_positions);
  EXPECT_EQ(mesh.triangles, one_triangle);
}

TEST(Obj, ReadsEveryWayToWriteACorner) {
  for (const char* face : {"f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//2 3//3", "f 1/1/1 2/2/2 3/3/3", "f -3 -2 -1",
                           "f -3/-1/-1 -2//-1 -1", "f +1 +2 +3", "f 1/ 2/ 3/", "f 1// 2// 3//"}) {
    expect_one_triangle(corners + "vt 0 0\nvn 0 0 1\n" + face + "\n");
  }
}

TEST(Obj, ReadsEveryWayToWriteAVertex) {
  expect_one_triangle("v 0 0 0 1\nv 1.0 0. .0 1\nv 0e5 +1e0 -0.0 0.5\nf 1 2 3");
  expect_one_triangle("v 0 0 0 0.1 0.2 0.3\nv 1 0 0 1 1 1\nv 0 1 0 0 0 0\nf 1 2 3");
  expect_one_triangle("v 0 0 0\nv 1 0 0\nv 0 10E-1 1e-60\nf 1 2 3");
}

TEST(Obj, ReadsAnySpacingAndLineEnds) {
  expect_one_triangle("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n");
  expect_one_triangle("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3");
  expect_one_triangle("v\t0\t0\t0\n  v  1  0  0  \n\tv 0 1\t0\n\n\n \t\nf\t1  2\t3 \t");
  expect_one_triangle("\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

TEST(Obj, ReadsCommentsAnywhere) {
  expect_one_triangle("# made by hand\nv 0 0 0 # first\nv 1 0 0#second\n  # f 7 8 9\nv 0 1 0\nf 1 2 3 # 4 5\n");
}

TEST(Obj, JoinsLinesAfterABackslash) {
  expect_one_triangle("v 0 \\\n0 0\nv 1 0\\\r\n 0\nv 0 1 0\nf \\\n1 2\\\n\\\n 3\n");
  expect_one_triangle("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\\");
}

TEST(Obj, BackslashesInNamesAndCommentsJoinNothing) {
  expect_one_triangle("# from C:\\models\\\nv 0 0 0 # here\\\nmtllib C:\\models\\\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

TEST(Obj, IgnoresGroupsMaterialsAndLines) {
  const std::string text = "mtllib missing.mtl\no thing\ng one two\nusemtl red\ns 1\n" + corners +
                           "v 0 0 1\nvp 0.3\nf 1 2 3\nl 1 2 3\np 1\ng\nusemtl blue\ns off\nf 1 3 4\n";
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const Mesh mesh = load(text);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.triangles, (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Obj, KeepsTheOrderOfFacesOfAllSizes) {
  const Mesh mesh = load("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4 5\nf 1 2 3\nf 1 2 3 4\n");
  EXPECT_EQ(mesh.triangles,
            (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 1, 2}, {0, 1, 2}, {0, 2, 3}}));
}

TEST(Obj, FacesMayComeBeforeTheirVertices) {
  expect_one_triangle("f 1 2 3\n" + corners);
}

TEST(Obj, RejectsIndexPastEnd) {
  expect_error(corners + "f 1 2 4\n", "line 4: index 4 is past the last of 3 vertices");
  expect_error(corners + "f 1 2 3\n\n# comment\nf 1 2 \\\n 9\n", "line 7: index 9 is past the last of 3 vertices");
  expect_error(corners + "f 1 2 99999999999\n",
               "line 4: corner '99999999999': the index is above the limit of 2147483647");
  expect_error(corners + "f 1 2 99999999999999999999999\n",
               "line 4: corner '99999999999999999999999': the index is above");
}

TEST(Obj, RejectsIndexZero) {
  expect_error(corners + "f 0 1 2\n", "line 4: corner '0': index 0 is not allowed; the first vertex is 1");
}

TEST(Obj, RejectsNegativeIndexBeforeTheFirstVertex) {
  expect_error(corners + "f -1 -2 -4\nv 1 1 1\n",
               "line 4: index -4 reaches before the first of 3 vertices so far");
}

TEST(Obj, RejectsCornersThatAreNoIndices) {
  expect_error(corners + "f 1 2 x\n", "line 4: corner 'x' does not begin with an index");
  expect_error(corners + "f 1 2 3.0\n", "line 4: corner '3.0' does not begin with an index");
  expect_error(corners + "f 1 2 /3\n", "line 4: corner '/3' does not begin with an index");
  expect_error(corners + "f 1 2 3/1/1/1\n", "line 4: corner '3/1/1/1' has more than 3 indices");
  expect_error(corners + "f 1 2 +-3\n", "line 4: corner '+-3' does not begin");
}

TEST(Obj, RejectsFacesOfFewerThanThreeCorners) {
  expect_error(corners + "f 1 2\n", "line 4: the face has 2 corners; it needs at least 3");
  expect_error(corners + "f 1 2 # 3\n", "line 4: the face has 2 corners");
  expect_error(corners + "f\n", "line 4: the face has 0 corners");
}

TEST(Obj, RejectsCoordinatesThatAreNotFinite) {
  for (const char* value : {"nan", "NaN", "inf", "-inf", "1e39", "-1e400", "1e99999999999"}) {
    expect_error(std::string("v 0 0 0\nv 1 ") + value + " 0\nv 0 1 0\nf 1 2 3\n",
                 std::string("line 2: y is '") + value + "', not a finite number");
  }
}

TEST(Obj, RejectsCoordinatesThatAreNoNumbers) {
  for (const char* value : {"x", "1,5", "0x10", "1.5f", "--1", "+-1", "1e", ".", "1_0"}) {
    expect_error(std::string("v 0 0 0\nv 1 ") + value + " 0\n",
                 std::string("line 2: y is '") + value + "', not a number");
  }
}

TEST(Obj, NothingNotFiniteComesOutOfTheParser) {
  // Finite numbers that tinyobjloader turns into NaN.
  const std::string many_zeros(400, '0');
  for (const std::string& value : {std::string("0e999999"), "1" + many_zeros + "e-400"}) {
    try {
      for (const vec3& p : load("v 0 " + value + " 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").positions)
        EXPECT_TRUE(is_finite(p));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_file);
    }
  }
}

TEST(Obj, RejectsVerticesOfFewerThanThreeCoordinates) {
  expect_error("v 0 0 0\nv 1 0\n", "line 2: the vertex has no z");
  expect_error("v", "line 1: the vertex has no x");
}

TEST(Obj, RejectsMeshesWithoutFaces) {
  expect_error("", "has 0 faces");
  expect_error(corners, "has 0 faces");
  expect_error("hello\nworld\n", "has 0 faces");
}

TEST(Obj, RejectsZeroBytes) {
  expect_error(std::string("v 0 0 0\nv 1 0\0 0\n", 16), "line 2: character 6 is a zero byte");
}

TEST(Obj, MessagesHoldNoControlCharactersAndNoLongTokens) {
  expect_error("v 0 0 \x1b[31m\xff\n", "line 1: z is '?[31m?', not a number");
  expect_error("v 0 0 " + std::string(1000, 'y') + "\n", "line 1: z is '" + std::string(40, 'y') + "...', not");
}

TEST(Obj, EveryTruncationLoadsOrIsRefused) {
  const std::string text = corners + "v 0 0 1\nf 1/1/1 2 \\\n3\nf -4 -3 -1 -2\n# end\n";
  for (size_t size = 0; size <= text.size(); ++size) {
    try {
      const Mesh mesh = load(text.substr(0, size));
      for (const uvec3& t : mesh.triangles) EXPECT_LT(std::max({t.x, t.y, t.z}), mesh.positions.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_file);
    }
  }
}

TEST(LoadMesh, TellsFormatsByTheEnding) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_mesh(folder.write("mesh.OBJ", corners + "f 1 2 3\n")).triangles, one_triangle);
  EXPECT_COPSE_ERROR(load_mesh(folder.write("mesh.stl", "")), ErrorCode::bad_file, "'.stl' is neither");
  EXPECT_COPSE_ERROR(load_mesh(folder / "none.obj"), ErrorCode::bad_file, "No such file");
}

TEST(LoadMesh, ReadsTheBundledMeshesLarge) {
  const Mesh spot = load_mesh("assets/spot.obj");
  EXPECT_EQ(spot.positions.size(), 11533u);
  EXPECT_EQ(spot.triangles.size(), 23062u);
  const Mesh ball = load_mesh("assets/testball.ply");
  EXPECT_EQ(ball.positions.size(), 40324u);
  EXPECT_EQ(ball.triangles.size(), 80768u);
}

}  // namespace
}  // namespace copse::test
