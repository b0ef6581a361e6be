#include "accel/accel_motion.h"

#include <cmath>

#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

class AccelMotion : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(AccelMotion);

TEST_P(AccelMotion, AGraphRefitsWhatMovedLittleAndRebuildsWhatWasTorn) {
  const Mesh rest = generate_sphere(5);
  std::vector<vec3> bent = rest.positions, torn = rest.positions;
  for (vec3& p : bent) p.y += 0.01f * std::sin(20 * p.x);
  for (u64 i = 0; i < torn.size(); ++i) torn[i] = rest.positions[i * 7919 % torn.size()];

  DeviceMesh mesh(context(), rest);
  Accel accel = build(context(), mesh.view(), {.quality = Quality::fast});
  RebuildAdvisor advisor(context());
  rebuild(context(), accel, mesh.view());
  const auto frame = [&] { refit_or_rebuild(context(), accel, mesh.view(), advisor); };
  frame();  // the first build that the advisor sees
  Graph graph = context().capture(frame);

  mesh.positions.upload(bent);
  graph.launch();
  EXPECT_EQ(advisor.history().rebuild_count, 0u);
  EXPECT_TRUE(validate(context(), accel.tree(), mesh.view(), true).is_valid());

  mesh.positions.upload(torn);
  graph.launch();
  EXPECT_EQ(advisor.history().rebuild_count, 1u);
  EXPECT_LE(advisor.history().growth(), 1);
  const Accel expected = build(context(), mesh.view(), {.quality = Quality::fast});
  const u32 node_count = expected.tree().counts.download()[0].node_count;
  EXPECT_EQ(accel.tree().counts.download()[0].node_count, node_count);
  EXPECT_TRUE(same_bytes(expected.tree().nodes.download(node_count), accel.tree().nodes.download(node_count)));
}

TEST_P(AccelMotion, RefusesAnAccelThatWasNeverBuilt) {
  Accel accel;
  RebuildAdvisor advisor(context());
  EXPECT_COPSE_ERROR(refit_or_rebuild(context(), accel, TriangleView{}, advisor), ErrorCode::invalid_argument,
                     "refit");
}

}  // namespace copse::test
