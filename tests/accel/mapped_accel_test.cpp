// An Accel in the pages of its file.

#include <fstream>

#include "accel/accel_file.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;

/// True if an address is in a page of a file, as the system tells it.
bool is_page_of(const std::filesystem::path& file, const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    u64 begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
    if (begin <= u64(address) && u64(address) < end) return line.ends_with(file.string());
  }
  return false;
}

class MappedAccels : public testing::Test {
 protected:
  std::filesystem::path save(const Mesh& mesh, const std::string& name = "a.copse") {
    const DeviceMesh device(context_, mesh);
    save_accel(folder_ / name, context_, mesh, build(context_, device.view()));
    return folder_ / name;
  }

  Context context_{{.backend = Backend::cpu}};
  test::TemporaryFolder folder_;
};

TEST_F(MappedAccels, GiveTheHitsOfThoseThatAreLoaded) {
  for (const test::NamedMesh& each : test::hard_meshes()) {
    SCOPED_TRACE(each.name);
    const std::filesystem::path path = save(each.mesh);
    std::vector<Ray> rays = {{vec3(0, 0, 9), 0, vec3(0, 0, -1), infinity}};
    if (!each.mesh.triangles.empty()) rays = test::difficult_rays(each.mesh, 200, 7);
    const std::vector<Hit> expected = test::brute_force_hits({test::host_view(each.mesh)}, rays);
    for (const FileCheck check : {FileCheck::everything, FileCheck::damage, FileCheck::sizes}) {
      MappedAccel file = map_accel(path, check);
      EXPECT_EQ(file.triangles.size(), each.mesh.triangles.size());
      EXPECT_EQ(file.positions.size(), each.mesh.positions.size());
      EXPECT_EQ(file.parts, std::vector<MeshPart>{{.triangle_count = each.mesh.triangles.size()}});
      test::expect_hits(context_, file.accel, rays, expected, "mapped");
    }
  }
}

TEST_F(MappedAccels, AreNotCopiedAndKeepTheirFile) {
  const Mesh mesh = generate_sphere(3);
  const std::filesystem::path path = save(mesh);
  Accel accel;
  EXPECT_FALSE(is_page_of(path, accel.tree().nodes.data()));
  {
    MappedAccel file = map_accel(path);
    EXPECT_TRUE(is_page_of(path, file.positions.data()));
    accel = std::move(file.accel);
  }
  const void* const pages[] = {accel.tree().nodes.data(), accel.tree().parents.data(),
                               accel.packed_triangles().triangles.data()};
  for (const void* page : pages) EXPECT_TRUE(is_page_of(path, page));
  // A new file under the old name takes the place of the old one, whose pages stay.
  save(generate_cube());
  const std::vector<Ray> rays = test::difficult_rays(mesh, 100, 7);
  test::expect_hits(context_, accel, rays, test::brute_force_hits({test::host_view(mesh)}, rays), "replaced");
  accel = Accel();
  EXPECT_FALSE(is_page_of(path, pages[0]));
}

TEST_F(MappedAccels, AreRefittedWithoutAChangeOfTheFile) {
  Mesh mesh = generate_sphere(4);
  const std::filesystem::path path = save(mesh);
  const std::string bytes = test::read_bytes(path);
  MappedAccel file = map_accel(path);
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1);
  const DeviceMesh moved(context_, mesh);
  refit(context_, file.accel, moved.view());
  const std::vector<Ray> rays = test::difficult_rays(mesh, 200, 7);
  test::expect_hits(context_, file.accel, rays, test::brute_force_hits({test::host_view(mesh)}, rays), "refitted");
  EXPECT_COPSE_ERROR(rebuild(context_, file.accel, moved.view()), ErrorCode::invalid_argument, "was compacted");
  EXPECT_EQ(test::read_bytes(path), bytes);
  compact(context_, file.accel);
  test::expect_hits(context_, file.accel, rays, test::brute_force_hits({test::host_view(mesh)}, rays),
                    "compacted");
}

TEST_F(MappedAccels, AreSavedAsTheSameBytes) {
  const std::vector<Mesh> meshes = {generate_sphere(2), generate_random(50, 0.1f)};
  const std::vector<u32> masks = {1, 6};
  const test::SceneOfViews scene(context_, meshes, masks);
  Mesh all = meshes[0];
  for (const uvec3& t : meshes[1].triangles) all.triangles.push_back(t + u32(all.positions.size()));
  all.positions.insert(all.positions.end(), meshes[1].positions.begin(), meshes[1].positions.end());
  const std::vector<MeshPart> parts = {{meshes[0].triangles.size(), 10, 1}, {50, 11, 6}};
  save_accel(folder_ / "a.copse", context_, all, build(context_, scene.device()), parts);
  const MappedAccel file = map_accel(folder_ / "a.copse");
  EXPECT_EQ(file.parts, parts);
  EXPECT_TRUE(is_page_of(folder_ / "a.copse", file.accel.view().masks));
  save_accel(folder_ / "b.copse", context_, all, file.accel, file.parts);
  EXPECT_EQ(test::read_bytes(folder_ / "b.copse"), test::read_bytes(folder_ / "a.copse"));
}

