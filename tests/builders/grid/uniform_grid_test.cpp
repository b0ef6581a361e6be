#include "builders/grid/uniform_grid.h"

#include <gtest/gtest.h>

#include <limits>

#include "builders/grid/grid_stats.h"
#include "builders/grid/grid_validate.h"
#include "tests/builders/grid/lattice_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;
using Lists = std::vector<std::vector<u32>>;

/// A grid on the host.
struct GridCopy {
  GridShape shape;
  GridCounts counts;
  std::vector<u32> cell_begins, primitive_ids;

  explicit GridCopy(const Grid& grid)
      : shape(grid.shape.download()[0]),
        counts(grid.counts.download()[0]),
        cell_begins(grid.cell_begins.download()),
        primitive_ids(grid.primitive_ids.download(counts.stored_count)) {}

  Lists lists() const {
    Lists result(shape.cell_count());
    for (u64 cell = 0; cell < result.size(); ++cell) {
      result[cell].assign(primitive_ids.begin() + cell_begins[cell],
                          primitive_ids.begin() + cell_begins[cell + 1]);
    }
    return result;
  }
};

bool same_bytes(const GridCopy& a, const GridCopy& b) {
  return std::memcmp(&a.shape, &b.shape, sizeof a.shape - 4) == 0 &&
         std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 &&
         test::same_bytes(a.cell_begins, b.cell_begins) && test::same_bytes(a.primitive_ids, b.primitive_ids);
}

/// Returns the lists, by a test of every cell with every triangle.
Lists slow_lists(const GridShape& shape, const Mesh& mesh) {
  Lists lists(shape.cell_count());
  const TriangleView view = host_view(mesh);
  for (u32 i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = load_triangle(view, i);
    if (is_empty(bounds(t))) continue;
    const std::array<ivec3, 3> vertices = {detail::to_units(shape, t.a, units_per_cell_bits),
                                           detail::to_units(shape, t.b, units_per_cell_bits),
                                           detail::to_units(shape, t.c, units_per_cell_bits)};
    for (const u32 cell : test::touched_cells(shape, vertices, detail::grid_units())) lists[cell].push_back(i);
  }
  return lists;
}

class UniformGrid : public test::OnEachBackend {
 protected:
  void expect_oracle(const Mesh& mesh, const GridOptions& options, const std::string& name) {
    const DeviceMesh device(context(), mesh);
    const Grid grid = build_grid(context(), device.view(), options);
    const GridCopy copy(grid);
    check_complete(grid);
    ASSERT_EQ(copy.lists(), slow_lists(copy.shape, mesh)) << name;
    EXPECT_EQ(copy.counts.stored_count, grid.reference_capacity()) << name;
    const ValidationReport faults = validate(context(), grid, device.view());
    ASSERT_TRUE(faults.is_valid()) << name << ": " << faults.message();
  }
};

TEST_P(UniformGrid, ListsTheTrianglesThatTouchEachCell) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    expect_oracle(hard.mesh, {}, hard.name);
    expect_oracle(hard.mesh, {.resolution = uvec3(5, 9, 3)}, hard.name + ", 5 x 9 x 3");
    expect_oracle(hard.mesh, {.density = 0.05f}, hard.name + ", few cells");
  }
}

TEST_P(UniformGrid, SharesAHugeTriangleAmongParts) {
  Mesh mesh{{vec3(0), vec3(1, 1, 0), vec3(1, 0, 1)}, {uvec3(0, 1, 2)}};
  expect_oracle(mesh, {.resolution = uvec3(40)}, "diagonal");
  mesh.positions[2] = vec3(0, 1, 0);
  expect_oracle(mesh, {.resolution = uvec3(64, 64, 1)}, "flat");
  mesh.positions[2] = vec3(0.5f, 0.5f, 0);
  expect_oracle(mesh, {.resolution = uvec3(64, 64, 1)}, "a line");
}

TEST_P(UniformGrid, MayBeLargeInEachDirection) {
  const Mesh mesh{{vec3(0), vec3(1, 0.5f, 0.25f), vec3(0.2f, 1, 0.7f), vec3(0.5f, 0.1f, 1)},
                  {uvec3(0, 1, 2), uvec3(1, 2, 3), uvec3(3, 2, 0)}};
  for (const uvec3& resolution : {uvec3(2048, 3, 2), uvec3(1, 2048, 3), uvec3(2, 1, 2048), uvec3(300, 200, 100)}) {
    const DeviceMesh device(context(), mesh);
    const Grid grid = build_grid(context(), device.view(), {.resolution = resolution});
    const ValidationReport faults = validate(context(), grid, device.view());
    EXPECT_TRUE(faults.is_valid()) << faults.message();
  }
}

