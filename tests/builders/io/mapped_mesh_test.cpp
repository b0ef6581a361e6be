// Meshes that stay in the pages of a PLY file, beside those that load_mesh reads.

#include "builders/io/mapped_mesh.h"

#include <fstream>
#include <limits>
#include <stop_token>

#include "builders/bvh/build.h"
#include "builders/geometry/generate.h"
#include "builders/io/structure_file.h"
#include "builders/io/whole_file.h"
#include "primitives/core/sanitizers.h"
#include "tests/builders/io/ply_text.h"
#include "tests/support/host_bvh.h"

namespace copse::test {
namespace {

const TemporaryFolder& folder() {
  static const TemporaryFolder made;
  return made;
}

void expect_mesh(const TriangleRecords& records, const Mesh& mesh) {
  ASSERT_EQ(records.vertex_count, mesh.positions.size());
  ASSERT_EQ(records.triangle_count, mesh.triangles.size());
  for (u64 i = 0; i < records.vertex_count; ++i) ASSERT_EQ(records.position(i), mesh.positions[i]) << i;
  for (u64 i = 0; i < records.triangle_count; ++i) ASSERT_EQ(records.vertex_ids(i), mesh.triangles[i]) << i;
}

void expect_mapped(const std::string& bytes) {
  const std::filesystem::path path = folder().write("mesh.ply", bytes);
  const MappedMesh mapped(path);
  expect_mesh(mapped.records(), load_mesh(path));
}

void expect_refused(const std::string& bytes, const std::string& cause) {
  SCOPED_TRACE(cause);
  const std::filesystem::path path = folder().write("mesh.ply", bytes);
  EXPECT_COPSE_ERROR(MappedMesh{path}, ErrorCode::bad_file, "mesh.ply: " + cause);
}

/// A file with other properties before, between and behind those that count, and other elements. Its records have odd
/// lengths, so that hardly any is aligned.
std::string crowded(const Mesh& mesh) {
  PlyText ply(PlyText::little);
  ply.line("comment mapped").line("element camera 1\nproperty double f\nproperty uchar kind");
  ply.line("element face " + std::to_string(mesh.triangles.size()));
  ply.line("property uchar flags\nproperty list ushort uint vertex_index\nproperty float area");
  ply.line("element nothing 0\nproperty list int int values");
  ply.line("element vertex " + std::to_string(mesh.positions.size()));
  ply.line("property uchar red\nproperty float x\nproperty float y\nproperty float z\nproperty double quality");
  ply.line("element edge 2\nproperty int vertex1\nend_header");
  ply.put<double>(1.5).put<u8>(7);
  for (const uvec3& t : mesh.triangles) ply.put<u8>(1).put<u16>(3).put<u32>(t.x, t.y, t.z).put<float>(0.5f);
  for (const vec3& p : mesh.positions) ply.put<u8>(200).put<float>(p.x, p.y, p.z).put<double>(2);
  return ply.put<i32>(1, 2).bytes();
}

TEST(MappedMesh, HasTheTrianglesThatAreRead) {
  expect_mapped(square(PlyText::little).bytes());
  expect_mapped(square(PlyText::little).bytes() + " \n");
  expect_mapped(crowded({square_positions, square_triangles}));
  expect_mapped(mesh_bytes(generate_sphere(3), MeshFormat::ply));
  expect_mapped(crowded(generate_random(70000, 0.1f)));  // more than one piece per thread
}

TEST(MappedMesh, NamesWhyAFileCannotBeMapped) {
  expect_refused(square(PlyText::ascii).bytes(), "cannot be mapped: it is a text");
  expect_refused(square(PlyText::big).bytes(), "cannot be mapped: it is big-endian");
  const auto with = [](const std::string& vertex, const std::string& face) {
    return "ply\nformat binary_little_endian 1.0\nelement vertex 1\n" + vertex + "element face 1\n" + face +
           "end_header\n" + std::string(64, '\0');
  };
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  const std::string corners = "property list uchar int vertex_indices\n";
  expect_refused(with("property double x\nproperty float y\nproperty float z\n", corners),
                 "cannot be mapped: property 'x' is not a float");
  expect_refused(with("property float x\nproperty float z\nproperty float y\n", corners),
                 "cannot be mapped: the properties 'x', 'y' and 'z' do not follow one another");
  expect_refused(with(xyz, "property list uchar ushort vertex_indices\n"),
                 "cannot be mapped: the indices have 16 bits, not 32");
  expect_refused(with(xyz + "property list uchar float more\n", corners),
                 "cannot be mapped: the list 'more' of element 'vertex' may have any length");
  expect_refused(with(xyz, corners + "property list uchar float texcoord\n"),
                 "cannot be mapped: the list 'texcoord' of element 'face' may have any length");
  expect_refused(begin_strips(PlyText::little, "").bytes(),
                 "cannot be mapped: the header promises 4 of 'vertex' with 12 bytes each, but 0 bytes are left");
  PlyText strips = begin_strips(PlyText::little, "");
  expect_refused(put_square_vertices(strips).put<i32>(3, 0, 1, 2).bytes(),
                 "cannot be mapped: the list 'vertex_indices' of element 'tristrips' may have any length");
}

TEST(MappedMesh, RefusesFacesThatAreNoTriangles) {
  PlyText quad = begin_square(PlyText::little);
  put_square_vertices(quad).put<u8>(3).put<i32>(0, 1, 2).put<u8>(4).put<i32>(0, 1, 2, 3);
  expect_refused(quad.bytes(), "cannot be mapped: face 1 has 4 corners, not 3");
  for (const i32 index : {4, -1, 2147483647}) {
    PlyText past = begin_square(PlyText::little);
    put_square_vertices(past).put<u8>(3).put<i32>(0, 1, 2).put<u8>(3).put<i32>(0, index, 3);
    expect_refused(past.bytes(), "cannot be mapped: face 1 has vertex " + std::to_string(u32(index)) + " of 4");
  }
}

TEST(MappedMesh, RefusesVerticesThatWouldBeLeftOut) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    PlyText ply = begin_square(PlyText::little);
    ply.put<float>(0, 0, 0, 1, 0, 0, 1, bad, 0, 0, 1, bad)
        .put<u8>(3)
        .put<i32>(0, 1, 2)
        .put<u8>(3)
        .put<i32>(0, 2, 3);
    expect_refused(ply.bytes(), "cannot be mapped: vertex 2 is not finite");
  }
}

