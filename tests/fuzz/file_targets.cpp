// The readers of structures, trees, voxels, NanoVDB and glTF. Any bytes give an error of the file, or something that is
// safe to use. Most checks stand behind the checksums, so these are made right first.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "accel/accel_file.h"
#include "accel/accel_rays.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/grid/nano_grid.h"
#include "builders/io/nano_file.h"
#include "builders/io/structure/nano_tree.h"
#include "builders/io/structure_file.h"
#include "builders/io/tree_file.h"
#include "builders/io/voxel_tree_file.h"
#include "scene/scene_file.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace copse::fuzz {

namespace {

Context& cpu() {
  static Context context({.backend = Backend::cpu, .workers = 1});
  return context;
}

/// Calls `f`, which may throw an error of the file.
template <class F>
bool accepts(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    const bool is_right = error.code() == ErrorCode::bad_file || error.code() == ErrorCode::capacity;
    if (!is_right) std::fprintf(stderr, "copse-fuzz: %s\n", error.what());
    require(is_right, "the error is one of the file");
    return false;
  }
  return true;
}

/// Returns the bytes with the size of the file and the checksums made right, where they have room for a header.
std::string mended(std::string_view bytes) {
  std::string out(bytes);
  if (out.size() < 200 || !out.starts_with("COPS")) return out;
  const u64 size = out.size() / 8 * 8;  // the words of the older checksum
  out.resize(size);
  std::memcpy(out.data() + 16, &size, sizeof size);
  return test::sealed(std::move(out));
}

const Ray rays[] = {{vec3(0, 0, 9), 0, vec3(0, 0, -1), infinity},
                    {vec3(0.3f, 0.2f, 0.1f), 0, vec3(1, 2, 3), infinity},
                    {vec3(0.25f, 0.25f, -1), 0, vec3(0, 0, 1), 5}};

void use_accel(const std::filesystem::path& path, std::string_view bytes) {
  if (!accepts([&] { (void)load_accel(path, cpu()); })) {
    require(!accepts([&] { (void)map_accel(path); }), "what is not loaded is not mapped");
    return;
  }
  AccelFile file = load_accel(path, cpu());
  std::vector<Hit> hits;
  for (const Ray& ray : rays) hits.push_back(closest_hit(file.accel.view(), ray));
  u32 version;
  std::memcpy(&version, bytes.data() + 8, sizeof version);
  if (version < 4) return;
  const MappedAccel mapped = map_accel(path);
  for (size_t i = 0; i < hits.size(); ++i) {
    const Hit hit = closest_hit(mapped.accel.view(), rays[i]);
    require(std::memcmp(&hit, &hits[i], sizeof hit) == 0,
            "a mapped structure gives the hits of one that is loaded");
  }
}

void use_structure(const std::filesystem::path& path) {
  StructureFile file;
  if (!accepts([&] { file = load_structure(path, cpu()); })) return;
  const Buffer<vec3> positions(cpu(), file.mesh.positions);
  const Buffer<uvec3> triangles(cpu(), file.mesh.triangles);
  const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  const ValidationReport report = validate(cpu(), file.bvh, view);
  require(report.count("bad_counts") + report.count("bad_indices") + report.count("unreached_nodes") +
                  report.count("repeated_primitives") ==
              0,
          "a tree that is loaded is one");
  refit(cpu(), file.bvh, view);
  require(validate(cpu(), file.bvh, view).is_valid(), "a tree that is loaded and refitted is valid");
}

void run_structure(std::string_view bytes) {
  static const MemoryFile memory;
  for (const std::string& file : {std::string(bytes), mended(bytes)}) {
    const std::filesystem::path path = memory.write(file);
    bool is_accel = false;
    if (accepts([&] { is_accel = holds_accel(path); })) is_accel ? use_accel(path, file) : use_structure(path);
  }
}

void run_tree(std::string_view bytes) {
  static const MemoryFile memory;
  const std::filesystem::path path = memory.write(mended(bytes));
  accepts([&] {
    switch (tree_kind(path).value_or(TreeKind::kd_tree)) {
      case TreeKind::kd_tree: (void)load_kd_tree(path, cpu()); break;
      case TreeKind::point_bvh: (void)load_point_bvh(path, cpu()); break;
      case TreeKind::sah_kd_tree: (void)load_sah_kd_tree(path, cpu()); break;
    }
  });
}

