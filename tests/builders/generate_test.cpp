#include "builders/geometry/generate.h"

#include <cmath>
#include <map>
#include <stop_token>

#include "builders/io/mesh_file.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

/// FNV-1a over the bytes of positions, then triangles.
u64 hash(const Mesh& mesh) {
  u64 sum = 0xcbf29ce484222325ull;
  const auto add = [&](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<const u8*>(data)[i]) * 0x100000001b3ull;
  };
  add(mesh.positions.data(), mesh.positions.size() * sizeof(vec3));
  add(mesh.triangles.data(), mesh.triangles.size() * sizeof(uvec3));
  return sum;
}

/// Returns six times the volume, which is positive if faces turn outwards.
double volume6(const Mesh& mesh) {
  double sum = 0;
  for (const uvec3& t : mesh.triangles) {
    const glm::dvec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
    sum += a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
  }
  return sum;
}

/// True if every edge has one triangle on either side.
bool is_closed(const Mesh& mesh) {
  std::map<std::pair<u32, u32>, int> sides;
  for (const uvec3& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const u32 a = t[k], b = t[(k + 1) % 3];
      if (++sides[{a, b}] > 1) return false;
    }
  }
  for (const auto& [edge, count] : sides) {
    if (!sides.contains({edge.second, edge.first})) return false;
  }
  return true;
}

// These are the hashes of the meshes that the benchmark figures were measured on.
TEST(Generate, HairballIsTheBenchmarkScene) {
  const Mesh mesh = generate_hairball(7, 5);
  EXPECT_EQ(mesh.positions.size(), 84u);
  EXPECT_EQ(mesh.triangles.size(), 70u);
  EXPECT_EQ(hash(mesh), 0x35d1cb5df0b50f13u);
}

TEST(Generate, RandomIsTheBenchmarkScene) {
  const Mesh mesh = generate_random(50, 0.002f);
  EXPECT_EQ(mesh.positions.size(), 150u);
  EXPECT_EQ(mesh.triangles.size(), 50u);
  EXPECT_EQ(hash(mesh), 0xad230292f81604a4u);
}

TEST(Generate, FullScenesAreTheBenchmarkScenesLarge) {
  EXPECT_EQ(hash(generate_hairball(14400, 100)), 0xa340da1700d399c7u);
  EXPECT_EQ(hash(generate_random(2000000, 0.002f)), 0xeb32e1da7df02bf9u);
  EXPECT_EQ(hash(subdivide(load_mesh("assets/spot.obj"), 2)), 0x2885caab63c5ef48u);
}

