// One ray at a time, in kernels and on the host: closest_hit and any_hit of a view give the bits of batches.

#include "tests/motion/moving_meshes.h"
#include "tests/support/body_test.h"

namespace copse::detail {
namespace {

struct TraceOneMovingRay {
  MotionView view;
  const Ray* rays;
  const float* times;
  Hit* hits;
  u8* occluded;

  COPSE_HD void operator()(u64 i) const {
    hits[i] = closest_hit(view, rays[i], times[i]);
    occluded[i] = any_hit(view, rays[i], times[i], 1, Cull::back) ? 1 : 0;
  }
};

template <class Executor>
struct OneMovingRay : test::BodyTest<Executor> {};
TYPED_TEST_SUITE(OneMovingRay, TheBackend, BackendName);

TYPED_TEST(OneMovingRay, HasTheHitsOfABatch) {
  Context& context = this->context();
  std::vector<Mesh> meshes = test::scattered_keys(generate_sphere(3), 3, 0.1f, 4);
  const test::MovingMesh mesh(context, meshes);
  const MotionAccel accel = build(context, mesh.triangles());
  test::TimedRays timed(meshes, 2000, 5);
  timed.rays[7].direction = vec3(0, 0, 1e30f);  // outside of the common range: by robust traversal
  timed.rays[8].origin = vec3(0, 0, 1e20f);
  const Buffer<Ray> rays(context, timed.rays);
  const Buffer<float> times(context, timed.times);
  Buffer<Hit> hits(context, timed.rays.size());
  Buffer<u8> occluded(context, timed.rays.size());
  for_each(this->executor(), "one moving ray", timed.rays.size(),
           TraceOneMovingRay{accel.view(), rays.data(), times.data(), hits.data(), occluded.data()});
  const std::vector<Hit> found = hits.download(),
                         expected = test::trace(context, accel, timed.rays, {.times = times.span()});
  const std::vector<u8> dark = occluded.download(),
                        expected_dark = test::trace_any(context, accel, timed.rays,
                                                        {.times = times.span(), .mask = 1, .cull = Cull::back});
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(test::same_bits(found[i], expected[i])) << i << ": " << test::text(timed.rays[i]);
    ASSERT_EQ(dark[i], expected_dark[i]) << i;
  }
}

}  // namespace
}  // namespace copse::detail
