// Sharded trees on the disk: what any number of ranks saved, any number of ranks load.

#include "scale/sharded_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "builders/io/shard_file.h"
#include "scale/sharded_accel.h"
#include "scale/sharded_rays.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"

namespace copse {

namespace {

namespace fs = std::filesystem;
using test::BvhCopy;
using test::RankOutcome;

/// A folder that is gone with the object.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(fs::temp_directory_path() / ("copse-shards-" + std::to_string(std::random_device()()))) {}
  ~ScratchFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<u64> cuts(u64 triangle_count, u32 count) {
  std::vector<u64> begins;
  for (u32 rank = 0; rank <= count; ++rank) begins.push_back(triangle_count * rank / count);
  return begins;
}

/// Triangles in the parts have masks if `mask_of_last` is not all bits.
void save_parts(const fs::path& folder, const Mesh& mesh, u32 count, Backend backend = Backend::cpu,
                u32 mask_of_last = ~u32{0}, u32 hploc_radius = 0) {
  const std::vector<Mesh> parts = test::cut_mesh(mesh, cuts(mesh.triangles.size(), count));
  const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
    Context context({.backend = backend, .workers = 1});
    const test::DeviceMesh part(context, parts[rank]);
    TriangleView view = part.view(rank);
    if (rank + 1 == count) view.mask = mask_of_last;
    save_sharded(comm, context, folder, build_sharded(comm, context, view, {.hploc_radius = hploc_radius}));
  });
  for (const RankOutcome& outcome : outcomes) ASSERT_EQ(outcome.text, "");
}

Mesh moved(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.y, p.z * 2.0f, p.x);
  return mesh;
}

class ShardedFile : public test::OnEachBackend {
 protected:
  /// Loads the parts by `count` ranks, and expects a tree: as it was saved, and after a refit.
  ///   expected:    the tree of `mesh`
  ///   saves_again: also after the parts were then saved and loaded once more
  void expect_loaded(const fs::path& folder, const Mesh& mesh, u32 count, Context& host, Bvh expected,
                     bool saves_again) {
    const std::vector<Mesh> parts = test::cut_mesh(mesh, cuts(mesh.triangles.size(), count));
    Bvh loaded, refitted, again;
    const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
      Context context({.backend = GetParam(), .workers = 1}), own_host({.backend = Backend::cpu, .workers = 1});
      Context& target = rank == 0 ? host : own_host;
      ShardedBvh shard = load_sharded(comm, context, folder);
      Bvh whole = gather(comm, target, shard);
      if (rank == 0) loaded = std::move(whole);
      const test::DeviceMesh part(context, moved(parts[rank]));
      refit(comm, context, shard, part.view());
      whole = gather(comm, target, shard);
      if (rank == 0) refitted = std::move(whole);
      if (!saves_again) return;
      save_sharded(comm, context, folder / "again", shard);
      shard = load_sharded(comm, context, folder / "again");
      whole = gather(comm, target, shard);
      if (rank == 0) again = std::move(whole);
    });
    for (const RankOutcome& outcome : outcomes) ASSERT_EQ(outcome.text, "");
    EXPECT_TRUE(test::same_bytes(BvhCopy(loaded), BvhCopy(expected)));
    const Mesh moved_mesh = moved(mesh);
    refit(host, expected, test::host_view(moved_mesh));
    EXPECT_TRUE(test::same_bytes(BvhCopy(refitted), BvhCopy(expected)));
    EXPECT_TRUE(!saves_again || test::same_bytes(BvhCopy(again), BvhCopy(expected)));
  }
};

COPSE_ON_EACH_BACKEND(ShardedFile);

TEST_P(ShardedFile, IsLoadedByAnyNumberOfRanks) {
  Context host({.backend = Backend::cpu, .workers = 1});
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 saved : {1u, 3u, 8u}) {
      const ScratchFolder folder;
      save_parts(folder.path(), hard.mesh, saved, GetParam());
      for (const u32 loaded : {1u, 2u, 3u, 8u}) {
        SCOPED_TRACE(hard.name + ", saved by " + std::to_string(saved) + " ranks, loaded by " +
                     std::to_string(loaded));
        expect_loaded(folder.path(), hard.mesh, loaded, host,
                      build(host, test::host_view(hard.mesh), LbvhOptions{}), false);
      }
    }
  }
}

