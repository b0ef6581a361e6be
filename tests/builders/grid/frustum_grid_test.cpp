#include "builders/grid/frustum_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "builders/grid/frustum_check.h"
#include "tests/builders/grid/frustum_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/trace/frustum_cameras.h"
#include "trace/frustum_rays.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;
using Lists = std::vector<std::vector<u32>>;

/// A frustum grid on the host.
struct FrustumCopy {
  FrustumShape frustum;
  GridShape cells;
  GridCounts counts;
  std::vector<u32> cell_begins, primitive_ids;

  explicit FrustumCopy(const FrustumGrid& grid)
      : frustum(grid.shape.download()[0]),
        cells(grid.cells.shape.download()[0]),
        counts(grid.cells.counts.download()[0]),
        cell_begins(grid.cells.cell_begins.download()),
        primitive_ids(grid.cells.primitive_ids.download(counts.stored_count)) {}

  /// Returns for each triangle the cells that list it.
  std::vector<std::set<u32>> cells_of(u64 triangle_count) const {
    std::vector<std::set<u32>> result(triangle_count);
    for (u32 cell = 0; cell < cells.cell_count(); ++cell) {
      for (u32 k = cell_begins[cell]; k < cell_begins[cell + 1]; ++k) result.at(primitive_ids[k]).insert(cell);
    }
    return result;
  }
};

template <class T>
bool same_members(const T& a, const T& b, size_t size) {
  return std::memcmp(&a, &b, size) == 0;
}

bool same_bytes(const FrustumCopy& a, const FrustumCopy& b) {
  return same_members(a.frustum, b.frustum, offsetof(FrustumShape, padding) + sizeof(i32)) &&
         same_members(a.cells, b.cells, offsetof(GridShape, resolution) + sizeof(uvec3)) &&
         same_members(a.counts, b.counts, sizeof a.counts) && test::same_bytes(a.cell_begins, b.cell_begins) &&
         test::same_bytes(a.primitive_ids, b.primitive_ids);
}

/// The case of a triangle (plain, clipped or blurred), and by how many units its cells are larger.
struct Way {
  bool is_blurred = false;
  i32 padding = 0;

  Way(const FrustumCopy& copy, const Triangle& t) : padding(copy.frustum.padding) {
    const detail::CameraTriangle triangle(copy.frustum, t);
    if (triangle.is_plain(copy.frustum)) return;
    detail::ClippedTriangle clipped;
    detail::clip_triangle(copy.frustum, copy.cells, triangle, clipped);
    is_blurred = clipped.is_blurred;
    if (!clipped.is_empty()) padding = clipped.units.padding;
  }
};

class FrustumGrids : public test::OnEachBackend {
 protected:
  /// Every cell that a triangle touches lists it, and no cell far from it does.
  void expect_oracle(const Mesh& mesh, const ViewFrustum& frustum, const uvec3& resolution,
                     const std::string& name) {
    const DeviceMesh device(context(), mesh);
    const FrustumGrid grid = build_frustum_grid(context(), device.view(), frustum, {.resolution = resolution});
    check_complete(grid.cells);
    const ValidationReport faults = validate(context(), grid, device.view());
    ASSERT_TRUE(faults.is_valid()) << name << ": " << faults.message();
    const FrustumCopy copy(grid);
    EXPECT_EQ(copy.counts.stored_count, grid.reference_capacity()) << name;
    const std::vector<std::set<u32>> listed = copy.cells_of(mesh.triangles.size());
    const test::FrustumOracle oracle(copy.frustum, copy.cells);
    for (u32 i = 0; i < mesh.triangles.size(); ++i) {
      const Triangle t = load_triangle(host_view(mesh), i);
      if (is_empty(bounds(t))) {
        ASSERT_TRUE(listed[i].empty()) << name << ", triangle " << i;
        continue;
      }
      const Way way(copy, t);
      for (u32 cell = 0; cell < copy.cells.cell_count(); ++cell) {
        const bool is_listed = listed[i].count(cell) > 0;
        if (is_listed ? !way.is_blurred : true) {
          const test::Real margin = is_listed ? test::Real(way.padding + 1) / units_per_cell : test::Real(0);
          ASSERT_EQ(oracle.touches(t, cell, margin), is_listed) << name << ", triangle " << i << ", cell " << cell;
        }
      }
    }
  }

