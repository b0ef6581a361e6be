// Builds where memory ends: they stay within it or say so, and give back what they took.

#include <gtest/gtest.h>

#include "copse.h"
#include "copse/grids.h"
#include "tests/support/device_mesh.h"
#include "tests/support/limited_memory.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::LimitedMemory;

struct Structure {
  const char* name;
  void (*build)(Context& context, const DeviceMesh& mesh);
};

const Structure structures[] = {
    {"lbvh", [](Context& c, const DeviceMesh& m) { (void)build(c, m.view(), LbvhOptions{}); }},
    {"hploc", [](Context& c, const DeviceMesh& m) { (void)build(c, m.view(), HplocOptions{}); }},
    {"sah", [](Context& c, const DeviceMesh& m) { (void)build(c, m.view(), SahOptions{}); }},
    {"wide", [](Context& c,
                const DeviceMesh& m) { (void)collapse<CompressedBvh8>(c, build(c, m.view(), LbvhOptions{})); }},
    {"grid", [](Context& c, const DeviceMesh& m) { (void)build_grid(c, m.view()); }},
    {"frustum",
     [](Context& c, const DeviceMesh& m) {
       const Camera camera = look_at({0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 40, 1);
       (void)build_frustum_grid(c, m.view(), view_frustum(camera));
     }},
    {"voxels", [](Context& c, const DeviceMesh& m) { (void)build_voxels(c, m.view(), 100); }},
    {"bricks", [](Context& c, const DeviceMesh& m) { (void)build_bricks(c, m.view(), {.resolution = 300}); }},
    {"points", [](Context& c, const DeviceMesh& m) { (void)build_hash_grid(c, m.positions.span()); }},
};

/// The bytes of a mesh in memory, and the most while a structure over it is built. The limit is for both.
struct Need {
  u64 mesh, peak;
};

Need build_within(u64 limit, const Structure& structure) {
  LimitedMemory memory(limit);
  Need need{};
  try {
    Context context({.backend = Backend::cpu, .memory = &memory});
    const DeviceMesh mesh(context, generate_sphere(4));
    need.mesh = memory.in_use();
    structure.build(context, mesh);
  } catch (...) {
    EXPECT_EQ(memory.in_use(), 0u) << structure.name << ": an error left memory behind";
    throw;
  }
  EXPECT_EQ(memory.in_use(), 0u) << structure.name;
  need.peak = memory.peak();
  return need;
}

TEST(MemoryLimit, AsMuchAsABuildNeedsIsEnough) {
  for (const Structure& structure : structures) {
    const Need need = build_within(~u64{0}, structure);
    EXPECT_GT(need.peak, need.mesh) << structure.name;
    EXPECT_LE(build_within(need.peak, structure).peak, need.peak) << structure.name;
  }
}

TEST(MemoryLimit, LessIsAnErrorThatLeavesNothingBehind) {
  for (const Structure& structure : structures) {
    const Need need = build_within(~u64{0}, structure);
    for (u64 room = need.peak - need.mesh; room > 0; room = room * 3 / 4) {
      try {
        build_within(need.mesh + room - 1, structure);
        ADD_FAILURE() << structure.name << " was built with " << room - 1 << " bytes";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << structure.name << ": " << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace copse
