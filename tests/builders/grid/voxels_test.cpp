#include "builders/grid/voxels.h"

#include <gtest/gtest.h>
#include <cmath>

#include <queue>
#include <set>

#include "tests/builders/grid/lattice_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"

namespace copse {
namespace {

using test::cross;
using test::DeviceMesh;
using test::dot;
using test::host_view;
using test::LatticePoint;
using test::minus;
using LatticeMesh = std::vector<std::array<ivec3, 3>>;

/// Returns the id of a voxel, counted like the cells of a grid.
using VoxelSet = std::set<u32>;

VoxelSet voxels_of(const Voxels& voxels) {
  const std::vector<u32> words = voxels.words.download();
  const uvec3& size = voxels.shape.resolution;
  VoxelSet result;
  for (u32 z = 0; z < size.z; ++z) {
    for (u32 y = 0; y < size.y; ++y) {
      for (u32 x = 0; x < 32 * voxels.row_words(); ++x) {
        if ((words[(z * size.y + y) * voxels.row_words() + x / 32] >> (x % 32) & 1) == 0) continue;
        EXPECT_LT(x, size.x) << "a bit past the row's end";
        result.insert(voxels.shape.cell_id(uvec3(x, y, z)));
      }
    }
  }
  return result;
}

LatticeMesh lattice_mesh(const GridShape& shape, const Mesh& mesh) {
  LatticeMesh triangles;
  for (u32 i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = load_triangle(host_view(mesh), i);
    if (is_empty(bounds(t))) continue;
    triangles.push_back(
        {detail::to_units(shape, t.a, 8), detail::to_units(shape, t.b, 8), detail::to_units(shape, t.c, 8)});
  }
  return triangles;
}

int sign(i64 a) {
  return (a > 0) - (a < 0);
}

/// Six times the volume of a tetrahedron.
i64 volume(const LatticePoint& a, const LatticePoint& b, const LatticePoint& c, const LatticePoint& d) {
  return dot(minus(b, a), cross(minus(c, a), minus(d, a)));
}

/// Returns true if the segment from p to q, both included, meets the triangle and does not lie in its plane.
bool meets(const LatticePoint& p, const LatticePoint& q, const std::array<LatticePoint, 3>& t) {
  const int at_p = sign(volume(p, t[0], t[1], t[2])), at_q = sign(volume(q, t[0], t[1], t[2]));
  if (at_p == at_q) return false;
  int lowest = 1, highest = -1;
  for (int k = 0; k < 3; ++k) {
    const int side = sign(volume(p, q, t[k], t[(k + 1) % 3]));
    lowest = std::min(lowest, side);
    highest = std::max(highest, side);
  }
  return lowest >= 0 || highest <= 0;
}

VoxelSet slow_crossed(const GridShape& shape, const LatticeMesh& mesh) {
  VoxelSet result;
  for (const auto& t : mesh) {
    const std::array<LatticePoint, 3> triangle = {test::lattice_point(t[0]), test::lattice_point(t[1]),
                                                  test::lattice_point(t[2])};
    for (u32 id = 0; id < shape.cell_count(); ++id) {
      const uvec3 cell = shape.cell_at(id);
      for (int axis = 0; axis < 3; ++axis) {
        LatticePoint p = {cell.x * 256 + 128, cell.y * 256 + 128, cell.z * 256 + 128}, q = p;
        p[size_t(axis)] -= 128;
        q[size_t(axis)] += 128;
        if (meets(p, q, triangle)) result.insert(id);
      }
    }
  }
  return result;
}

VoxelSet slow_touched(const GridShape& shape, const LatticeMesh& mesh) {
  VoxelSet result;
  for (const auto& t : mesh) {
    for (const u32 id : test::touched_cells(shape, t, {8, 0})) result.insert(id);
  }
  return result;
}

/// Returns true if a vertical line meets the triangle at or below a point. The line goes through the point, moved
/// a little towards -x and much less towards -y, so that it meets no edge.
bool is_below(const std::array<ivec3, 3>& t, const LatticePoint& p) {
  using Wide = __int128;
  const LatticePoint a = test::lattice_point(t[0]), b = test::lattice_point(t[1]), c = test::lattice_point(t[2]);
  const LatticePoint normal = cross(minus(b, a), minus(c, a));
  if (normal[2] == 0) return false;
  const Wide one = Wide{1} << 40, x = p[0] * one - (Wide{1} << 24), y = p[1] * one - 1;
  const std::array<LatticePoint, 3> v = {a, b, c};
  int lowest = 1, highest = -1;
  for (size_t k = 0; k < 3; ++k) {
    const LatticePoint &from = v[k], edge = minus(v[(k + 1) % 3], from);
    const Wide value = edge[0] * (y - from[1] * one) - edge[1] * (x - from[0] * one);
    const int side = (value > 0) - (value < 0);
    lowest = std::min(lowest, side);
    highest = std::max(highest, side);
  }
  if (lowest < 0 && highest > 0) return false;
  return dot(normal, minus(p, a)) * sign(normal[2]) >= 0;
}

VoxelSet slow_inside(const GridShape& shape, const LatticeMesh& mesh) {
  VoxelSet result;
  for (u32 id = 0; id < shape.cell_count(); ++id) {
    const uvec3 cell = shape.cell_at(id);
    const LatticePoint centre = {cell.x * 256 + 128, cell.y * 256 + 128, cell.z * 256 + 128};
    u32 below = 0;
    for (const auto& t : mesh) below += is_below(t, centre);
    if (below % 2 == 1) result.insert(id);
  }
  return result;
}

/// Returns the voxels of a grid that a path from a corner reaches without crossing `walls`, over faces only or
/// over edges and corners too. The grid has a margin of one voxel for the path; ids do not count the margin, and
/// its voxels are not returned.
VoxelSet reached_from_outside(const GridShape& shape, const VoxelSet& walls, bool over_corners) {
  const ivec3 size = ivec3(shape.resolution) + 2;
  const GridShape wide{dvec3(0), dvec3(1), uvec3(size)};
  const auto is_margin = [&](const ivec3& v) {
    return v.x == 0 || v.y == 0 || v.z == 0 || v.x == size.x - 1 || v.y == size.y - 1 || v.z == size.z - 1;
  };
  VoxelSet seen = {0}, result;
  std::queue<ivec3> queue({ivec3(0)});
  for (; !queue.empty(); queue.pop()) {
    for (int step = 0; step < 27; ++step) {
      const ivec3 move(step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1);
      if (!over_corners && std::abs(move.x) + std::abs(move.y) + std::abs(move.z) != 1) continue;
      const ivec3 to = queue.front() + move;
      if (to.x < 0 || to.y < 0 || to.z < 0 || to.x >= size.x || to.y >= size.y || to.z >= size.z) continue;
      const u32 id = is_margin(to) ? invalid_id : shape.cell_id(uvec3(to - 1));
      if (walls.count(id) > 0 || !seen.insert(wide.cell_id(uvec3(to))).second) continue;
      if (id != invalid_id) result.insert(id);
      queue.push(to);
    }
  }
  return result;
}

class VoxelsTest : public test::OnEachBackend {
 protected:
  VoxelSet build(const Mesh& mesh, u32 resolution, VoxelRule rule, GridShape& shape) {
    const DeviceMesh device(context(), mesh);
    const Voxels voxels = build_voxels(context(), device.view(), resolution, rule);
    shape = voxels.shape;
    EXPECT_EQ(voxels.counts.download()[0], 0u) << "left out";
    const VoxelSet result = voxels_of(voxels);
    EXPECT_EQ(count_voxels(context(), voxels), result.size());
    return result;
  }
  void expect_oracles(const Mesh& mesh, u32 resolution, const std::string& name) {
    GridShape shape;
    const VoxelSet touched = build(mesh, resolution, VoxelRule::touched, shape);
    const LatticeMesh lattice = lattice_mesh(shape, mesh);
    EXPECT_EQ(touched, slow_touched(shape, lattice)) << name << ", touched at " << resolution;
    EXPECT_EQ(build(mesh, resolution, VoxelRule::crossed, shape), slow_crossed(shape, lattice))
        << name << ", crossed at " << resolution;
    EXPECT_EQ(build(mesh, resolution, VoxelRule::inside, shape), slow_inside(shape, lattice))
        << name << ", inside at " << resolution;
  }
};

TEST_P(VoxelsTest, AreThoseOfTheOracles) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 resolution : {1u, 7u}) expect_oracles(hard.mesh, resolution, hard.name);
  }
  expect_oracles(generate_sphere(1), 33, "sphere");
  expect_oracles(generate_random(20, 0.8f), 40, "large triangles");
}

