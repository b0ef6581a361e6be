// Counts past the limits, and several threads and processes that build, trace and free at once.

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "builders/grid/hash_grid.h"
#include "builders/grid/uniform_grid.h"
#include "builders/grid/voxels.h"
#include "builders/kd/sah_kd_tree.h"
#include "builders/points/kd_tree.h"
#include "builders/points/point_bvh.h"
#include "motion/motion_accel.h"
#include "scene/scene_rays.h"
#include "tests/accel/accels.h"

namespace copse {
namespace {

using test::DeviceMesh;

class Counts : public test::OnEachBackend {};

COPSE_ON_EACH_BACKEND(Counts);

/// A call with too large a count. It must be refused before anything is read: the memory behind the spans is tiny.
struct TooMany {
  const char* name;
  u64 limit;
  void (*call)(Context& context, const vec3* memory, u64 count);
};

TriangleView triangles_at(const vec3* memory, u64 count) {
  TriangleView view{.positions = PositionSpan(memory, 3, 12)};
  view.triangles.data = memory;
  view.triangles.size = count;
  view.triangles.index_bytes = 4;
  return view;
}
PositionSpan points_at(const vec3* memory, u64 count) {
  return {memory, count, 12};
}
BoxView boxes_at(const vec3* memory, u64 count) {
  return {{reinterpret_cast<const Aabb*>(memory), count}};
}

constexpr u64 two_to_31 = u64{1} << 31, two_to_30 = u64{1} << 30;

const TooMany too_many[] = {
    {"accel", two_to_31, [](Context& c, const vec3* m, u64 n) { (void)build(c, triangles_at(m, n)); }},
    {"two views", two_to_31,
     [](Context& c, const vec3* m, u64 n) {
       (void)build(c, std::vector<TriangleView>{triangles_at(m, n - 9), triangles_at(m, 9)});
     }},
    {"accel with room", two_to_31,
     [](Context& c, const vec3* m, u64 n) { (void)build(c, triangles_at(m, 1), {.capacity = n}); }},
    {"lbvh", two_to_31,
     [](Context& c, const vec3* m, u64 n) { (void)build(c, triangles_at(m, n), LbvhOptions{}); }},
    {"hploc", two_to_31,
     [](Context& c, const vec3* m, u64 n) { (void)build(c, triangles_at(m, n), HplocOptions{}); }},
    {"sah", two_to_31, [](Context& c, const vec3* m, u64 n) { (void)build(c, triangles_at(m, n), SahOptions{}); }},
    {"lbvh of boxes", two_to_31,
     [](Context& c, const vec3* m, u64 n) { (void)build(c, boxes_at(m, n), LbvhOptions{}); }},
    {"hploc of boxes", two_to_31,
     [](Context& c, const vec3* m, u64 n) { (void)build(c, boxes_at(m, n), HplocOptions{}); }},
    {"sah of boxes", two_to_31,
     [](Context& c, const vec3* m, u64 n) { (void)build(c, boxes_at(m, n), SahOptions{}); }},
    {"empty tree", two_to_31, [](Context& c, const vec3*, u64 n) { (void)make_bvh(c, n); }},
    {"batch", two_to_31,
     [](Context& c, const vec3* m, u64 n) {
       (void)build_batch(c, std::vector<TriangleView>{triangles_at(m, 1), triangles_at(m, n - 1)});
     }},
    {"motion", two_to_31,
     [](Context& c, const vec3* m, u64 n) {
       (void)build(c, MotionTriangles(std::vector<TriangleView>(2, triangles_at(m, n))));
     }},
    {"grid", two_to_31, [](Context& c, const vec3* m, u64 n) { (void)build_grid(c, triangles_at(m, n)); }},
    {"grid of boxes", two_to_31, [](Context& c, const vec3* m, u64 n) { (void)build_grid(c, boxes_at(m, n)); }},
    {"voxels", two_to_31, [](Context& c, const vec3* m, u64 n) { (void)build_voxels(c, triangles_at(m, n), 8); }},
    {"kd-tree of triangles", two_to_30,
     [](Context& c, const vec3* m, u64 n) { (void)build_sah_kd_tree(c, triangles_at(m, n)); }},
    {"kd-tree", two_to_30, [](Context& c, const vec3* m, u64 n) { (void)build_kd_tree(c, points_at(m, n)); }},
    {"point bvh", two_to_30, [](Context& c, const vec3* m, u64 n) { (void)build_point_bvh(c, points_at(m, n)); }},
    {"hash grid", two_to_31, [](Context& c, const vec3* m, u64 n) { (void)build_hash_grid(c, points_at(m, n)); }},
};

TEST_P(Counts, PastTheLimitAreRefusedWithBoth) {
  const Buffer<vec3> memory(context(), std::vector<vec3>(16, vec3(0)));
  for (const TooMany& it : too_many) {
    for (const u64 count : {it.limit + 1, (u64{1} << 32) + 1, u64{1} << 40}) {
      SCOPED_TRACE(std::string(it.name) + ", " + std::to_string(count));
      EXPECT_COPSE_ERROR(it.call(context(), memory.data(), count), ErrorCode::capacity, std::to_string(count));
      EXPECT_COPSE_ERROR(it.call(context(), memory.data(), count), ErrorCode::capacity, std::to_string(it.limit));
    }
  }
}

TEST_P(Counts, OfInstancesPastTheLimitAreRefusedWithBoth) {
  const DeviceMesh mesh(context(), generate_cube());
  const Accel accel = build(context(), mesh.view());
  const Buffer<float> memory(context(), std::vector<float>(64));
  InstanceView instances;
  instances.transforms = {memory.data(), two_to_31 + 1, 48};
  EXPECT_COPSE_ERROR(build(context(), accel, instances), ErrorCode::capacity, "2147483649");
  EXPECT_COPSE_ERROR(build(context(), accel, instances), ErrorCode::capacity, "2147483648");
}

class Threads : public test::OnEachBackend {};

COPSE_ON_EACH_BACKEND(Threads);

/// What one thread does again and again: makes a scene, changes it, traces it, and frees all.
std::vector<Hit> make_trace_and_free(Context& context, u32 round) {
  const Mesh mesh = generate_random(200 + 37 * (round % 5), 0.2f);
  const DeviceMesh device(context, mesh);
  Accel accel = build(context, device.view(), {.quality = Quality(round % 3)});
  refit(context, accel, device.view());
  if (round % 2 == 0) rebuild(context, accel, device.view());
  if (round % 3 == 0) compact(context, accel);
  std::vector<Instance> instances(4);
  for (u32 i = 0; i < instances.size(); ++i) instances[i].rows[0][3] = float(i) * 2;
  const Scene scene = build(context, accel, instances);
  test::RayMaker make(round % 5);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 64; ++i) rays.push_back(make.into({vec3(0), vec3(8, 1, 1)}));
  const Buffer<Ray> device_rays(context, rays);
  Buffer<SceneHit> hits(context, rays.size());
  closest_hits(context, scene, device_rays.span(), hits.span());
  std::vector<Hit> found = test::trace(context, accel, rays);
  for (const SceneHit& hit : hits.download()) found.push_back({hit.t, hit.primitive, hit.instance, hit.u, hit.v});
  return found;
}

TEST_P(Threads, FourMakeTraceAndFreeAtOnceWithEqualHits) {
  constexpr u32 round_count = 30, thread_count = 4;
  std::vector<std::vector<Hit>> expected;
  for (u32 round = 0; round < round_count; ++round) expected.push_back(make_trace_and_free(context(), round));
  u32 different[thread_count] = {};
  std::vector<std::thread> threads;
  for (u32 thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      Context own({.backend = GetParam(), .workers = 1 + thread % 2});
      for (u32 i = 0; i < round_count; ++i) {
        const u32 round = (i + thread * 7) % round_count;
        const std::vector<Hit> found = make_trace_and_free(own, round);
        different[thread] += !test::same_bytes(found, expected[round]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const u32 count : different) EXPECT_EQ(count, 0u);
}

/// Starts this program with the test above in it. Returns the id of the process.
pid_t start_another(Backend backend) {
  std::string program = "/proc/self/exe";
  std::string filter =
      std::string("--gtest_filter=*Threads.FourMakeTraceAndFreeAtOnceWithEqualHits/") + name_of(backend);
  std::string brief = "--gtest_brief=1";
  char* arguments[] = {program.data(), filter.data(), brief.data(), nullptr};
  pid_t process = -1;
  EXPECT_EQ(posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments, environ), 0);
  return process;
}

TEST_P(Threads, OfTwoProcessesOnOneDeviceHaveEqualHits) {
  const pid_t processes[] = {start_another(GetParam()), start_another(GetParam())};
  for (const pid_t process : processes) {
    int status = -1;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace copse