  void expect_oracle(const Mesh& mesh, const std::string& name) {
    for (const test::NamedCamera& view : test::cameras_around(mesh)) {
      const ViewFrustum frustum = view_frustum(view.camera);
      expect_oracle(mesh, frustum, uvec3(7, 5, 4), name + ", " + view.name);
      expect_oracle(mesh, frustum, uvec3(1, 2, 9), name + ", " + view.name + ", 1 x 2 x 9");
    }
  }
};

TEST_P(FrustumGrids, ListTheTrianglesThatTouchEachCell) {
  expect_oracle(generate_sphere(2), "sphere");
  expect_oracle(generate_random(200, 0.5f), "large triangles");
  expect_oracle(generate_cube(), "cube");
}

TEST_P(FrustumGrids, HoldForHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    if (hard.mesh.triangles.size() <= 300) expect_oracle(hard.mesh, hard.name);
  }
}

TEST_P(FrustumGrids, CutTrianglesThatPassTheEyePlane) {
  Mesh mesh;
  test::RayMaker make(11);
  for (u32 i = 0; i < 200; ++i) {
    for (int corner = 0; corner < 3; ++corner) mesh.positions.push_back(make.point(-1, 1));
    mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
  }
  for (const float angle : {20.0f, 90.0f, 170.0f}) {
    const ViewFrustum frustum = view_frustum(look_at(vec3(0), vec3(0.2f, -0.3f, 1), vec3(0, 1, 0), angle, 1));
    expect_oracle(mesh, frustum, uvec3(6, 6, 5), "through the eye plane");
  }
}

TEST_P(FrustumGrids, SlabsMayLieAnywhere) {
  const Mesh mesh = generate_random(150, 0.3f);
  ViewFrustum frustum = view_frustum(look_at(vec3(0.5f, 0.4f, -0.2f), vec3(0.5f), vec3(0, 1, 0), 70, 1));
  const std::vector<std::pair<float, float>> depths = {{0.1f, 0}, {0, 0.9f},  {0.3f, 0.6f},   {0.5f, 0.51f},
                                                       {5, 9},    {0, 1e-3f}, {1e-4f, 1e-3f}, {1e-3f, 1e6f}};
  for (const auto& [nearest, farthest] : depths) {
    frustum.nearest = nearest;
    frustum.farthest = farthest;
    expect_oracle(mesh, frustum, uvec3(4, 3, 6), std::to_string(nearest) + " to " + std::to_string(farthest));
  }
}

TEST_P(FrustumGrids, SpreadAPlaneUnderTheEyeOverTheTilesThatSeeIt) {
  // The floor of a hall: two triangles from behind the eye to the horizon.
  for (const float size : {10.0f, 1e3f, 1e5f}) {
    const Mesh mesh{{vec3(-size, 0, -size), vec3(size, 0, -size), vec3(size, 0, size), vec3(-size, 0, size)},
                    {uvec3(0, 1, 2), uvec3(0, 2, 3)}};
    const ViewFrustum frustum = view_frustum(look_at(vec3(0, 1.7f, 0), vec3(0.1f, 1.7f, 5), vec3(0, 1, 0), 60, 1));
    expect_oracle(mesh, frustum, uvec3(24, 24, 8), "a floor of size " + std::to_string(size));
  }
}

