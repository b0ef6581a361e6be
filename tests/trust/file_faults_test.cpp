// Each call of the system fails once, in each call that saves or loads a file. No half-written file stays, an old file
// survives, and the error names the path and the cause. Signals and short transfers change nothing.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "copse/grids.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"
#include "tests/trust/calls.h"
#include "tests/trust/failing_system.h"

namespace copse::test {

namespace {

/// A kind of file: how it is saved, and how it is loaded. load returns bytes of what it read.
struct FileKind {
  const char* name;
  std::function<void(const std::filesystem::path&)> save;
  std::function<Bytes(const std::filesystem::path&)> load;
};

Bytes bytes_of_mesh(const Mesh& mesh) {
  Bytes bytes;
  append(bytes, mesh.positions);
  append(bytes, mesh.triangles);
  return bytes;
}

class FileFaults : public testing::Test {
 protected:
  FileFaults()
      : context_({.backend = Backend::cpu}),
        mesh_(generate_sphere(1)),
        device_(context_, mesh_),
        bvh_(build(context_, device_.view(), LbvhOptions{})),
        accel_(build(context_, device_.view())),
        points_(build_kd_tree(context_, device_.positions.span())),
        voxels_(download(build_bricks(context_, device_.view(), {.resolution = 20}))) {}

  std::vector<FileKind> mesh_kinds() {
    const auto save = [this](const auto& path) { save_mesh(path, mesh_); };
    const auto load = [](const auto& path) { return bytes_of_mesh(load_mesh(path)); };
    const auto map = [](const auto& path) {
      const MappedMesh mapped(path);
      Bytes bytes;
      append(bytes, std::vector<vec3>{mapped.records().position(0)});
      return bytes;
    };
    return {{"a.ply", save, load},
            {"a.obj", save, load},
            {"a.stl", save, load},
            {"a.off", save, load},
            {"mapped.ply", save, map}};
  }

  std::vector<FileKind> structure_kinds() {
    return {
        {"tree.copse", [this](const auto& path) { save_structure(path, context_, mesh_, bvh_, "lbvh", 63, 1); },
         [this](const auto& path) { return bytes_of(load_structure(path, context_).bvh); }},
        {"accel.copse", [this](const auto& path) { save_accel(path, context_, mesh_, accel_); },
         [this](const auto& path) { return bytes_of(load_accel(path, context_).accel); }},
        {"mapped.copse", [this](const auto& path) { save_accel(path, context_, mesh_, accel_); },
         [](const auto& path) { return bytes_of(map_accel(path).accel); }},
        {"points.copse", [this](const auto& path) { save_tree(path, context_, mesh_.positions, points_); },
         [this](const auto& path) { return bytes_of(load_kd_tree(path, context_).tree.nodes); }},
        {"a.voxels", [this](const auto& path) { save_voxels(path, voxels_); },
         [](const auto& path) {
           Bytes bytes;
           append(bytes, std::vector<u64>{count_voxels(load_voxels(path))});
           return bytes;
         }},
    };
  }

  std::vector<FileKind> kinds() {
    std::vector<FileKind> all = mesh_kinds();
    for (const FileKind& kind : structure_kinds()) all.push_back(kind);
    return all;
  }

  /// Runs work() with fault after fault, until there is no call of the system left to fail.
  ///   check(has_error): called after each run in which a call failed
  template <class Work, class Check>
  static u64 fail_every_call(const std::filesystem::path& path, int error, const Work& work, const Check& check) {
    u64 k = 0;
    for (bool happened = true; happened && !HasFailure(); ++k) {
      SCOPED_TRACE(path.filename().string() + ", call " + std::to_string(k) + " of the system");
      bool has_error = false;
      const SystemFault fault(k, error);
      try {
        work();
      } catch (const Error& thrown) {
        has_error = true;
        const std::string text = thrown.what();
        EXPECT_EQ(thrown.code(), ErrorCode::bad_file) << text;
        EXPECT_NE(text.find(path.string()), std::string::npos) << text;
        EXPECT_NE(text.find(std::strerror(error)), std::string::npos) << text;
      }
      happened = fault.has_happened();
      if (happened) check(has_error);
    }
    return k - 1;
  }

  Context context_;
  Mesh mesh_;
  DeviceMesh device_;
  Bvh bvh_;
  Accel accel_;
  KdTree points_;
  HostVoxels voxels_;
};

TEST_F(FileFaults, SavesLeaveTheOldFileOrTheWholeNewOne) {
  u64 calls = 0;
  for (const FileKind& kind : kinds()) {
    const TemporaryFolder whole;
    kind.save(whole / kind.name);
    const std::string expected = read_bytes(whole / kind.name);
    for (const bool has_old_file : {false, true}) {
      for (const int error : {EIO, ENOSPC}) {
        const TemporaryFolder folder;
        const std::filesystem::path path = folder / kind.name;
        const auto put_back = [&] {
          std::filesystem::remove(path);
          if (has_old_file) folder.write(kind.name, "an old file");
        };
        put_back();
        calls += fail_every_call(
            path, error, [&] { kind.save(path); },
            [&](bool has_error) {
              EXPECT_EQ(folder.file_count(), has_error && !has_old_file ? 0u : 1u) << "a file stayed";
              const std::string old = has_old_file ? "an old file" : "";
              EXPECT_TRUE(read_bytes(path) == (has_error ? old : expected));
              put_back();
            });
      }
    }
  }
  EXPECT_GT(calls, 150u);
  RecordProperty("calls", std::to_string(calls));
}

TEST_F(FileFaults, LoadsSayWhatFailed) {
  for (const FileKind& kind : kinds()) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / kind.name;
    kind.save(path);
    const Bytes expected = kind.load(path);
    Bytes loaded;
    const u64 calls = fail_every_call(
        path, EIO, [&] { loaded = kind.load(path); },
        [&](bool has_error) { EXPECT_TRUE(has_error || loaded == expected) << "a failed read went unnoticed"; });
    EXPECT_GE(calls, 2u) << kind.name;
    EXPECT_TRUE(kind.load(path) == expected);
  }
}

TEST_F(FileFaults, SignalsAndShortTransfersChangeNothing) {
  for (const FileKind& kind : kinds()) {
    for (const int error : {EINTR, half_of_the_bytes}) {
      const TemporaryFolder folder;
      const std::filesystem::path path = folder / kind.name;
      kind.save(path);
      const std::string expected = read_bytes(path);
      const Bytes content = kind.load(path);
      for (u64 k = 0, happened = true; happened && !HasFailure(); ++k) {
        SCOPED_TRACE(std::string(kind.name) + ", call " + std::to_string(k) + " of the system");
        const SystemFault fault(k, error);
        EXPECT_NO_THROW(kind.save(path));
        EXPECT_TRUE(read_bytes(path) == expected);
        happened = fault.has_happened();
      }
      for (u64 k = 0, happened = true; happened && !HasFailure(); ++k) {
        SCOPED_TRACE(std::string(kind.name) + ", loaded, call " + std::to_string(k) + " of the system");
        const SystemFault fault(k, error);
        Bytes loaded;
        EXPECT_NO_THROW(loaded = kind.load(path));
        EXPECT_TRUE(loaded == content);
        happened = fault.has_happened();
      }
    }
  }
}

}  // namespace

}  // namespace copse::test