TEST_P(ShardedFile, OfAnHplocTreeIsLoadedByAnyNumberOfRanks) {
  Context host({.backend = Backend::cpu, .workers = 1});
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 saved : {1u, 3u, 7u}) {
      const ScratchFolder folder;
      save_parts(folder.path(), hard.mesh, saved, GetParam(), ~u32{0}, 3);
      for (const u32 loaded : {1u, 2u, 3u, 7u}) {
        SCOPED_TRACE(hard.name + ", saved by " + std::to_string(saved) + " ranks, loaded by " +
                     std::to_string(loaded));
        expect_loaded(folder.path(), hard.mesh, loaded, host,
                      build(host, test::host_view(hard.mesh), HplocOptions{.radius = 3, .morton_bits = 63}),
                      saved == 3 && loaded == 2);
      }
    }
  }
}

/// Masks, geometry ids and boxes of all ranks are those that were saved.
TEST_P(ShardedFile, KeepsWhatRaysNeed) {
  const Mesh mesh = generate_random(2000, 0.1f);
  const ScratchFolder folder;
  save_parts(folder.path(), mesh, 4, GetParam(), 2);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 400; ++i)
    rays.push_back({{float(i % 20) / 20, float(i / 20) / 20, -1}, 0, {0.1f, 0, 1}, 10});
  std::vector<Hit> expected;
  for (const u32 count : {1u, 4u, 7u}) {
    const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
      Context context({.backend = GetParam(), .workers = 1});
      const ShardedBvh shard = load_sharded(comm, context, folder.path());
      EXPECT_EQ(shard.triangles.masks.size(), shard.triangles.triangles.size());
      const ShardedAccel accel = make_accel(comm, context, shard, Quality::fast);
      const Buffer<Ray> on_device(context, rays);
      Buffer<Hit> hits(context, rays.size());
      closest_hits(comm, context, accel, on_device.span(), hits.span());
      if (count == 1) expected = hits.download();
      EXPECT_TRUE(test::same_bytes(hits.download(), expected)) << "rank " << rank;
    });
    test::expect_no_error(outcomes);
  }
  EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](const Hit& hit) { return hit.geometry == 3; }));
}

std::string error_of_load(const fs::path& folder) {
  Context context({.backend = Backend::cpu, .workers = 1});
  Communicator alone;
  try {
    load_sharded(alone, context, folder);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    return error.what();
  }
  return "";
}

void expect_fault(const fs::path& folder, const std::string& part) {
  EXPECT_NE(error_of_load(folder).find(part), std::string::npos) << error_of_load(folder);
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ShardedFolder, IsRefusedIfAByteIsDamaged) {
  const ScratchFolder folder;
  save_parts(folder.path(), generate_sphere(2), 3);
  EXPECT_TRUE(holds_sharded(folder.path()));
  EXPECT_EQ(error_of_load(folder.path()), "");
  const fs::path shard = folder.path() / "shard-0001.shard";
  const std::string whole = read_text(shard);
  for (const size_t at : {size_t{0}, size_t{9}, size_t{26}, size_t{40}, size_t{130}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 1);
    write_text(shard, damaged);
    EXPECT_NE(error_of_load(folder.path()).find("shard-0001.shard"), std::string::npos) << at;
  }
  for (const size_t length : {size_t{0}, size_t{127}, whole.size() - 8}) {
    write_text(shard, whole.substr(0, length));
    EXPECT_NE(error_of_load(folder.path()), "") << length;
  }
  fs::remove(shard);
  expect_fault(folder.path(), "shard-0001.shard");
}