TEST_P(FrustumGrids, AreValidAtFullResolution) {
  const Mesh mesh = generate_random(20000, 0.05f);
  const DeviceMesh device(context(), mesh);
  for (const test::NamedCamera& view : test::cameras_around(mesh)) {
    const FrustumGrid grid = build_frustum_grid(context(), device.view(), view_frustum(view.camera));
    check_complete(grid.cells);
    const ValidationReport faults = validate(context(), grid, device.view());
    EXPECT_TRUE(faults.is_valid()) << view.name << ": " << faults.message();
  }
}

TEST_P(FrustumGrids, MeasureWhatTheyHold) {
  const Mesh mesh = generate_sphere(4);
  const DeviceMesh device(context(), mesh);
  const FrustumGrid grid =
      build_frustum_grid(context(), device.view(), view_frustum(frame_box(test::finite_bounds(mesh), 40, 1)));
  const FrustumGridStats s = stats(context(), grid);
  EXPECT_EQ(s.resolution, uvec3(128, 128, 16));
  EXPECT_EQ(s.cell_count, 128u * 128 * 16);
  EXPECT_EQ(s.counts.stored_count, grid.reference_capacity());
  EXPECT_EQ(s.padding, 3);
  EXPECT_GT(s.duplication, 1);
  EXPECT_GT(s.occupied_count, 5120u);
  EXPECT_LE(s.nearest, s.farthest);
  EXPECT_EQ(s.size_bytes, grid.size_bytes());
  EXPECT_COPSE_ERROR((void)stats(context(), FrustumGrid{}), ErrorCode::invalid_argument, "never built");
}

TEST_P(FrustumGrids, LeaveOutWhatCannotBeSeen) {
  const DeviceMesh device(context(), generate_sphere(3));
  const auto references = [&](const vec3& target) {
    const ViewFrustum frustum = view_frustum(look_at(vec3(0, 0, 5), target, vec3(0, 1, 0), 30, 1));
    return count_references(context(), device.view(), frustum);
  };
  EXPECT_GT(references(vec3(0)), 1280u);
  EXPECT_EQ(references(vec3(0, 0, 10)), 0u);
  EXPECT_EQ(references(vec3(8, 0, 5)), 0u);
  const DeviceMesh nothing(context(), Mesh{});
  const ViewFrustum frustum{vec3(0), vec3(0, 0, 1), vec3(1, 0, 0), vec3(0, 1, 0)};
  EXPECT_EQ(stats(context(), build_frustum_grid(context(), nothing.view(), frustum)).counts.reference_count, 0u);
}

TEST_P(FrustumGrids, CountPastTheRoomAndWriteNothingThere) {
  const DeviceMesh device(context(), generate_sphere(3));
  const ViewFrustum frustum = view_frustum(look_at(vec3(0, 0.5f, 2), vec3(0), vec3(0, 1, 0), 60, 1));
  const uvec3 resolution(12, 10, 6);
  const u64 needed = count_references(context(), device.view(), frustum, {.resolution = resolution});
  for (const u64 room : {u64{0}, u64{1}, needed / 2, needed - 1, needed}) {
    FrustumGrid small = make_frustum_grid(context(), resolution, room);
    rebuild_frustum_grid(context(), small, device.view(), frustum);
    const FrustumCopy copy(small);
    EXPECT_EQ(copy.counts.stored_count, room);
    const ValidationReport faults = validate(context(), small, device.view());
    EXPECT_EQ(faults.count("missing_references"), needed - room) << faults.message();
    EXPECT_EQ(faults.count("bad_lists") + faults.count("bad_ids") + faults.count("wrong_references"), 0u)
        << faults.message();
    if (room == needed) {
      check_complete(small.cells);
    } else {
      EXPECT_COPSE_ERROR(check_complete(small.cells), ErrorCode::capacity, std::to_string(room));
    }
  }
}

