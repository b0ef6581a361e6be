#include <ctime>
#include <random>

#include "builders/io/mesh_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const std::vector<vec3> corner_positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
const std::vector<uvec3> one_triangle = {{0, 1, 2}};

Mesh mesh_of(const std::string& text, MeshReport* report = nullptr, u32 workers = 0) {
  static const TemporaryFolder folder;
  return load_mesh(folder.write("mesh.obj", text), {.cancel = {}, .workers = workers}, report);
}

void expect_obj_error(const std::string& text, const std::string& part) {
  SCOPED_TRACE(text);
  EXPECT_COPSE_ERROR(mesh_of(text), ErrorCode::bad_file, "mesh.obj: " + part);
}

void expect_one_triangle(const std::string& text) {
  SCOPED_TRACE(text);
  const Mesh mesh = mesh_of(text);
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
  const Mesh mesh = mesh_of(text);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.triangles, (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Obj, KeepsTheOrderOfFacesOfAllSizes) {
  const Mesh mesh = mesh_of("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4 5\nf 1 2 3\nf 1 2 3 4\n");
  EXPECT_EQ(mesh.triangles,
            (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 1, 2}, {0, 1, 2}, {0, 2, 3}}));
}

TEST(Obj, FacesMayComeBeforeTheirVertices) {
  expect_one_triangle("f 1 2 3\n" + corners);
}

TEST(Obj, RejectsIndexPastEnd) {
  expect_obj_error(corners + "f 1 2 4\n", "line 4: index 4 is past the last of 3 vertices");
  expect_obj_error(corners + "f 1 2 3\n\n# comment\nf 1 2 \\\n 9\n",
                   "line 7: index 9 is past the last of 3 vertices");
  expect_obj_error(corners + "f 1 2 99999999999\n",
                   "line 4: corner '99999999999': the index is above the limit of 2147483647");
  expect_obj_error(corners + "f 1 2 99999999999999999999999\n",
                   "line 4: corner '99999999999999999999999': the index is above");
}

TEST(Obj, RejectsIndexZero) {
  expect_obj_error(corners + "f 0 1 2\n", "line 4: corner '0': index 0 is not allowed; the first vertex is 1");
}

TEST(Obj, RejectsNegativeIndexBeforeTheFirstVertex) {
  expect_obj_error(corners + "f -1 -2 -4\nv 1 1 1\n",
                   "line 4: index -4 reaches before the first of 3 vertices so far");
}

TEST(Obj, RejectsCornersThatAreNoIndices) {
  expect_obj_error(corners + "f 1 2 x\n", "line 4: corner 'x' does not begin with an index");
  expect_obj_error(corners + "f 1 2 3.0\n", "line 4: corner '3.0' does not begin with an index");
  expect_obj_error(corners + "f 1 2 /3\n", "line 4: corner '/3' does not begin with an index");
  expect_obj_error(corners + "f 1 2 3/1/1/1\n", "line 4: corner '3/1/1/1' has more than 3 indices");
  expect_obj_error(corners + "f 1 2 +-3\n", "line 4: corner '+-3' does not begin");
}

TEST(Obj, LeavesOutFacesOfFewerThanThreeCorners) {
  for (const char* face : {"f 1 2", "f 1 2 # 3", "f", "f 2/1/1"}) {
    SCOPED_TRACE(face);
    MeshReport report;
    const Mesh mesh = mesh_of(corners + "# no face:\n" + face + "\nf 1 2 3\n" + face, &report);
    EXPECT_EQ(mesh.triangles, one_triangle);
    EXPECT_FALSE(report.is_complete());
    EXPECT_EQ(report.message(), "2 faces of fewer than 3 corners (the first: line 5) were left out");
  }
  expect_obj_error(corners + "f 1 2\n",
                   "has 0 faces left; at least 1 is needed: 1 face of fewer than 3 corners (line 4) was left out");
  // Indices are checked nevertheless.
  expect_obj_error(corners + "f 1 2 3\nf 1 4\n", "line 5: index 4 is past the last of 3 vertices");
  expect_obj_error(corners + "f 1 2 3\nf 1 x\n", "line 5: corner 'x' does not begin with an index");
}