/// Meshes with vertices, edges and faces at the centres and on the faces of voxels.
TEST_P(VoxelsTest, AreThoseOfTheOraclesOnTheLattice) {
  std::mt19937 random(1);
  for (int run = 0; run < 20; ++run) {
    Mesh mesh{{vec3(0), vec3(8)}, {}};
    for (u32 i = 0; i < 12; ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto half = [&] { return float(random() % 17) / 2; };
        const float x = half(), y = half(), z = run % 3 == 0 ? 3.5f : half();
        mesh.positions.push_back(vec3(x, y, z));
      }
      mesh.triangles.push_back(uvec3(3 * i + 2, 3 * i + 3, 3 * i + 4));
    }
    mesh.triangles.push_back(uvec3(0, 0, 1));
    expect_oracles(mesh, 8, "run " + std::to_string(run));
  }
}

TEST_P(VoxelsTest, OfASphereSeparateInsideFromOutside) {
  const Mesh mesh = generate_sphere(3);
  for (const u32 resolution : {5u, 16u, 31u, 64u}) {
    GridShape shape;
    const VoxelSet touched = build(mesh, resolution, VoxelRule::touched, shape);
    const VoxelSet crossed = build(mesh, resolution, VoxelRule::crossed, shape);
    const VoxelSet inside = build(mesh, resolution, VoxelRule::inside, shape);
    for (const u32 id : reached_from_outside(shape, touched, true)) EXPECT_EQ(inside.count(id), 0u) << resolution;
    for (const u32 id : reached_from_outside(shape, crossed, false)) EXPECT_EQ(inside.count(id), 0u) << resolution;
    EXPECT_TRUE(std::includes(touched.begin(), touched.end(), crossed.begin(), crossed.end()));
    const double volume = 4.18879 / 8 * std::pow(resolution, 3);
    EXPECT_NEAR(double(inside.size()), volume, volume * 0.02 + 8 * resolution) << resolution;
  }
}