TEST_P(FrustumGrids, AreRebuiltInPlaceAndByAGraph) {
  Mesh mesh = generate_sphere(3);
  DeviceMesh device(context(), mesh);
  const ViewFrustum frustum = view_frustum(look_at(vec3(0, 1, 3), vec3(0), vec3(0, 1, 0), 50, 1));
  const FrustumGridOptions options{.resolution = uvec3(20, 20, 8), .reference_capacity = 50000};
  FrustumGrid grid = build_frustum_grid(context(), device.view(), frustum, options);
  const auto work = [&] { rebuild_frustum_grid(context(), grid, device.view(), frustum); };
  work();
  Graph graph = context().capture(work);
  for (vec3& p : mesh.positions) p = vec3(p.x * 2, p.y + p.x, p.z * p.z);
  device.positions.upload(mesh.positions);
  graph.launch();
  EXPECT_TRUE(same_bytes(FrustumCopy(grid), FrustumCopy(build_frustum_grid(context(), device.view(), frustum,
                                                                           {.resolution = options.resolution}))));
}

TEST_P(FrustumGrids, TakeTheScratchThatTheySay) {
  const Mesh mesh = generate_sphere(4);
  const FrustumGridOptions options{.resolution = uvec3(30, 20, 10), .reference_capacity = 100000};
  Context fresh({.backend = GetParam()});
  const DeviceMesh device(fresh, mesh);
  const BuildSizes sizes = frustum_grid_sizes(fresh, mesh.triangles.size(), options);
  fresh.reserve_scratch(sizes.scratch_bytes);
  const u64 before = fresh.scratch_bytes();
  const ViewFrustum frustum = view_frustum(frame_box(test::finite_bounds(mesh), 40, 1));
  const FrustumGrid grid = build_frustum_grid(fresh, device.view(), frustum, options);
  EXPECT_EQ(fresh.scratch_bytes(), before);
  EXPECT_EQ(grid.size_bytes(), sizes.result_bytes);
}

TEST_P(FrustumGrids, RefuseWhatIsOutOfRange) {
  const DeviceMesh device(context(), generate_cube());
  const ViewFrustum good{vec3(0, 0, 5), vec3(0, 0, -1), vec3(0.5f, 0, 0), vec3(0, 0.5f, 0)};
  const auto build = [&](const ViewFrustum& frustum, const FrustumGridOptions& options = {}) {
    (void)build_frustum_grid(context(), device.view(), frustum, options);
  };
  const auto with = [&](auto&& change) {
    ViewFrustum frustum = good;
    change(frustum);
    return frustum;
  };
  const ErrorCode invalid = ErrorCode::invalid_argument;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_COPSE_ERROR(build(good, {.resolution = uvec3(0, 4, 4)}), invalid, "0 x 4 x 4");
  EXPECT_COPSE_ERROR(build(good, {.resolution = uvec3(4, 513, 4)}), invalid, "512");
  EXPECT_COPSE_ERROR(build(good, {.resolution = uvec3(4, 4, 257)}), invalid, "256");
  EXPECT_COPSE_ERROR(build(good, {.reference_capacity = u64{1} << 32}), ErrorCode::capacity, "4294967295");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.eye.y = nan; })), invalid, "eye");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.forward = vec3(1, 1, 0); })), invalid, "in a plane");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.up = vec3(0); })), invalid, "in a plane");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.nearest = -1; })), invalid, "nearest depth is -1");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.farthest = nan; })), invalid, "farthest depth");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.nearest = f.farthest = 2; })), invalid, "not below");
  EXPECT_COPSE_ERROR(build(with([&](ViewFrustum& f) { f.right.x = 1e-6f; })), invalid, "too narrow");
  EXPECT_COPSE_ERROR((void)frustum_grid_sizes(context(), 10, {}), invalid, "capacity");
  FrustumGrid never;
  EXPECT_COPSE_ERROR(rebuild_frustum_grid(context(), never, device.view(), good), invalid, "0 x 0 x 0");
  EXPECT_COPSE_ERROR((void)validate(context(), never, device.view()), invalid, "never built");
}