TEST(Obj, LeavesOutVerticesThatAreNotFinite) {
  for (const char* value : {"nan", "NaN", "-nan(ind)", "inf", "-inf", "1e39", "-1e400", "1e99999999999"}) {
    SCOPED_TRACE(value);
    const std::string bad = std::string("v 1 ") + value + " 0\n";
    MeshReport report;
    // The vertices behind it get other numbers.
    Mesh mesh = mesh_of("v 0 0 0\n" + bad + "v 1 0 0\nv 0 1 0\nf 1 3 4\n", &report);
    EXPECT_EQ(mesh.positions, corner_positions);
    EXPECT_EQ(mesh.triangles, one_triangle);
    EXPECT_EQ(report.message(), "1 vertex that is not finite (line 2) was left out");
    mesh = mesh_of(bad + bad + corners + "f 3 4 5\nf 3 \\\n4 2\n# more\nf 5 3 4\nf 1 -2 -1\n", &report);
    EXPECT_EQ(mesh.positions, corner_positions);
    EXPECT_EQ(mesh.triangles, (std::vector<uvec3>{{0, 1, 2}, {2, 0, 1}}));
    EXPECT_EQ(report.message(),
              "2 vertices that are not finite (the first: line 1), 2 faces with such a vertex (the first: line 7) "
              "were left out");
  }
  expect_obj_error(
      "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2\n",
      "has 0 faces left; at least 1 is needed: 1 vertex that is not finite (line 1), 1 face with such a "
      "vertex (line 4), 1 face of fewer than 3 corners (line 5) were left out");
}

TEST(Obj, ReportsNothingOfAWholeMesh) {
  MeshReport report{.vertices = {.count = 7, .first = "line 7"}, .faces = {}, .short_faces = {}};
  mesh_of(corners + "f 1 2 3\n", &report);
  EXPECT_TRUE(report.is_complete());
  EXPECT_EQ(report.message(), "");
}

TEST(Obj, RejectsCoordinatesThatAreNoNumbers) {
  for (const char* value : {"x", "1,5", "0x10", "1.5f", "--1", "+-1", "1e", ".", "1_0"}) {
    expect_obj_error(std::string("v 0 0 0\nv 1 ") + value + " 0\n",
                     std::string("line 2: y is '") + value + "', not a number");
  }
}

float read_number(const std::string& number) {
  return mesh_of("v 0 " + number + " 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").positions.at(0).y;
}

TEST(Obj, ReadsTheNearestFloat) {
  const std::string zeros(400, '0');
  EXPECT_EQ(read_number("0e999999"), 0.0f);
  EXPECT_EQ(read_number("1" + zeros + "e-400"), 1.0f);
  EXPECT_EQ(read_number("0." + zeros + "1e401"), 1.0f);
  EXPECT_EQ(read_number("3.4028235e38"), 3.4028235e38f);
  EXPECT_EQ(read_number("16777217"), 16777216.0f);
  EXPECT_EQ(read_number("16777217.0000001"), 16777218.0f);
  EXPECT_EQ(read_number("1e-45"), 1e-45f);
  EXPECT_EQ(read_number("1e-50"), 0.0f);
}

TEST(Obj, ReadsNumbersThatAreTooSmallForAnyTypeAsZero) {
  const std::string zeros(6000, '0');
  for (const std::string& number : {std::string("1e-5000"), std::string("-1e-99999999999"), "0." + zeros + "1",
                                    "0." + zeros + "1e500", std::string("+1.5E-5000")}) {
    EXPECT_EQ(read_number(number), 0.0f) << number;
  }
}

TEST(Obj, RejectsVerticesOfFewerThanThreeCoordinates) {
  expect_obj_error("v 0 0 0\nv 1 0\n", "line 2: the vertex has no z");
  expect_obj_error("v", "line 1: the vertex has no x");
}

TEST(Obj, RejectsMeshesWithoutFaces) {
  expect_obj_error("", "is empty; at least 1 face is needed");
  expect_obj_error(corners, "has 0 faces");
  expect_obj_error("hello\nworld\n", "has 0 faces");
}

TEST(Obj, RejectsZeroBytes) {
  expect_obj_error(std::string("v 0 0 0\nv 1 0\0 0\n", 16), "line 2: character 6 is a zero byte");
}

TEST(Obj, MessagesHoldNoControlCharactersAndNoLongTokens) {
  expect_obj_error("v 0 0 \x1b[31m\xff\n", "line 1: z is '?[31m?', not a number");
  expect_obj_error("v 0 0 " + std::string(1000, 'y') + "\n",
                   "line 1: z is '" + std::string(40, 'y') + "...', not");
}

TEST(Obj, EveryTruncationLoadsOrIsRefused) {
  const std::string text = corners + "v 0 0 1\nf 1/1/1 2 \\\n3\nf -4 -3 -1 -2\n# end\n";
  for (size_t size = 0; size <= text.size(); ++size) {
    try {
      const Mesh mesh = mesh_of(text.substr(0, size));
      for (const uvec3& t : mesh.triangles) EXPECT_LT(std::max({t.x, t.y, t.z}), mesh.positions.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_file);
    }
  }
}

/// Joining takes time in proportion to the lines: 4 MB take seconds if every join looks at all lines before it.
TEST(Obj, JoinsAMillionLinesAtOnceLarge) {
  std::string text = corners + "f 1 2 3\nf";
  for (int i = 0; i < 1000000; ++i) text += " \\\n";
  const std::clock_t begin = std::clock();
  EXPECT_EQ(mesh_of(text + "1 2 3").triangles.size(), 2u);
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 2);
}