TEST_F(MappedAccels, OfSeveralBlocksNameTheOneThatIsDamaged) {
  const std::filesystem::path path = save(generate_sphere(6));
  const std::string bytes = test::read_bytes(path);
  const u64 block_count = (detail::without_block_table(bytes.size()) + detail::bytes_per_block - 1) >> 20;
  ASSERT_GT(block_count, 4u);
  std::string damaged = bytes;
  for (const u64 at : {u64{4} << 20, (u64{3} << 20) + 12345}) damaged[at] = char(damaged[at] ^ 1);
  const std::string part =
      "block 3 of " + std::to_string(block_count) + ", from byte 3145728 on, has the checksum ";
  const std::filesystem::path other = folder_.write("b.copse", damaged);
  EXPECT_COPSE_ERROR(map_accel(other), ErrorCode::bad_file, part);
  EXPECT_COPSE_ERROR(map_accel(other, FileCheck::damage), ErrorCode::bad_file, part);
  EXPECT_COPSE_ERROR(load_accel(other, context_), ErrorCode::bad_file, part);
  EXPECT_EQ(map_accel(other, FileCheck::sizes).accel.triangle_count(), 81920u);
}

TEST_F(MappedAccels, RefuseWhatTheyCannotBe) {
  const ErrorCode bad = ErrorCode::bad_file;
  const std::string old = "tests/assets/old-files/accel-3.copse";
  EXPECT_COPSE_ERROR(map_accel(old), bad, "accel-3.copse: has version 3; version 4 can be mapped");
  EXPECT_COPSE_ERROR(map_accel(folder_ / "none"), bad, "cannot be opened");
  EXPECT_COPSE_ERROR(map_accel(folder_.path()), bad, "Is a directory");
  EXPECT_COPSE_ERROR(map_accel(folder_.write("empty", "")), bad, "begins with ''");
  EXPECT_COPSE_ERROR(map_accel(save(generate_cube()), FileCheck(7)), ErrorCode::invalid_argument,
                     "map_accel: the check is 7; it can be 0 to 2");
}

/// Every word of a file with right checksums, changed: an error, or an Accel whose rays read nothing outside of it.
TEST_F(MappedAccels, AreNotTrusted) {
  const Mesh mesh = generate_random(20, 0.1f);
  const std::string bytes = test::read_bytes(save(mesh));
  const std::vector<Ray> rays = test::difficult_rays(mesh, 10, 7);
  for (u64 at = 12; at + 4 <= bytes.size(); at += 4) {
    for (const u32 value : {0u, 1u, 0x7fc00000u, 0xffffffffu}) {
      if (test::word_at(bytes, at) == value) continue;
      try {
        const MappedAccel file = map_accel(folder_.write("b", test::sealed_with_word(bytes, at, value)));
        for (const Ray& ray : rays) (void)closest_hit(file.accel.view(), ray);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_file) << error.what();
      }
    }
  }
}

TEST(OldAccelFiles, AreRead) {
  Context context({.backend = Backend::cpu});
  const AccelFile file = load_accel("tests/assets/old-files/accel-3.copse", context);
  EXPECT_TRUE(holds_accel("tests/assets/old-files/accel-3.copse"));
  EXPECT_FALSE(holds_accel("tests/assets/old-files/bvh4-2.copse"));
  EXPECT_EQ(file.accel.options().quality, Quality::best);
  EXPECT_TRUE(validate(context, file.accel.tree(), DeviceMesh(context, file.mesh).view()).is_valid());
  const std::vector<Ray> rays = test::difficult_rays(file.mesh, 200, 7);
  test::expect_hits(context, file.accel, rays, test::brute_force_hits({test::host_view(file.mesh)}, rays), "old");
  const test::TemporaryFolder folder;
  save_accel(folder / "new.copse", context, file.mesh, file.accel, file.parts);
  test::expect_hits(context, map_accel(folder / "new.copse").accel, rays,
                    test::brute_force_hits({test::host_view(file.mesh)}, rays), "new");
}

}  // namespace
}  // namespace copse