TEST_P(FrustumGrids, ValidationFindsWhatIsWrong) {
  const DeviceMesh device(context(), generate_sphere(2));
  const ViewFrustum frustum{vec3(0, 0, 3), vec3(0, 0, -1), vec3(0.5f, 0, 0), vec3(0, 0.5f, 0)};
  FrustumGrid grid = build_frustum_grid(context(), device.view(), frustum, {.resolution = uvec3(6, 6, 4)});
  std::vector<u32> ids = grid.cells.primitive_ids.download();
  ids.back() = 1000000;
  grid.cells.primitive_ids.upload(ids);
  const ValidationReport faults = validate(context(), grid, device.view());
  EXPECT_EQ(faults.count("bad_ids"), 1u);
  EXPECT_EQ(faults.count("missing_references"), 1u);
}

TEST_P(FrustumGrids, ValidationTrustsNoShape) {
  const DeviceMesh device(context(), generate_sphere(2));
  const ViewFrustum frustum{vec3(0, 0, 3), vec3(0, 0, -1), vec3(0.5f, 0, 0), vec3(0, 0.5f, 0)};
  const auto after = [&](const auto& change) {
    FrustumGrid grid = build_frustum_grid(context(), device.view(), frustum, {.resolution = uvec3(6, 6, 4)});
    FrustumShape shape = grid.shape.download()[0];
    GridShape cells = grid.cells.shape.download()[0];
    change(shape, cells);
    grid.shape.upload(std::vector{shape});
    grid.cells.shape.upload(std::vector{cells});
    return validate(context(), grid, device.view());
  };
  EXPECT_TRUE(after([](FrustumShape&, GridShape&) {}).is_valid());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // Cells that end before they begin.
  for (const i32 padding : {-200, -128, 1 << 30}) {
    const ValidationReport faults = after([&](FrustumShape& s, GridShape&) { s.padding = padding; });
    EXPECT_EQ(faults.count("bad_shapes"), 1u) << padding;
    EXPECT_EQ(faults.message(), "1 shapes that no build leaves");
  }
  EXPECT_FALSE(after([&](FrustumShape& s, GridShape&) { s.nearest = nan; }).is_valid());
  EXPECT_FALSE(after([&](FrustumShape& s, GridShape&) { s.farthest = s.nearest; }).is_valid());
  EXPECT_FALSE(after([&](FrustumShape& s, GridShape&) { s.units_per_length = 1e300; }).is_valid());
  EXPECT_FALSE(after([&](FrustumShape& s, GridShape&) { s.x.y = nan; }).is_valid());
  EXPECT_FALSE(after([&](FrustumShape&, GridShape& c) { c.cells_per_unit.x = 0; }).is_valid());
  EXPECT_FALSE(after([&](FrustumShape&, GridShape& c) { c.resolution = uvec3(4, 36, 1); }).is_valid());
}

COPSE_ON_EACH_BACKEND(FrustumGrids);

TEST(FrustumGridsOnBoth, AreEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  std::vector<test::NamedMesh> meshes = test::hard_meshes();
  meshes.push_back({"larger", generate_random(100000, 0.05f)});
  for (const test::NamedMesh& hard : meshes) {
    for (const test::NamedCamera& view : test::cameras_around(hard.mesh)) {
      const DeviceMesh a(cpu, hard.mesh), b(cuda, hard.mesh);
      const ViewFrustum frustum = view_frustum(view.camera);
      const FrustumGridOptions options{.resolution = uvec3(32, 32, 8)};
      ASSERT_TRUE(same_bytes(FrustumCopy(build_frustum_grid(cpu, a.view(), frustum, options)),
                             FrustumCopy(build_frustum_grid(cuda, b.view(), frustum, options))))
          << hard.name << ", " << view.name;
    }
  }
}

}  // namespace
}  // namespace copse