TEST_P(UniformGrid, CountsPastTheRoomAndWritesNothingThere) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  const GridOptions options{.resolution = uvec3(12)};
  const u64 needed = count_references(context(), device.view(), options);
  Grid grid = make_grid(context(), 12 * 12 * 12, needed);
  EXPECT_COPSE_ERROR((void)stats(context(), grid), ErrorCode::invalid_argument, "never built");
  EXPECT_COPSE_ERROR((void)validate(context(), grid, BoxView{}), ErrorCode::invalid_argument, "never built");
  rebuild_grid(context(), grid, device.view(), options);
  check_complete(grid);

  // The span ends inside the buffer; the rest of the buffer must not change.
  for (const u64 room : {u64{0}, u64{1}, needed / 2, needed - 1}) {
    Grid small = make_grid(context(), 12 * 12 * 12, room);
    rebuild_grid(context(), small, device.view(), options);
    EXPECT_COPSE_ERROR(check_complete(small), ErrorCode::capacity, std::to_string(room));
    const GridCopy copy(small);
    EXPECT_EQ(copy.counts.stored_count, room);
    EXPECT_GT(copy.counts.reference_count, room);
    EXPECT_LE(copy.counts.reference_count, needed);
    const ValidationReport faults = validate(context(), small, device.view());
    EXPECT_EQ(faults.count("missing_references"), needed - room) << faults.message();
    EXPECT_EQ(faults.count("bad_lists") + faults.count("bad_ids") + faults.count("wrong_references"), 0u)
        << faults.message();
  }
}

TEST_P(UniformGrid, HasAsManyCellsAsTheDensityAllows) {
  const DeviceMesh sphere(context(), generate_sphere(4));  // 5120 triangles
  for (const float density : {0.001f, 1.0f, 4.0f, 50.0f}) {
    const GridStats s = stats(context(), build_grid(context(), sphere.view(), {.density = density}));
    const double allowed = std::max(1.0, 5120.0 * double(density));
    EXPECT_LE(double(s.cell_count), allowed) << density;
    EXPECT_GT(double(s.cell_count), allowed * 0.6 - 8) << density;
    EXPECT_LE(std::max(s.resolution.x, s.resolution.z) - std::min(s.resolution.y, s.resolution.z), 1u);
  }
  const DeviceMesh flat(context(), generate_grid(50));
  const GridStats s = stats(context(), build_grid(context(), flat.view(), {}));
  EXPECT_EQ(s.resolution, uvec3(141, 141, 1));
}

TEST_P(UniformGrid, StandsOverBoxes) {
  std::vector<Aabb> boxes;
  const Mesh mesh = generate_random(200, 0.3f);
  for (u32 i = 0; i < 200; ++i) boxes.push_back(bounds(load_triangle(host_view(mesh), i)));
  boxes[7].lo.y = std::numeric_limits<float>::quiet_NaN();
  boxes[9] = {vec3(1), vec3(0)};
  const Buffer<Aabb> device(context(), boxes);
  const Grid grid = build_grid(context(), BoxView{device.span()}, {.resolution = uvec3(8, 7, 6)});
  const GridCopy copy(grid);
  Lists expected(copy.shape.cell_count());
  for (u32 i = 0; i < boxes.size(); ++i) {
    if (i == 7 || i == 9) continue;
    const ivec3 lo = detail::to_units(copy.shape, boxes[i].lo, 8),
                hi = detail::to_units(copy.shape, boxes[i].hi, 8);
    for (u32 cell = 0; cell < expected.size(); ++cell) {
      const test::LatticeBox box = test::cell_box(copy.shape.cell_at(cell), detail::grid_units());
      bool apart = false;
      for (int k = 0; k < 3; ++k) apart |= hi[k] < box.lo[k] || lo[k] > box.hi[k];
      if (!apart) expected[cell].push_back(i);
    }
  }
  EXPECT_EQ(copy.lists(), expected);
  EXPECT_TRUE(validate(context(), grid, BoxView{device.span()}).is_valid());
  EXPECT_TRUE(GridCopy(build_grid(context(), BoxView{}, {})).primitive_ids.empty());
}

TEST_P(UniformGrid, IsRebuiltInPlaceAndByAGraph) {
  Mesh mesh = generate_sphere(3);
  DeviceMesh device(context(), mesh);
  const GridOptions options{.resolution = uvec3(10)};
  Grid grid = build_grid(context(), device.view(), {.resolution = uvec3(10), .reference_capacity = 20000});
  const auto work = [&] { rebuild_grid(context(), grid, device.view(), options); };
  work();
  Graph graph = context().capture(work);
  for (vec3& p : mesh.positions) p = vec3(p.x * 2, p.y + p.x, p.z * p.z);
  device.positions.upload(mesh.positions);
  graph.launch();
  const GridCopy copy(grid);
  EXPECT_EQ(copy.lists(), slow_lists(copy.shape, mesh));
  EXPECT_TRUE(same_bytes(copy, GridCopy(build_grid(context(), device.view(), options))));
}

