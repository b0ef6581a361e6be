#include "builders/io/mesh_file.h"

#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include "builders/geometry/generate.h"
#include "primitives/core/sanitizers.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

/// A cancel token that counts how often it is asked, and requests a stop from the question `stop_at` on.
struct CountingToken {
  u64 stop_at = ~u64{0};
  std::shared_ptr<std::atomic<u64>> questions = std::make_shared<std::atomic<u64>>(0);

  bool stop_requested() const { return questions->fetch_add(1) >= stop_at; }
};

std::string obj_text(const Mesh& mesh) {
  std::string text;
  for (const vec3& p : mesh.positions)
    text += "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
  for (const uvec3& t : mesh.triangles)
    text += "f " + std::to_string(t.x + 1) + " " + std::to_string(t.y + 1) + " " + std::to_string(t.z + 1) + "\n";
  return text;
}

std::string ascii_ply_text(const Mesh& mesh) {
  std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(mesh.positions.size()) +
                     "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
                     std::to_string(mesh.triangles.size()) +
                     "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const vec3& p : mesh.positions)
    text += std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
  for (const uvec3& t : mesh.triangles)
    text += "3 " + std::to_string(t.x) + " " + std::to_string(t.y) + " " + std::to_string(t.z) + "\n";
  return text;
}

/// A stop is heeded at every question, and there is at least one for each mebibyte of text.
void expect_cancelled(const std::filesystem::path& path) {
  SCOPED_TRACE(path);
  const CountingToken all;
  load_mesh(path, {.cancel = all});
  const u64 question_count = *all.questions;
  EXPECT_GE(question_count, std::filesystem::file_size(path) >> 20);
  for (const u64 stop_at : {u64{0}, u64{1}, question_count / 2}) {
    EXPECT_COPSE_ERROR(load_mesh(path, {.cancel = CountingToken{stop_at}}), ErrorCode::cancelled, path.string());
  }
}

TEST(LoadMesh, HeedsACancelTokenLarge) {
  const TemporaryFolder folder;
  const Mesh mesh = generate_sphere(6);
  save_ply(folder / "binary.ply", mesh);
  expect_cancelled(folder / "binary.ply");
  expect_cancelled(folder.write("ascii.ply", ascii_ply_text(mesh)));
  expect_cancelled(folder.write("mesh.obj", obj_text(mesh)));
}

/// Lines and lists that are as large as their file are no reason to wait.
TEST(LoadMesh, HeedsACancelTokenInsideOneElementLarge) {
  const TemporaryFolder folder;
  std::string corners;
  for (int i = 0; i < 400000; ++i) corners += " 1 2 3";
  expect_cancelled(folder.write("face.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + corners + "\n"));

  const std::string vertices = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string positions = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  expect_cancelled(folder.write("face.ply", "ply\nformat ascii 1.0\n" + vertices +
                                                "element face 1\nproperty list uint int vertex_indices\n" +
                                                "end_header\n" + positions + "1200000" + corners + "\n"));
  expect_cancelled(folder.write("skipped.ply",
                                "ply\nformat ascii 1.0\nelement junk 1\n"
                                "property list uint int numbers\n" +
                                    vertices +
                                    "element face 1\nproperty list uint int vertex_indices\n"
                                    "end_header\n1200000" +
                                    corners + "\n" + positions + "3 0 1 2\n"));
}

#if !COPSE_ADDRESS_SANITIZER && !COPSE_THREAD_SANITIZER  // which need more address space

/// Leaves so little address space that no stack of a thread fits.
void limit_address_space(u64 more_bytes) {
  u64 pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const u64 bytes = pages * u64(::sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST(LoadMeshDeathTest, ReadsAloneIfNoThreadCanBeStartedLarge) {
  const TemporaryFolder folder;
  const std::filesystem::path path =
      folder.write("mesh.obj", obj_text(generate_sphere(5)) + std::string(2'000'000, '\n'));
  const auto load_alone = [&] {
    limit_address_space(7'500'000);
    bool is_refused = false;
    try {
      std::thread([] {}).join();
    } catch (const std::system_error&) {
      is_refused = true;
    }
    std::_Exit(is_refused && load_mesh(path).triangles.size() == 20 * 1024 ? 0 : 1);
  };
  EXPECT_EXIT(load_alone(), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace copse::test