TEST(Generate, SubdivideCutsAtMidpoints) {
  const Mesh fine = subdivide({{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}}, {{0, 1, 2}}}, 1);
  EXPECT_EQ(fine.positions, (std::vector<vec3>{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(fine.triangles, (std::vector<uvec3>{{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}));
  EXPECT_EQ(subdivide(generate_cube(), 0).triangles, generate_cube().triangles);
  EXPECT_EQ(subdivide(generate_cube(), 3).triangles.size(), 12u * 64);
  EXPECT_EQ(subdivide(Mesh{}, 4000000000u).triangles.size(), 0u);
}

TEST(Generate, SubdivideRefusesIndexPastEnd) {
  EXPECT_COPSE_ERROR(subdivide({{{0, 0, 0}}, {{0, 0, 1}}}, 1), ErrorCode::invalid_argument, "vertex 1 of 1");
}

TEST(Generate, RefusesMeshesPastTheLimitBeforeMakingThem) {
  const std::string limit = "at most 2147483648 of each can be made";
  EXPECT_COPSE_ERROR(subdivide(generate_cube(), 14), ErrorCode::capacity,
                     "the subdivided mesh would have 3221225472");
  EXPECT_COPSE_ERROR(subdivide(generate_cube(), 4000000000u), ErrorCode::capacity, limit);
  EXPECT_COPSE_ERROR(generate_hairball(u64{1} << 31, 1), ErrorCode::capacity, limit);
  EXPECT_COPSE_ERROR(generate_hairball(~u64{0}, 7), ErrorCode::capacity, "2^64 or more triangles");
  EXPECT_COPSE_ERROR(generate_hairball(1, 0xffffffffu), ErrorCode::capacity, "8589934590 triangles");
  EXPECT_COPSE_ERROR(generate_random(800000000, 1), ErrorCode::capacity, "2400000000 vertices");
  EXPECT_COPSE_ERROR(generate_random(~u64{0}, 1), ErrorCode::capacity, limit);
  EXPECT_COPSE_ERROR(generate_grid(40000), ErrorCode::capacity, "3200000000 triangles");
  EXPECT_COPSE_ERROR(generate_grid(0xffffffffu), ErrorCode::capacity, limit);
  for (const u32 subdivisions : {14u, 30u, 31u, 32u, 64u, 4000000000u}) {
    EXPECT_COPSE_ERROR(generate_sphere(subdivisions), ErrorCode::capacity, limit);
  }
}

TEST(Generate, RefusesValuesWithoutMeaning) {
  EXPECT_COPSE_ERROR(generate_hairball(3, 0), ErrorCode::invalid_argument, "0 segments, at least 1");
  EXPECT_COPSE_ERROR(generate_grid(0), ErrorCode::invalid_argument, "0 x 0 quads, at least 1 x 1");
  EXPECT_COPSE_ERROR(generate_random(3, NAN), ErrorCode::invalid_argument, "size nan");
  EXPECT_COPSE_ERROR(generate_random(3, -1), ErrorCode::invalid_argument, "size -1");
}

TEST(Generate, NothingIsAMeshToo) {
  EXPECT_TRUE(generate_hairball(0, 5).triangles.empty());
  EXPECT_TRUE(generate_random(0, 1).positions.empty());
}

TEST(Generate, GridIsFlatAndFacesUp) {
  const Mesh mesh = generate_grid(3);
  EXPECT_EQ(mesh.positions.size(), 16u);
  EXPECT_EQ(mesh.triangles.size(), 18u);
  EXPECT_EQ(bounds(mesh), (Aabb{{0, 0, 0}, {1, 1, 0}}));
  double area2 = 0;
  for (const uvec3& t : mesh.triangles) {
    const vec3 p = mesh.positions[t.x], q = mesh.positions[t.y], r = mesh.positions[t.z];
    const float part = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    EXPECT_GT(part, 0);
    area2 += part;
  }
  EXPECT_NEAR(area2, 2, 1e-6);
}

TEST(Generate, CubeIsClosedAndFacesOutwards) {
  const Mesh mesh = generate_cube();
  EXPECT_EQ(bounds(mesh), (Aabb{{0, 0, 0}, {1, 1, 1}}));
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_EQ(volume6(mesh), 6);
}

TEST(Generate, SphereIsClosedRoundAndFacesOutwards) {
  for (const u32 subdivisions : {0u, 1u, 4u}) {
    const Mesh mesh = generate_sphere(subdivisions);
    EXPECT_EQ(mesh.triangles.size(), 20u << (2 * subdivisions));
    EXPECT_EQ(mesh.positions.size(), mesh.triangles.size() / 2 + 2);
    EXPECT_TRUE(is_closed(mesh));
    for (const vec3& p : mesh.positions)
      EXPECT_NEAR(double(p.x) * p.x + double(p.y) * p.y + double(p.z) * p.z, 1, 1e-6);
    EXPECT_GT(volume6(mesh), 15);
  }
  EXPECT_NEAR(volume6(generate_sphere(4)), 8 * 3.14159265, 0.1);
}

TEST(Generate, EndsWhenItIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const CancelToken cancel = stop.get_token();
  const ErrorCode cancelled = ErrorCode::cancelled;
  EXPECT_COPSE_ERROR(subdivide(generate_cube(), 1, cancel), cancelled, "subdivide: cancelled");
  EXPECT_COPSE_ERROR(generate_hairball(10, 10, cancel), cancelled, "generate_hairball: cancelled");
  EXPECT_COPSE_ERROR(generate_random(10, 1, cancel), cancelled, "generate_random: cancelled");
  EXPECT_COPSE_ERROR(generate_grid(10, cancel), cancelled, "generate_grid: cancelled");
  EXPECT_COPSE_ERROR(generate_sphere(2, cancel), cancelled, "generate_sphere: cancelled");
  EXPECT_EQ(generate_sphere(2, std::stop_source().get_token()).triangles.size(), 320u);
}

/// The token is asked in the middle of the work too.
TEST(Generate, EndsInTheMiddle) {
  struct StopsAfter {
    u32* left;
    bool stop_requested() const { return (*left)-- == 0; }
  };
  u32 left = 3;
  EXPECT_COPSE_ERROR(generate_random(1 << 20, 1, StopsAfter{&left}), ErrorCode::cancelled, "cancelled");
}

}  // namespace
}  // namespace copse::test