void run_voxels(std::string_view bytes) {
  static const MemoryFile memory;
  const std::filesystem::path path = memory.write(mended(bytes));
  bool is_tree = false;
  accepts([&] { is_tree = holds_voxel_tree(path); });
  HostVoxels voxels;
  if (!accepts([&] { voxels = load_voxels(path); })) return;
  const u64 count = count_voxels(voxels);
  if (is_tree)
    require(sizes_of(load_voxel_tree(path)).voxel_count == count, "a tree has the voxels of its bricks");
}

/// Returns the file of a grid of each type, over two bricks.
std::string nano_file(NanoType type) {
  const std::vector<vec3> positions = {{0, 0, 0}, {12, 0, 0}, {0, 7, 7}};
  const std::vector<uvec3> triangles = {{0, 1, 2}};
  const Buffer<vec3> p(cpu(), positions);
  const Buffer<uvec3> t(cpu(), triangles);
  const TriangleView view{.positions = p.span(), .triangles = t.span()};
  const Bricks bricks = build_bricks(cpu(), view, {.resolution = 12});
  const Buffer<float> values(cpu(), std::vector<float>(512 * bricks.counts.download()[0].stored_count, 2));
  const NanoGrid grid = type == NanoType::floats ? build_nano_grid(cpu(), bricks, values.span(), -1)
                                                 : build_nano_grid(cpu(), bricks, type);
  const test::TemporaryFolder folder;
  save_nano_grid(folder / "seed", download(grid));
  return test::read_bytes(folder / "seed");
}

/// Grids are too large to be the fuzzer's bytes. So these are words to be changed in one, (place, value) each, behind a
/// byte that chooses the grid; or else a file, which begins as such files do.
std::string_view nano_bytes(std::string_view bytes) {
  if (bytes.empty() || bytes.starts_with("NanoVDB")) return bytes;
  static const std::string grids[] = {nano_file(NanoType::mask), nano_file(NanoType::index),
                                      nano_file(NanoType::floats)};
  static std::string file;
  file.assign(grids[u8(bytes[0]) % 3]);
  for (size_t at = 1; at + 8 <= bytes.size(); at += 8) {
    u32 words[2];
    std::memcpy(words, bytes.data() + at, sizeof words);
    std::memcpy(file.data() + words[0] % (file.size() - 3), &words[1], sizeof(u32));
  }
  return file;
}

/// A tile makes up to 4096 bricks, and a changed word up to 32 tiles. A grid of so many takes the time of a hundred others,
/// and finds nothing new: it is only read. Grids of more bricks than to_voxels makes are refused without making them.
bool is_slow(const HostNanoGrid& grid) {
  std::vector<detail::NanoCube> cubes;
  u64 bricks = 0;
  (void)detail::find_nano_cubes(grid, cubes);
  for (const detail::NanoCube& cube : cubes) bricks += u64{cube.edge / 8} * (cube.edge / 8) * (cube.edge / 8);
  return bricks > 2 * 4096 && bricks <= u64{1} << 26;
}

void run_nano(std::string_view bytes) {
  static const MemoryFile memory;
  const std::filesystem::path path = memory.write(nano_bytes(bytes));
  HostNanoGrid grid;
  if (!accepts([&] { grid = load_nano_grid(path); })) return;
  if (grid.type == NanoType::floats) (void)value_at(grid, 1, -2, 3);
  if (is_slow(grid)) return;
  try {
    (void)to_voxels(grid);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::capacity,
            "a grid without a fault gives voxels, or its shape is refused");
  }
}

void run_gltf(std::string_view bytes) {
  static const std::filesystem::path folder = [] {
    std::string name = "/tmp/copse-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    return std::filesystem::path(name);
  }();
  const std::filesystem::path path = folder / (bytes.starts_with("glTF") ? "scene.glb" : "scene.gltf");
  static const MemoryFile memory;
  memory.write(bytes);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::filesystem::create_symlink(memory.path(), path);
  SceneFile scene;
  const bool is_read = accepts([&] { scene = load_scene(path); });
  std::filesystem::remove(path, ignored);
  if (!is_read) return;
  for (const Instance& instance : scene.instances)
    require(instance.accel < scene.meshes.size(), "instances have meshes");
  for (const SceneMesh& mesh : scene.meshes) {
    for (const uvec3& t : mesh.mesh.triangles)
      require(std::max({t.x, t.y, t.z}) < mesh.mesh.positions.size(), "indices of scenes are in range");
  }
}

}  // namespace

std::span<const Target> file_targets() {
  static constexpr Target targets[] = {{"structure", run_structure},
                                       {"tree", run_tree},
                                       {"voxels", run_voxels},
                                       {"nano", run_nano},
                                       {"gltf", run_gltf}};
  return targets;
}

}  // namespace copse::fuzz