TEST_P(UniformGrid, TakesTheScratchThatItSays) {
  const Mesh mesh = generate_sphere(4);
  for (const GridOptions& options : {GridOptions{.reference_capacity = 100000},
                                     GridOptions{.resolution = uvec3(3), .reference_capacity = 9000}}) {
    Context fresh({.backend = GetParam()});
    const DeviceMesh device(fresh, mesh);
    const BuildSizes sizes = grid_sizes(fresh, mesh.triangles.size(), options);
    fresh.reserve_scratch(sizes.scratch_bytes);
    const u64 before = fresh.scratch_bytes();
    const Grid grid = build_grid(fresh, device.view(), options);
    EXPECT_EQ(fresh.scratch_bytes(), before);
    EXPECT_EQ(grid.size_bytes(), sizes.result_bytes);
  }
}

TEST_P(UniformGrid, ValidationFindsWhatIsWrong) {
  const DeviceMesh device(context(), generate_sphere(2));
  Grid grid = build_grid(context(), device.view(), {.resolution = uvec3(6)});
  std::vector<u32> ids = grid.primitive_ids.download(), begins = grid.cell_begins.download();
  const auto faults_with = [&](const std::vector<u32>& changed_ids, const std::vector<u32>& changed_begins) {
    grid.primitive_ids.upload(changed_ids);
    grid.cell_begins.upload(changed_begins);
    return validate(context(), grid, device.view());
  };
  EXPECT_TRUE(faults_with(ids, begins).is_valid());
  std::vector<u32> wrong = ids;
  wrong[5] = 1000000;
  EXPECT_EQ(faults_with(wrong, begins).count("bad_ids"), 1u);
  EXPECT_EQ(faults_with(wrong, begins).count("missing_references"), 1u);
  wrong = ids;
  std::swap(wrong[begins[0]], wrong[begins[0] + 1]);
  EXPECT_GT(faults_with(wrong, begins).count("bad_ids"), 0u);
  wrong = begins;
  wrong[100] = wrong[101] + 1;
  EXPECT_EQ(faults_with(ids, wrong).count("bad_lists"), 1u);
  // An empty cell takes the first primitive of the next one.
  u32 cell = 0;
  while (begins[cell] != begins[cell + 1] || begins[cell + 1] == begins[cell + 2]) ++cell;
  wrong = begins;
  ++wrong[cell + 1];
  EXPECT_EQ(faults_with(ids, wrong).count("wrong_references"), 1u);
  EXPECT_EQ(faults_with(ids, wrong).count("missing_references"), 1u);
  EXPECT_NE(faults_with(ids, wrong).message(), "valid");
  EXPECT_COPSE_ERROR(validate(context(), grid, BoxView{}), ErrorCode::invalid_argument, "320");
  const GridShape good = grid.shape.download()[0];
  for (const double value : {0.0, -1.0, double(infinity), std::numeric_limits<double>::quiet_NaN()}) {
    GridShape shape = good;
    shape.cells_per_unit.y = value;
    grid.shape.upload(std::vector{shape});
    EXPECT_EQ(faults_with(ids, begins).count("bad_shapes"), 1u) << value;
  }
}

TEST_P(UniformGrid, RefusesOptionsOutOfRange) {
  const DeviceMesh device(context(), generate_cube());
  const auto build = [&](const GridOptions& options) { (void)build_grid(context(), device.view(), options); };
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(build({.resolution = uvec3(0, 4, 4)}), invalid, "0 x 4 x 4");
  EXPECT_COPSE_ERROR(build({.resolution = uvec3(2049, 1, 1)}), invalid, "2048");
  EXPECT_COPSE_ERROR(build({.resolution = uvec3(2048)}), invalid, "8589934592 cells");
  EXPECT_COPSE_ERROR(build({.density = 0}), invalid, "density");
  EXPECT_COPSE_ERROR(build({.density = std::numeric_limits<float>::quiet_NaN()}), invalid, "density");
  EXPECT_COPSE_ERROR(build({.density = 2000}), invalid, "1024");
  EXPECT_COPSE_ERROR(build({.reference_capacity = u64{1} << 32}), ErrorCode::capacity, "4294967295");
  Grid grid = build_grid(context(), device.view(), {.resolution = uvec3(4)});
  EXPECT_COPSE_ERROR(rebuild_grid(context(), grid, device.view(), {.resolution = uvec3(4, 4, 5)}), invalid,
                     "room for 64");
  EXPECT_COPSE_ERROR((void)grid_sizes(context(), 10, {}), invalid, "capacity");
}

COPSE_ON_EACH_BACKEND(UniformGrid);

TEST(UniformGridOnBoth, IsEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  std::vector<test::NamedMesh> meshes = test::hard_meshes();
  meshes.push_back({"larger", generate_random(100000, 0.05f)});
  for (const test::NamedMesh& hard : meshes) {
    for (const GridOptions& options : {GridOptions{}, GridOptions{.resolution = uvec3(64, 32, 16)}}) {
      const DeviceMesh a(cpu, hard.mesh), b(cuda, hard.mesh);
      ASSERT_TRUE(
          same_bytes(GridCopy(build_grid(cpu, a.view(), options)), GridCopy(build_grid(cuda, b.view(), options))))
          << hard.name;
    }
  }
}

}  // namespace
}  // namespace copse