/// The checksums are right, but a node cannot split at two places.
TEST(ShardedFolder, IsRefusedIfItsDeltasAreOfNoTree) {
  for (const auto& [delta, fault] :
       {std::pair<u8, std::string>{97, "it can be up to 96"}, {0, "the same one before it"}}) {
    const ScratchFolder folder;
    save_parts(folder.path(), generate_sphere(2), 1);
    const std::string manifest = read_text(folder.path() / "manifest.json");
    const size_t begin = manifest.find("\"checksums\""), digits = manifest.find_first_of("0123456789", begin);
    const u64 checksum = std::stoull(manifest.substr(digits));
    const fs::path path = folder.path() / "shard-0000.shard";
    ShardFile file = load_shard(path, checksum);
    file.deltas[10] = file.deltas[11] = delta;
    const u64 other = save_shard(path, file);
    std::string text = manifest;
    write_text(folder.path() / "manifest.json",
               text.replace(digits, std::to_string(checksum).size(), std::to_string(other)));
    expect_fault(folder.path(), fault);
  }
}

TEST(ShardedFolder, IsRefusedIfItsFilesAreOfTwoSaves) {
  const ScratchFolder folder, other;
  save_parts(folder.path(), generate_sphere(2), 3);
  save_parts(other.path(), generate_sphere(3), 3);
  fs::copy_file(other.path() / "shard-0002.shard", folder.path() / "shard-0002.shard",
                fs::copy_options::overwrite_existing);
  expect_fault(folder.path(), "the files are not of one save");
}

TEST(ShardedFolder, IsRefusedWithoutAWholeManifest) {
  const ScratchFolder folder;
  save_parts(folder.path(), generate_sphere(2), 3);
  const fs::path manifest = folder.path() / "manifest.json";
  const std::string whole = read_text(manifest);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_text(manifest, text.replace(at, from.size(), to));
  };
  write_text(manifest, whole.substr(0, whole.size() / 2));
  expect_fault(folder.path(), "is no JSON object");
  write_text(manifest, "{}");
  expect_fault(folder.path(), "\"format\"");
  with("\"version\": 1", "\"version\": 3");
  expect_fault(folder.path(), "has version 3; this Copse reads versions 1 and 2");
  with("\"source_count\": 320", "\"source_count\": 4294967296");
  expect_fault(folder.path(), "promises 4294967296 triangles");
  with("\"source_count\": 320", "\"source_count\": -1");
  expect_fault(folder.path(), "has no whole number \"source_count\"");
  with("\"first_slots\": [\n    0,", "\"first_slots\": [\n    1,");
  expect_fault(folder.path(), "do not ascend from 0");
  with("\"first_ids\": [\n    0,", "\"first_ids\": [");
  expect_fault(folder.path(), "there must be one more than ranks");
  with("\"checksums\": [", "\"checksums\": [ 5,");
  EXPECT_NE(error_of_load(folder.path()), "");
  fs::remove(manifest);
  EXPECT_FALSE(holds_sharded(folder.path()));
  expect_fault(folder.path(), "manifest.json");
}

/// A save that fails leaves a folder that is refused, and the ranks all know. A later one puts it right.
TEST(ShardedFolder, HasNoManifestAfterASaveThatFailed) {
  const ScratchFolder folder;
  const Mesh mesh = generate_sphere(2);
  save_parts(folder.path(), mesh, 8);
  fs::remove(folder.path() / "shard-0001.shard");
  fs::create_directory(folder.path() / "shard-0001.shard");  // so that rank 1 cannot write
  const std::vector<Mesh> parts = test::cut_mesh(mesh, cuts(mesh.triangles.size(), 3));
  const auto outcomes = test::run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    Context context({.backend = Backend::cpu, .workers = 1});
    const test::DeviceMesh part(context, parts[rank]);
    save_sharded(comm, context, folder.path(), build_sharded(comm, context, part.view()));
  });
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.code, ErrorCode::bad_file);
    EXPECT_EQ(outcome.text.find("rank 1: "), 0u) << outcome.text;
  }
  EXPECT_FALSE(holds_sharded(folder.path()));
  fs::remove(folder.path() / "shard-0001.shard");
  save_parts(folder.path(), mesh, 3);
  EXPECT_EQ(error_of_load(folder.path()), "");
  EXPECT_FALSE(fs::exists(folder.path() / "shard-0003.shard"));  // of the save by 8 ranks
  EXPECT_FALSE(fs::exists(folder.path() / "shard-0007.shard"));
}

}  // namespace

}  // namespace copse
