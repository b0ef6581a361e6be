// PLY files that are damaged, or that say what cannot be.

#include <limits>

#include "tests/builders/io/ply_text.h"

namespace copse::test {
namespace {

TEST(PlyFaults, RejectsIndexPastEnd) {
  for (const auto format : formats) {
    for (const i32 index : {4, -1, 2147483647}) {
      PlyText ply = begin_square(format);
      put_square_vertices(ply).put<u8>(3).put<i32>(0, 1, 2).put<u8>(3).put<i32>(0, index, 3);
      expect_error(ply.bytes(), "face 1: index " + std::to_string(index) + " is not among the 4 vertices, 0 to 3");
    }
  }
}

TEST(PlyFaults, RejectsDamagedStrips) {
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

TEST(PlyFaults, RejectsAsciiWordsThatAreNoNumbers) {
  const std::string header = begin_square(PlyText::ascii, "3", "1").bytes();
  expect_error(header + "0 0 0 1 x 1 1 1 1 3 0 1 2", "vertex 1: 'x' is not a number");
  expect_error(header + "0 0 0 1 1 1 1 1 1 3 0 1.0 2", "face 0: '1.0' is not an integer");
  expect_error(header + "0 0 0 1 1 1 1 1 1 3 0 1 99999999999999999999",
               "face 0: '99999999999999999999' is not an integer");
}

TEST(PlyFaults, RejectsNegativeListCounts) {
  PlyText ply(PlyText::little);
  ply.line("element vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty list char int more");
  ply.line("element face 1\nproperty list char int vertex_indices\nend_header");
  PlyText bad_vertex = ply;
  bad_vertex.put<float>(0, 0, 0).put<u8>(0xff).put<u8>(3).put<i32>(0, 0, 0);
  expect_error(bad_vertex.bytes(), "vertex 0: the list 'more' has -1 values");
  ply.put<float>(0, 0, 0).put<u8>(0).put<u8>(0x80).put<i32>(0, 0, 0);
  expect_error(ply.bytes(), "face 0: has -128 corners; it needs at least 3");
}

TEST(PlyFaults, RejectsCountsThatTheFileCannotHold) {
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

TEST(PlyFaults, RejectsWhatIsLeftOver) {
  expect_square(square(PlyText::little).bytes() + "\n");
  expect_error(square(PlyText::little).bytes() + "12345", "5 bytes of other data behind the last 'face'");
  expect_error(square(PlyText::ascii).bytes() + "\n3 0 1 2\n", "");
}

TEST(PlyFaults, RejectsMeshesWithoutFacesOrVertices) {
  expect_error(begin_square(PlyText::ascii, "0", "2").bytes(), "has 0 vertices");
  PlyText faceless = begin_square(PlyText::ascii, "4", "0");
  expect_error(put_square_vertices(faceless).bytes(), "has 0 faces");
  expect_error("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", "has 0 faces");
  expect_error("ply\nformat ascii 1.0\nend_header\n", "has 0 vertices");
}

TEST(PlyFaults, RejectsHeadersThatLackSomething) {
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

TEST(PlyFaults, RejectsMalformedHeaders) {
  expect_error("", "is empty; at least 1 face is needed");
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

TEST(PlyFaults, EveryTruncationIsRefused) {
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

TEST(PlyFaults, EveryFlippedByteLoadsOrIsRefused) {
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

}  // namespace
}  // namespace copse::test