TEST(MappedMesh, RefusesFilesThatAreCutShortOrGoOn) {
  const std::string whole = square(PlyText::little).bytes();
  const size_t body = whole.find("end_header\n") + 11;
  expect_refused(whole.substr(0, body + 47),
                 "cannot be mapped: the header promises 4 of 'vertex' with 12 bytes each, but 47 bytes are left");
  expect_refused(whole.substr(0, whole.size() - 1),
                 "cannot be mapped: the header promises 2 of 'face' with 13 bytes each, but 25 bytes are left");
  expect_refused(whole.substr(0, body - 11), "line 9: the file ends before 'end_header'");
  expect_refused(whole + "xy", "cannot be mapped: there are 2 bytes of other data behind its elements");
  expect_refused("", "line 1: begins with ''; a PLY file begins with a line 'ply'");
  EXPECT_COPSE_ERROR(MappedMesh(folder() / "missing.ply"), ErrorCode::bad_file, "missing.ply: cannot be opened");
  EXPECT_COPSE_ERROR(MappedMesh(folder() / "missing.ply", {.workers = 4097}), ErrorCode::invalid_argument,
                     "MappedMesh: 4097 workers");
}

TEST(MappedMesh, NamesTheFirstOfManyFaults) {
  Mesh mesh = generate_random(200000, 0.1f);
  for (const u64 i : {150001, 150000, 70003}) mesh.positions[i].y = std::numeric_limits<float>::quiet_NaN();
  const std::string bytes = crowded(mesh);
  for (int run = 0; run < 5; ++run) expect_refused(bytes, "cannot be mapped: vertex 70003 is not finite");
}

/// A file that is mapped is one that load_mesh reads, and as the same mesh.
TEST(MappedMesh, AgreesWithTheReaderWhateverByteIsChanged) {
  const std::string whole = crowded({square_positions, square_triangles});
  u32 mapped_count = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 4, 0x80}) {
      std::string bytes = whole;
      bytes[at] = char(bytes[at] ^ change);
      const std::filesystem::path path = folder().write("changed.ply", bytes);
      try {
        const MappedMesh mapped(path);
        SCOPED_TRACE("byte " + std::to_string(at) + " changed by " + std::to_string(change));
        ASSERT_NO_THROW(expect_mesh(mapped.records(), load_mesh(path)));
        ++mapped_count;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::bad_file) << error.what();
      }
    }
  }
  EXPECT_GT(mapped_count, whole.size() / 2);
}

TEST(MappedMesh, EndsWhenItIsCancelled) {
  const std::filesystem::path path = folder().write("mesh.ply", square(PlyText::little).bytes());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_COPSE_ERROR(MappedMesh(path, {.cancel = stop.get_token()}), ErrorCode::cancelled, "cancelled");
}

/// Returns the bytes that belong to the process alone.
u64 private_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    u64 kilobytes = 0;
    if (word == "RssAnon:" && status >> kilobytes) return kilobytes << 10;
  }
  ADD_FAILURE() << "/proc/self/status has no RssAnon";
  return 0;
}

TEST(MappedMesh, StaysInItsFile) {
#if COPSE_THREAD_SANITIZER
  GTEST_SKIP() << "the thread sanitizer keeps memory of its own for all that is read";
#endif
  const std::filesystem::path path = folder() / "large.ply";
  save_mesh(path, generate_grid(700));
  ASSERT_GT(std::filesystem::file_size(path), u64{16} << 20);
  const u64 before = private_bytes();
  const MappedMesh mapped(path);
  EXPECT_LT(private_bytes(), before + (u64{4} << 20));
  expect_mesh(mapped.records(), load_mesh(path));
}

TEST(MappedMesh, IsWrittenAsTheMeshThatIsRead) {
  const Mesh mesh = generate_random(70000, 0.1f);
  const MappedMesh mapped(folder().write("crowded.ply", crowded(mesh)));
  Context context({.backend = Backend::cpu});
  const Bvh bvh = build(context, host_view(mesh), LbvhOptions{});
  save_structure(folder() / "read.copse", context, mesh, bvh, "lbvh", 63, 1);
  save_structure(folder() / "mapped.copse", context, mapped.records(), bvh, "lbvh", 63, 1);
  const detail::FileBytes read = detail::read_whole_file(folder() / "read.copse");
  EXPECT_TRUE(read.text() == detail::read_whole_file(folder() / "mapped.copse").text());
}

}  // namespace
}  // namespace copse::test