/// An OBJ text of all kinds of lines, with the mesh that it describes.
class ManyLines {
 public:
  explicit ManyLines(u32 seed) : engine_(seed) {
    for (int i = 0; i < 3; ++i) add_vertex();
  }

  void add_random_line() {
    const u32 kind = random(8);
    if (kind < 3) return add_vertex();
    if (kind < 7) return add_face();
    add_line(random(2) ? "# a comment that ends in \\" : "vt 0.5 0.5");
  }

  void add_line(const std::string& line) {
    constexpr const char* line_ends[] = {"\n", "\r\n", "\r"};
    const bool may_join = line.starts_with("v ") || line.starts_with("f ");
    for (const char c : line) {
      text_ += c;
      if (c != ' ' || !may_join || random(10) != 0) continue;
      text_ += std::string("\\") + line_ends[random(3)] + " ";
      ++line_count_;
    }
    // Not a carriage return alone, which an empty line with a line feed would make a pair of.
    text_ += line_ends[random(2)];
    ++line_count_;
  }

  const std::string& text() const { return text_; }
  const Mesh& mesh() const { return mesh_; }
  u64 line_count() const { return line_count_; }
  u32 random(u32 below) { return u32(engine_() % below); }

 private:
  void add_vertex() {
    const int x = int(random(2000)) - 1000, y = int(random(2000)) - 1000, z = int(random(2000)) - 1000;
    mesh_.positions.push_back(vec3(x, y, z));
    add_line("v " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z));
  }

  void add_face() {
    const u32 count = u32(mesh_.positions.size());
    uvec3 triangle;
    std::string line = "f";
    for (int k = 0; k < 3; ++k) {
      triangle[k] = random(count);
      line += " " + (random(2) ? std::to_string(triangle[k] + 1) : std::to_string(i64(triangle[k]) - count));
    }
    mesh_.triangles.push_back(triangle);
    add_line(line);
  }

  std::mt19937 engine_;
  std::string text_;
  Mesh mesh_;
  u64 line_count_ = 0;
};

TEST(Obj, ThreadsReadWhatOneThreadReadsLarge) {
  for (const u32 seed : {1u, 2u}) {
    ManyLines lines(seed);
    while (lines.text().size() < 5'000'000) lines.add_random_line();
    for (const u32 workers : {1u, 2u, 5u, 0u}) {
      const Mesh mesh = mesh_of(lines.text(), nullptr, workers);
      EXPECT_EQ(mesh.positions, lines.mesh().positions);
      EXPECT_EQ(mesh.triangles, lines.mesh().triangles);
    }
  }
  EXPECT_COPSE_ERROR(mesh_of(corners, nullptr, 4097), ErrorCode::invalid_argument, "4097 workers; at most 4096");
}

/// Of several errors, the first one counts, wherever the file was cut.
TEST(Obj, NamesTheFirstErrorOfALargeFileLarge) {
  ManyLines lines(3);
  while (lines.text().size() < 1'500'000) lines.add_random_line();
  const u64 short_line = lines.line_count() + 1;
  lines.add_line("f 1 2");
  while (lines.text().size() < 3'500'000) lines.add_random_line();
  const std::string good = lines.text();
  const std::string number = std::to_string(lines.line_count() + 1);
  const std::string count = std::to_string(lines.mesh().positions.size());

  MeshReport report;
  mesh_of(good + "v nan 0 0\n" + corners + "f -1 -2 -3\nf -2 -3 -4\n", &report);
  EXPECT_EQ(report.short_faces.first, "line " + std::to_string(short_line));
  EXPECT_EQ(report.vertices.first, "line " + number);
  EXPECT_EQ(report.faces.first, "line " + std::to_string(lines.line_count() + 6));

  while (lines.text().size() < 6'000'000) lines.add_random_line();
  const std::string behind = lines.text().substr(good.size()) + "f 1 2 x\n";
  expect_obj_error(good + "v 0 0 y\n" + behind, "line " + number + ": z is 'y', not a number");
  expect_obj_error(
      good + "f -1 -2 -" + count + "9\n" + behind,
      "line " + number + ": index -" + count + "9 reaches before the first of " + count + " vertices so far");
  expect_obj_error(
      good + "f 1 2 9999999\n" + lines.text().substr(good.size()) + "f 1 2 9999999\n",
      "line " + number + ": index 9999999 is past the last of " + std::to_string(lines.mesh().positions.size()));
  expect_obj_error(good + std::string("v 0\0", 4) + "\n" + behind,
                   "line " + number + ": character 4 is a zero byte");
}

TEST(LoadMesh, TellsFormatsByTheEnding) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_mesh(folder.write("mesh.OBJ", corners + "f 1 2 3\n")).triangles, one_triangle);
  EXPECT_COPSE_ERROR(load_mesh(folder.write("mesh.3ds", "")), ErrorCode::bad_file,
                     "the ending '.3ds' is none of a mesh");
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