TEST_P(VoxelsTest, OfACubeAreItsCells) {
  GridShape shape;
  EXPECT_EQ(build(generate_cube(), 32, VoxelRule::inside, shape).size(), 32u * 32 * 32);
  EXPECT_EQ(build(generate_cube(), 32, VoxelRule::touched, shape).size(), 32u * 32 * 32 - 30 * 30 * 30);
  EXPECT_EQ(build(generate_cube(), 1, VoxelRule::crossed, shape).size(), 1u);
}

TEST_P(VoxelsTest, AreSetAgainInPlaceAndByAGraph) {
  Mesh mesh = generate_sphere(2);
  DeviceMesh device(context(), mesh);
  Voxels voxels = make_voxels(context(), {vec3(-1.5f), vec3(1.5f)}, 40);
  EXPECT_EQ(count_voxels(context(), voxels), 0u);
  const auto work = [&] { voxelize(context(), voxels, device.view(), VoxelRule::inside); };
  work();
  Graph graph = context().capture(work);
  for (vec3& p : mesh.positions) p = vec3(p.x * 0.5f, p.y + 0.3f, p.z * p.z);
  device.positions.upload(mesh.positions);
  graph.launch();
  EXPECT_EQ(voxels_of(voxels), slow_inside(voxels.shape, lattice_mesh(voxels.shape, mesh)));
}

TEST_P(VoxelsTest, LeaveOutTrianglesThatReachBeyondTheGrid) {
  const Mesh mesh{{vec3(0), vec3(1, 0, 0), vec3(0, 1, 0), vec3(1.1f, 0, 0)}, {uvec3(0, 1, 2), uvec3(0, 2, 3)}};
  const DeviceMesh device(context(), mesh);
  Voxels voxels = make_voxels(context(), {vec3(0), vec3(1)}, 10);
  voxelize(context(), voxels, device.view());
  EXPECT_EQ(voxels.counts.download()[0], 1u);
  EXPECT_EQ(voxels_of(voxels), slow_touched(voxels.shape, {lattice_mesh(voxels.shape, mesh)[0]}));
}

TEST_P(VoxelsTest, RefuseResolutionsOutOfRange) {
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR((void)make_voxels(context(), {vec3(0), vec3(1)}, 0), invalid, "resolution is 0");
  EXPECT_COPSE_ERROR((void)make_voxels(context(), {vec3(0), vec3(1)}, 2049), invalid, "2048");
  EXPECT_COPSE_ERROR((void)make_voxels(context(), {vec3(0), vec3(infinity)}, 4), invalid, "infinite");
  Voxels unmade;
  const DeviceMesh device(context(), generate_cube());
  EXPECT_COPSE_ERROR(voxelize(context(), unmade, device.view()), invalid, "0 words");
}

COPSE_ON_EACH_BACKEND(VoxelsTest);

TEST(VoxelsOnBoth, AreEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_sphere(4), generate_hairball(50, 20), generate_random(3000, 0.3f)}) {
    const DeviceMesh a(cpu, mesh), b(cuda, mesh);
    for (const VoxelRule rule : {VoxelRule::touched, VoxelRule::crossed, VoxelRule::inside}) {
      const Voxels on_cpu = build_voxels(cpu, a.view(), 200, rule),
                   on_cuda = build_voxels(cuda, b.view(), 200, rule);
      EXPECT_TRUE(test::same_bytes(on_cpu.words.download(), on_cuda.words.download()));
    }
  }
}

}  // namespace
}  // namespace copse
